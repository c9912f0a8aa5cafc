/** Plain folders with hostile content for the tests of the tools: what a checkout never holds is here on purpose. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

export const writeFiles = (root: string, files: Readonly<Record<string, string | Buffer>>): void => {
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), content);
  }
};

export const linkTo = (root: string, name: string, target: string): void => symlinkSync(target, join(root, name));

export const makePipe = (path: string): void => {
  execFileSync('/usr/bin/mkfifo', [path]);
};

export const makeSparse = (path: string, bytes: number): void => {
  writeFileSync(path, '');
  truncateSync(path, bytes);
};

/**
 * Milliseconds for which `work` kept the event loop from turning, at the longest. On a busy machine the loop also stands
 * still because others run: it was never `work` for longer than the processor time that this process used.
 */
export const longestLagMs = async (work: () => Promise<unknown>): Promise<number> => {
  let longest = 0;
  let last = performance.now();
  const before = process.cpuUsage();
  const probe = setInterval(() => {
    const now = performance.now();
    longest = Math.max(longest, now - last - 5);
    last = now;
  }, 5);
  await work();
  longest = Math.max(longest, performance.now() - last - 5);
  clearInterval(probe);
  const { user, system } = process.cpuUsage(before);
  return Math.min(longest, (user + system) / 1000);
};
