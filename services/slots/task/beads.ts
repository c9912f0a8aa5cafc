/** Task source for `bd` (beads): lists ready tasks and closes finished ones. https://github.com/steveyegge/beads */
import { access, constants } from 'node:fs/promises';
import { delimiter, isAbsolute, join } from 'node:path';
import { z } from 'zod';
import { AppError } from '../../../shared/errors.ts';
import { childEnvironment, WITHOUT_PROMPTS } from '../../../shared/workspace/process/child-environment.ts';
import { runCommand } from '../../../shared/workspace/process/command.ts';
import { LoopError } from '../settings/errors.ts';
import { jsonOrNull } from '../../../shared/json-or-null.ts';
import { parseBeads } from './task.ts';
import type { TaskListing, TaskSource } from './task-source.ts';

const LIST_TIMEOUT_MS = 5_000;
/** Longer than the limit for listing, because closing may run the user's hooks and create a commit. */
const CLOSE_TIMEOUT_MS = 30_000;
const MAX_BYTES = 32 * 1024 * 1024;
const MAX_REASON_CHARACTERS = 300;

const isExecutable = async (file: string): Promise<boolean> =>
  access(file, constants.X_OK).then(
    () => true,
    () => false,
  );

const findProgram = async (name: string, path: string): Promise<string | null> => {
  for (const folder of path.split(delimiter).filter((one) => isAbsolute(one))) {
    const file = join(folder, name);
    if (await isExecutable(file)) return file;
  }
  return null;
};

const Said = z.object({ error: z.string() });

/** With `--json`, `bd` prints some errors as `{"error": …}` and others as prose. */
const firstWords = (stderr: string): string => {
  const said = Said.safeParse(jsonOrNull(stderr.slice(stderr.indexOf('{')))).data?.error;
  const line = stderr.split('\n').find((one) => one.trim() !== '');
  return (said ?? line ?? '').trim().slice(0, MAX_REASON_CHARACTERS);
};

type Ran = { readonly stdout: string } | { readonly reason: string };
type Call = { readonly root: string; readonly args: readonly string[]; readonly timeoutMs: number };

const runProgram = async (file: string, { root, args, timeoutMs }: Call, signal: AbortSignal): Promise<Ran> => {
  const name = `bd ${args[0] ?? ''}`;
  const spec = {
    file,
    args,
    env: { ...childEnvironment(process.env), ...WITHOUT_PROMPTS },
    cwd: root,
    timeoutMs,
    maxStdoutBytes: MAX_BYTES,
  };
  const { exitCode, stdout, stderr, timedOut, truncated } = await runCommand(spec, signal);
  if (timedOut) return { reason: `${name} took longer than ${timeoutMs / 1000} s` };
  if (truncated) return { reason: `${name} printed more than ${MAX_BYTES} bytes` };
  if (exitCode === 0) return { stdout: stdout.toString('utf8') };
  const words = firstWords(stderr);
  return { reason: `${name} failed with exit code ${exitCode ?? 'none'}${words === '' ? '' : `: ${words}`}` };
};

const runBd = async (call: Call, signal: AbortSignal): Promise<Ran> => {
  const file = await findProgram('bd', process.env['PATH'] ?? '');
  if (file === null) return { reason: 'bd is not installed' };
  try {
    return await runProgram(file, call, signal);
  } catch (cause) {
    signal.throwIfAborted();
    return { reason: cause instanceof AppError ? cause.message : String(cause) };
  }
};

/** Without `--limit 0`, `bd` would list only the first tasks. */
const READY = ['ready', '--json', '--limit', '0'];

const list = async (root: string, below: string, signal: AbortSignal): Promise<TaskListing> => {
  const args = below === '' ? READY : [...READY, '--parent', below];
  const ran = await runBd({ root, args, timeoutMs: LIST_TIMEOUT_MS }, signal);
  if ('reason' in ran) return { kind: 'unavailable', reason: ran.reason };
  const tasks = parseBeads(ran.stdout.trim());
  return tasks === null
    ? { kind: 'unavailable', reason: 'bd ready did not print a list of issues' }
    : { kind: 'listed', tasks };
};

const close = async (root: string, id: string, signal: AbortSignal): Promise<string | null> => {
  const args = ['close', '--reason', 'done and merged back by fixpoint loop', '--', id];
  const ran = await runBd({ root, args, timeoutMs: CLOSE_TIMEOUT_MS }, signal);
  return 'reason' in ran ? ran.reason : null;
};

/** Lists ready tasks, which are open and not blocked. `below`: only descendants of this bead; empty for all. */
export const sourceOfBeads = (root: string, below = ''): TaskSource => ({
  list: (signal) => list(root, below, signal),
  close: (id, signal) => close(root, id, signal),
});

/** Checks that the bead exists, because `bd ready --parent` reports an empty list for an unknown id. */
const checkKnown = async (root: string, id: string, signal: AbortSignal): Promise<void> => {
  const ran = await runBd({ root, args: ['show', '--json', '--', id], timeoutMs: LIST_TIMEOUT_MS }, signal);
  if ('reason' in ran) throw new LoopError('LOOP_TASKS', `topLevelTask ${id}: ${ran.reason}`);
};

export type BeadsWish = {
  readonly below: string;
  /** Whether to fail when `bd` cannot list tasks, instead of letting agents choose. */
  readonly isRequired: boolean;
};

/** Lists tasks once at the start. @throws LoopError when beads are required but cannot be listed, or `below` is unknown */
export const openBeads = async (
  root: string,
  { below, isRequired }: BeadsWish,
  signal: AbortSignal,
): Promise<TaskSource> => {
  const source = sourceOfBeads(root, below);
  const listing = await source.list(signal);
  if (listing.kind === 'unavailable') {
    if (isRequired) throw new LoopError('LOOP_TASKS', `no tasks from bd: ${listing.reason}`);
    return source;
  }
  if (below !== '' && listing.tasks.length === 0) await checkKnown(root, below, signal);
  return source;
};
