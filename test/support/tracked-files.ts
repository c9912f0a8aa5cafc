/** The project's files: tracked by git, or new and not ignored. Relative to the root, sorted. */
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
