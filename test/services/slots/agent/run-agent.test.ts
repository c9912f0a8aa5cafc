import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { runAgent } from '../../../../services/slots/agent/run-agent.ts';
import { never, temporaryFolder } from '../../../shared/workspace/repository.ts';

let folder: ReturnType<typeof temporaryFolder>;
beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(() => folder.dispose());

const run = async (file: string, args: readonly string[], logFile = join(folder.path, 'log')) => {
  const lines: string[] = [];
  const command = { file, args, input: '' };
  const onLine = (line: string): void => void lines.push(line);
  const ended = await runAgent(
    { command, cwd: folder.path, env: process.env, timeoutMs: 20_000, logFile, onLine },
    never(),
  );
  return { ...ended, lines };
};

it('returns what the program printed, and keeps it in the log', async () => {
  const { stdout, failed, lines } = await run(process.execPath, ['-e', 'console.log("done")']);
  expect([stdout, failed, lines]).toEqual(['done\n', null, ['done']]);
  expect(readFileSync(join(folder.path, 'log'), 'utf8')).toBe('done\n');
});

it.each<[string, string, readonly string[], string]>([
  ['is missing', '/nowhere/agent', [], 'could not be started (ENOENT)'],
  // The kernel's limit for one argument is 128 KiB.
  ['gets an argument that is too long', '/bin/true', ['x'.repeat(200_000)], 'could not be started (E2BIG)'],
  ['gets a NUL', '/bin/true', ['a\0b'], 'could not be started (ERR_INVALID_ARG_VALUE)'],
])('has failed if the program %s', async (_what, file, args, failed) => {
  expect(await run(file, args)).toMatchObject({ stdout: '', failed });
});

it('lets the agent work on when its log cannot be written', async () => {
  const script = 'process.stdout.write("x".repeat(100000)); setTimeout(() => console.log("done"), 100)';
  const { stdout, failed, lines } = await run(process.execPath, ['-e', script], '/dev/full');
  expect([stdout.endsWith('done\n'), failed]).toEqual([true, null]);
  expect(lines).toContain('the log cannot be written (ENOSPC)');
});
