/**
 * Any program of the operator's as the author. It gets the findings as JSON on standard input, works in a checkout of
 * its own, and its changes are read back from there. No secret is in its environment; when it has ended, and at the
 * latest when its time is over, everything that it started is dead.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type CommandResult, type CommandSpec, runCommand } from '../../../shared/workspace/command.ts';
import { DEFAULT_CHECKOUT_CAPS } from '../../../shared/workspace/checkout.ts';
import type { FixAgent, FixOutcome, FixTask } from '../agent.ts';
import { changesSince, makeWritable, type Snapshot, type SnapshotLimits, takeSnapshot } from '../snapshot.ts';
import { readCommandAnswer } from './command-answer.ts';

export type CommandAgentSettings = {
  /** Absolute path and arguments. */
  readonly command: readonly [string, ...string[]];
  /** `PATH` of the command. */
  readonly path: string;
  /** Below it the command gets a home that is gone afterwards. */
  readonly scratchFolder: string;
  /** Contract: as `runCommand`, which it is unless something is to be put around the program. */
  readonly run?: (spec: CommandSpec, signal: AbortSignal) => Promise<CommandResult>;
};

const LIMITS: SnapshotLimits = {
  maxFiles: DEFAULT_CHECKOUT_CAPS.maxFiles * 2,
  maxFileBytes: DEFAULT_CHECKOUT_CAPS.maxFileBytes,
};

const MAX_STDOUT_BYTES = 1024 * 1024;

const failed = (code: string): FixOutcome => ({ kind: 'failed', code });

export const createCommandAgent = (settings: CommandAgentSettings): FixAgent => ({
  name: 'command',
  work: async (task, signal) => {
    const taken = await takeSnapshot(task.root, LIMITS, signal);
    if (taken.kind === 'too_many') return failed('AUTHOR_TREE_TOO_LARGE');
    await makeWritable(task.root, taken.snapshot);
    const result = await runIn(settings, task, signal);
    if (result.timedOut) return failed('AUTHOR_TIMED_OUT');
    if (result.exitCode !== 0) return failed('AUTHOR_COMMAND_FAILED');
    return readBack(task, { before: taken.snapshot, stdout: result.stdout.toString('utf8') }, signal);
  },
});

const runIn = async (settings: CommandAgentSettings, task: FixTask, signal: AbortSignal): Promise<CommandResult> => {
  const home = await mkdtemp(join(settings.scratchFolder, 'home-'));
  try {
    const [file, ...args] = settings.command;
    const spec: CommandSpec = {
      file,
      args,
      env: { PATH: settings.path, HOME: home, TMPDIR: home, LANG: 'C.UTF-8' },
      cwd: task.root,
      input: Buffer.from(`${JSON.stringify(inputOf(task))}\n`),
      timeoutMs: task.limits.maxRuntimeMs,
      maxStdoutBytes: MAX_STDOUT_BYTES,
    };
    return await (settings.run ?? runCommand)(spec, signal);
  } finally {
    await rm(home, { recursive: true, force: true });
  }
};

/** The program's contract: fields are added, never changed. */
const inputOf = ({ changeRequest, round, findings, paths }: FixTask) => ({
  version: 1,
  change_request: { forge: changeRequest.forge, project_id: changeRequest.projectId, number: changeRequest.number },
  round,
  paths,
  findings: findings.map(({ id, severity, title, text, rule, place }) => ({
    id,
    severity,
    title,
    text,
    rule,
    path: place.path,
    side: place.side,
    start_line: place.startLine,
    line: place.line,
  })),
});

const readBack = async (
  { root, findings }: FixTask,
  { before, stdout }: { readonly before: Snapshot; readonly stdout: string },
  signal: AbortSignal,
): Promise<FixOutcome> => {
  const answer = readCommandAnswer(stdout, findings);
  if (answer === null) return failed('AUTHOR_BAD_ANSWER');
  const now = await takeSnapshot(root, LIMITS, signal);
  if (now.kind === 'too_many') return failed('AUTHOR_TREE_TOO_LARGE');
  const changes = await changesSince(root, { before, after: now.snapshot }, LIMITS);
  return { kind: 'done', work: { ...answer, changes } };
};
