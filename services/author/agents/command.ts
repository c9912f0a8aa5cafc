/**
 * Runs the operator's own program as the author, in its own checkout. Its environment has no secrets. When it ends or
 * times out, all its child processes are killed.
 */
import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { NOTHING_SPENT } from '../../../shared/vocabulary/spent.ts';
import { type CommandResult, type CommandSpec, runCommand } from '../../../shared/workspace/process/command.ts';
import { removeFolder } from '../../../shared/workspace/process/remove-folder.ts';
import type { FixAgent, FixOutcome, FixTask } from '../change/agent.ts';
import {
  changesSince,
  makeWritable,
  type TreeSnapshot,
  SNAPSHOT_LIMITS,
  takeTreeSnapshot,
} from '../change/snapshot.ts';
import type { CommandProtocol, Told } from './command-protocol.ts';

export type CommandAgentSettings = {
  readonly command: readonly [string, ...string[]];
  readonly path: string;
  /** The command gets a temporary home folder below this one. */
  readonly scratchFolder: string;
  readonly speech: CommandProtocol;
  /** Contract: the same as `runCommand`, which is the default. Replace it to wrap the program, for example in a cage. */
  readonly run?: (spec: CommandSpec, signal: AbortSignal) => Promise<CommandResult>;
};

const MAX_STDOUT_BYTES = 1024 * 1024;

/** Fixpoint cannot know what the operator's program spends. */
const failed = (code: string): FixOutcome => ({ kind: 'failed', code, spent: NOTHING_SPENT });

export const createCommandAgent = (settings: CommandAgentSettings): FixAgent => ({
  name: settings.speech.name,
  work: async (task, signal) => {
    const taken = await takeTreeSnapshot(task.root, SNAPSHOT_LIMITS, signal);
    if (taken.kind === 'too_many') return failed('AUTHOR_TREE_TOO_LARGE');
    await makeWritable(task.root, taken.snapshot);
    const result = await runTold(settings, task, signal);
    if (result.timedOut) return failed('AUTHOR_TIMED_OUT');
    if (result.exitCode !== 0) return failed('AUTHOR_COMMAND_FAILED');
    const answer = settings.speech.read(result.stdout.toString('utf8'), task);
    return answer === null ? failed('AUTHOR_BAD_ANSWER') : readBack(task, { before: taken.snapshot, answer }, signal);
  },
});

/** The run id makes the folder's name different from every folder of the tree. The folder is removed before the changes are read. */
const runTold = async (settings: CommandAgentSettings, task: FixTask, signal: AbortSignal): Promise<CommandResult> => {
  const name = `.fixpoint-${task.runId}`;
  const told = settings.speech.tell(task, name);
  const folder = join(task.root, name);
  await layDown(folder, told.files);
  try {
    return await runIn(settings, { task, told }, signal);
  } finally {
    await removeFolder(folder);
  }
};

const layDown = async (folder: string, files: Told['files']): Promise<void> => {
  const entries = Object.entries(files);
  if (entries.length === 0) return;
  await mkdir(folder);
  for (const [file, text] of entries) await writeFile(join(folder, file), text, { flag: 'wx' });
};

const runIn = async (
  settings: CommandAgentSettings,
  { task, told }: { readonly task: FixTask; readonly told: Told },
  signal: AbortSignal,
): Promise<CommandResult> => {
  const home = await mkdtemp(join(settings.scratchFolder, 'home-'));
  try {
    const [file, ...args] = settings.command;
    const spec: CommandSpec = {
      file,
      args,
      env: { PATH: settings.path, HOME: home, TMPDIR: home, LANG: 'C.UTF-8' },
      cwd: task.root,
      input: Buffer.from(told.input),
      timeoutMs: task.limits.maxRuntimeMs,
      maxStdoutBytes: MAX_STDOUT_BYTES,
    };
    return await (settings.run ?? runCommand)(spec, signal);
  } finally {
    await removeFolder(home);
  }
};

type Answered = { readonly before: TreeSnapshot; readonly answer: NonNullable<ReturnType<CommandProtocol['read']>> };

const readBack = async ({ root }: FixTask, { before, answer }: Answered, signal: AbortSignal): Promise<FixOutcome> => {
  const now = await takeTreeSnapshot(root, SNAPSHOT_LIMITS, signal);
  if (now.kind === 'too_many') return failed('AUTHOR_TREE_TOO_LARGE');
  const changes = await changesSince(root, { before, after: now.snapshot }, SNAPSHOT_LIMITS);
  return { kind: 'done', work: { ...answer, changes, spent: NOTHING_SPENT } };
};
