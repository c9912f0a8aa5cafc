/** Where tasks come from: one text, a file, or `bd` (beads), asked anew before each iteration. */
import { readFile } from 'node:fs/promises';
import { delimiter, isAbsolute, join } from 'node:path';
import { access, constants } from 'node:fs/promises';
import { runCommand } from '../../shared/workspace/command.ts';
import { LoopError } from './errors.ts';
import { parseBeads, parseTasksFile, type Task, taskOfText } from './task.ts';

export type TaskListing =
  | { readonly kind: 'listed'; readonly tasks: readonly Task[] }
  /** The agent has to choose by itself. */
  | { readonly kind: 'unavailable'; readonly reason: string };

/** Contract: `list` gives what is open now, in the order in which it is to be done; it never throws. */
export type TaskSource = { readonly list: (signal: AbortSignal) => Promise<TaskListing> };

export const sourceOfText = (text: string): TaskSource => ({
  list: () => Promise.resolve({ kind: 'listed', tasks: [taskOfText(text, 'task')] }),
});

/** Read once: an agent that edits the list does not change what it is given. @throws LoopError */
export const sourceOfFile = async (path: string): Promise<TaskSource> => {
  const text = await readFile(path, 'utf8').catch((cause: unknown) => {
    throw new LoopError('LOOP_TASKS', `${path}: cannot be read`, cause);
  });
  const tasks = parseTasksFile(text);
  if (tasks === null) throw new LoopError('LOOP_TASKS', `${path}: expected one task per line, or a JSON list with ids`);
  return { list: () => Promise.resolve({ kind: 'listed', tasks }) };
};

const BD_TIMEOUT_MS = 5_000;
const BD_MAX_BYTES = 8 * 1024 * 1024;

const findProgram = async (name: string, path: string): Promise<string | null> => {
  for (const folder of path.split(delimiter).filter((one) => isAbsolute(one))) {
    const file = join(folder, name);
    const found = await access(file, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (found) return file;
  }
  return null;
};

const unavailable = (reason: string): TaskListing => ({ kind: 'unavailable', reason });

const environment = (): Record<string, string> =>
  Object.fromEntries(
    Object.entries(process.env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );

/** `bd ready --json` in `root`: what nobody works on and nothing blocks. https://github.com/steveyegge/beads */
export const sourceOfBeads = (root: string): TaskSource => ({
  list: async (signal) => {
    const file = await findProgram('bd', process.env['PATH'] ?? '');
    if (file === null) return unavailable('bd is not installed');
    const spec = { file, args: ['ready', '--json'], env: environment(), cwd: root };
    const limits = { timeoutMs: BD_TIMEOUT_MS, maxStdoutBytes: BD_MAX_BYTES };
    const { exitCode, stdout, timedOut } = await runCommand({ ...spec, ...limits }, signal);
    if (timedOut) return unavailable('bd took longer than 5 s');
    if (exitCode !== 0) return unavailable(`bd ready failed with exit code ${exitCode ?? 'none'}`);
    const tasks = parseBeads(stdout.toString('utf8').trim());
    return tasks === null ? unavailable('bd ready printed no list of issues') : { kind: 'listed', tasks };
  },
});
