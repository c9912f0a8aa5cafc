import { randomBytes } from 'node:crypto';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { Environment } from '../../../shared/config/secrets.ts';
import { timeLimit } from '../../../shared/time-limit.ts';
import { escapeForTerminalLine } from '../../../shared/text/visible.ts';
import { openBeads } from '../../slots/task/beads.ts';
import { createLiveRunStateStore } from '../../slots/live-state.ts';
import { findLeftOvers } from '../../slots/worktree/left-over.ts';
import { loadSettings } from '../../slots/settings/load-settings.ts';
import { initPrompts, resolvePrompts } from '../../slots/task/prompts.ts';
import { openRepository, type Repository } from '../../slots/worktree/repository.ts';
import { type LoopResult, runLoop, type SlotReport } from '../../slots/run-loop.ts';
import type { LoopSettings } from '../../slots/settings/settings.ts';
import { sourceOfFile, sourceOfText, type TaskSource } from '../../slots/task/task-source.ts';
import { openView } from '../../slots/views/open.ts';
import { hasColours } from '../terminal/paint.ts';
import { UsageError } from '../terminal/usage-error.ts';

export type LoopOptions = {
  readonly task?: string;
  readonly tasks?: string;
  readonly repo: string;
  readonly initPrompts?: boolean;
  readonly forceInitPrompts?: boolean;
  /** All other flags are settings, by their names in `loop.toml`. */
  readonly [setting: string]: unknown;
};

/** Signals have the exit code 128 + the signal's number, as in shells. */
export const LOOP_EXIT_CODES = {
  done: 0,
  failed: 1,
  usage: 2,
  unchanged: 3,
  SIGHUP: 129,
  SIGINT: 130,
  SIGTERM: 143,
} as const;

/** Flags that select tasks of `bd`. With another task source they are an error. */
const OF_BEADS = [
  ['taskSource', '--task-source'],
  ['taskMode', '--task-mode'],
  ['topLevelTask', '--top-level-task'],
] as const;

const checkSource = (options: LoopOptions): void => {
  const { task, tasks } = options;
  if (task !== undefined && tasks !== undefined) throw new UsageError('--task, --tasks: give only one');
  if (task !== undefined && task.trim() === '') throw new UsageError('--task: is empty');
  if (task === undefined && tasks === undefined) return;
  for (const [key, flag] of OF_BEADS) {
    if (options[key] !== undefined) throw new UsageError(`${flag} applies only to bd tasks; remove --task and --tasks`);
  }
};

type Place = { readonly root: string; readonly settings: LoopSettings };

const sourceOf = async ({ task, tasks }: LoopOptions, place: Place, signal: AbortSignal): Promise<TaskSource> => {
  const { root, settings } = place;
  if (task !== undefined) return sourceOfText(task);
  if (tasks !== undefined) return sourceOfFile(tasks);
  return openBeads(root, { below: settings.topLevelTask, isRequired: settings.taskSource === 'bd' }, signal);
};

const reportLine = ({ task, status, reason, fixAttempts }: SlotReport): string => {
  const fixes = fixAttempts === 0 ? '' : `, ${fixAttempts} ${fixAttempts === 1 ? 'fix' : 'fixes'}`;
  const ended = status === 'unchanged' ? 'no changes' : status;
  return escapeForTerminalLine(`${task ?? 'no task'}: ${ended}${fixes}${reason === null ? '' : `: ${reason}`}`);
};

/** Equal lines become one, because agents that choose no task would print one for each iteration. */
export const reportLines = (slots: readonly SlotReport[]): readonly string[] => {
  const counts = new Map<string, number>();
  for (const line of slots.map(reportLine)) counts.set(line, (counts.get(line) ?? 0) + 1);
  return [...counts].map(([line, count]) => (count === 1 ? line : `${line} (${count} times)`));
};

const ENDED: Readonly<Record<LoopResult['ended'], string>> = {
  no_tasks: 'no task is left',
  stop_marker: 'an agent reported that no task is left',
  iterations: 'all iterations are used up',
  failed: 'an iteration failed',
};

/** SIGHUP is included, so that agents do not keep running after the terminal is closed. */
const SIGNALS = ['SIGHUP', 'SIGINT', 'SIGTERM'] as const;
type SignalName = (typeof SIGNALS)[number];

type Stop = {
  readonly signal: AbortSignal;
  readonly name: () => SignalName | null;
  readonly forget: () => void;
};

/** The first signal stops the agents. A second signal has its default effect. */
const listenForSignals = (): Stop => {
  const abort = new AbortController();
  let name: SignalName | null = null;
  const onSignal = (signal: SignalName): void => {
    name ??= signal;
    abort.abort(new DOMException(`stopped by ${signal}`, 'AbortError'));
  };
  for (const one of SIGNALS) process.once(one, onSignal);
  const forget = (): void => {
    for (const one of SIGNALS) process.off(one, onSignal);
  };
  return { signal: abort.signal, name: () => name, forget };
};

const settingsOf = (root: string, options: LoopOptions): LoopSettings => {
  const { task: _task, tasks: _tasks, repo: _repo, initPrompts: _init, forceInitPrompts: _force, ...flags } = options;
  const configHome = process.env['XDG_CONFIG_HOME'] || join(homedir(), '.config');
  return loadSettings({ flags, project: root, configHome });
};

/** What the environment says about the terminal: see `hasColours`. A view that is named is used on every terminal. */
export const lookOf = (
  { view, theme }: Pick<LoopSettings, 'view' | 'theme'>,
  stream: { readonly isTTY?: boolean },
  env: Environment,
): Pick<LoopSettings, 'view' | 'theme'> => ({
  view: view === 'auto' && env['TERM'] === 'dumb' ? 'lines' : view,
  theme: hasColours(stream, env) ? theme : 'mono',
});

type Run = { readonly repository: Repository; readonly id: string };

const work = async ({ repository, id: runId }: Run, options: LoopOptions, signal: AbortSignal): Promise<LoopResult> => {
  const settings = settingsOf(repository.root, options);
  const source = await sourceOf(options, { root: repository.root, settings }, signal);
  const prompts = await resolvePrompts(repository.root, settings);
  const live = createLiveRunStateStore(settings.iterations);
  const { preview, showRaw } = settings;
  const { view: kind, theme } = lookOf(settings, process.stdout, process.env);
  const view = await openView(kind, { store: live, stream: process.stdout, preview, theme, showRaw });
  try {
    return await runLoop({ repository, settings, prompts, live, source, runId, env: process.env }, signal);
  } finally {
    await view.close();
  }
};

const LOOK_MS = 60_000;

const tellLeftOvers = async ({ repository, id }: Run): Promise<void> => {
  for (const { path, branch, removeWith } of await findLeftOvers(repository, id, timeLimit(LOOK_MS))) {
    const what = [...(path === null ? [] : [path]), ...(branch === null ? [] : [`branch ${branch}`])].join(', ');
    process.stdout.write(`${escapeForTerminalLine(`left over: ${what}; remove it with: ${removeWith}`)}\n`);
  }
};

const exitCodeOf = ({ ended, slots }: LoopResult): number => {
  if (ended === 'failed') return LOOP_EXIT_CODES.failed;
  const isUnchanged = slots.some(({ task, status }) => task !== null && status === 'unchanged');
  return isUnchanged ? LOOP_EXIT_CODES.unchanged : LOOP_EXIT_CODES.done;
};

const workAndTell = async (options: LoopOptions, signal: AbortSignal): Promise<number> => {
  checkSource(options);
  const run = { repository: await openRepository(options.repo, signal), id: randomBytes(4).toString('hex') };
  try {
    const result = await work(run, options, signal);
    for (const line of reportLines(result.slots)) process.stdout.write(`${line}\n`);
    process.stdout.write(`${ENDED[result.ended]}\n`);
    return exitCodeOf(result);
  } finally {
    await tellLeftOvers(run);
  }
};

const layDownPrompts = async ({ repo, forceInitPrompts }: LoopOptions, signal: AbortSignal): Promise<number> => {
  const { root } = await openRepository(repo, signal);
  const prompts = await initPrompts(root, forceInitPrompts === true);
  for (const { path, what } of prompts) process.stdout.write(`${path}: ${what}\n`);
  return LOOP_EXIT_CODES.done;
};

/** @throws AppError for errors before the first agent starts */
export const loop = async (options: LoopOptions): Promise<number> => {
  const stop = listenForSignals();
  try {
    if (options.initPrompts === true || options.forceInitPrompts === true) {
      return await layDownPrompts(options, stop.signal);
    }
    return await workAndTell(options, stop.signal);
  } catch (error) {
    const name = stop.name();
    if (name === null) throw error;
    process.stderr.write(`fixpoint: stopped by ${name}\n`);
    return LOOP_EXIT_CODES[name];
  } finally {
    stop.forget();
  }
};
