import type { SettingsFile } from '../schema.ts';

/** Services with a health server, ordered by their ports. */
const WORKERS = ['guard', 'reviewer', 'explorer', 'poster', 'author', 'console'] as const;
export type WorkerName = (typeof WORKERS)[number];

/** Null if the health server is disabled, which is required if one machine runs several processes of one service. */
export function healthAddress(
  health: SettingsFile['health'],
  worker: WorkerName,
): { readonly host: string; readonly port: number } | null {
  if (!health.enabled) return null;
  return { host: health.host, port: health.portBase + WORKERS.indexOf(worker) };
}
