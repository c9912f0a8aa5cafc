/** Debian's Prometheus and its promtool. Tests that need them are skipped where they are not installed. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';

const isOnPath = (name: string): boolean =>
  (process.env['PATH'] ?? '').split(path.delimiter).some((folder) => existsSync(path.join(folder, name)));

export const hasPrometheus = isOnPath('prometheus') && isOnPath('promtool');

const LIMIT_MS = 60_000;

export type Promtool = { readonly code: number | null; readonly said: string };

export const promtool = (args: readonly string[], input = ''): Promtool => {
  const { status, stdout, stderr } = spawnSync('promtool', args, { input, encoding: 'utf8', timeout: LIMIT_MS });
  return { code: status, said: `${stdout}${stderr}` };
};
