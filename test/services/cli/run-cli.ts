import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { builtScript, ROOT } from '../../support/built.ts';

export { ROOT };

export type CliRun = { readonly code: number | null; readonly stdout: string; readonly stderr: string };

export type CliOptions = { readonly env?: NodeJS.ProcessEnv; readonly input?: string };

/** The compiled `fixpoint …` as a process of its own. */
export const runCli = async (args: readonly string[], options: CliOptions = {}): Promise<CliRun> => {
  const child = spawn(process.execPath, [await builtScript('services/cli/main.js'), ...args], {
    cwd: ROOT,
    env: { PATH: process.env['PATH'] ?? '', ...options.env },
  });
  child.stdin.end(options.input ?? '');
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return { code: child.exitCode, stdout, stderr };
};
