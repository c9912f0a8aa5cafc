import type { SettingsFile } from './schema.ts';

/** Workers that serve `/healthz`, `/readyz` and `/metrics`, in the order of their ports. */
const WORKERS = ['guard', 'reviewer', 'explorer', 'poster', 'author'] as const;
export type WorkerName = (typeof WORKERS)[number];

/** Null when the health server is off: two processes of one service on one machine cannot share a port. */
export function healthAddress(
  health: SettingsFile['health'],
  worker: WorkerName,
): { readonly host: string; readonly port: number } | null {
  if (!health.enabled) return null;
  return { host: health.host, port: health.portBase + WORKERS.indexOf(worker) };
}
