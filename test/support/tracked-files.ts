/** The files of the project as git knows them, with what is new and not ignored, relative to the root and sorted. */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const PROJECT_ROOT = fileURLToPath(new URL('../..', import.meta.url));

export function trackedFiles(): readonly string[] {
  const output = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: PROJECT_ROOT,
    encoding: 'utf8',
  });
  const files = output.split('\0').filter((path) => path !== '' && existsSync(join(PROJECT_ROOT, path)));
  return [...new Set(files)].toSorted();
}
