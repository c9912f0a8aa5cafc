/** `fixpoint loop`: from the command line to an exit code. */
import { randomBytes } from 'node:crypto';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { escapeForTerminalLine } from '../../shared/text/visible.ts';
import { createLiveRunStateStore } from '../slots/live-state.ts';
import { loadSettings } from '../slots/load-settings.ts';
import { resolvePrompts } from '../slots/prompts.ts';
import { openRepository } from '../slots/repository.ts';
import { type LoopResult, runLoop, type SlotReport } from '../slots/run-loop.ts';
import type { LoopSettings } from '../slots/settings.ts';
import { sourceOfBeads, sourceOfFile, sourceOfText, type TaskSource } from '../slots/task-source.ts';
import { openView } from '../slots/views/open.ts';
import { UsageError } from './usage-error.ts';

export type LoopOptions = {
  readonly task?: string;
  readonly tasks?: string;
  readonly repo: string;
  /** The rest are settings, by their names in `loop.toml`. */
  readonly [setting: string]: unknown;
};

/** 2 is bad usage, as everywhere; 128 + number of the signal, as shells have it. */
export const LOOP_EXIT_CODES = { done: 0, failed: 1, usage: 2, SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const;

const sourceOf = (root: string, { task, tasks }: LoopOptions): Promise<TaskSource> => {
  if (task !== undefined && tasks !== undefined) throw new UsageError('--task and --tasks: give one of them');
  if (task !== undefined && task.trim() === '') throw new UsageError('--task: is empty');
  if (task !== undefined) return Promise.resolve(sourceOfText(task));
  return tasks === undefined ? Promise.resolve(sourceOfBeads(root)) : sourceOfFile(tasks);
};

const reportLine = ({ task, status, reason, fixAttempts }: SlotReport): string => {
  const fixes = fixAttempts === 0 ? '' : `, ${fixAttempts} ${fixAttempts === 1 ? 'fix' : 'fixes'}`;
  return escapeForTerminalLine(`${task ?? 'no task'}: ${status}${fixes}${reason === null ? '' : `: ${reason}`}`);
};

const ENDED: Readonly<Record<LoopResult['ended'], string>> = {
  no_tasks: 'there is nothing left to do',
  stop_marker: 'an agent said that there is nothing left to do',
  iterations: 'all iterations are used up',
  failed: 'an iteration failed',
};

/** A terminal that is closed ends the loop as well: its agents would work on unseen. */
const SIGNALS = ['SIGHUP', 'SIGINT', 'SIGTERM'] as const;
type SignalName = (typeof SIGNALS)[number];

type Stop = {
  readonly signal: AbortSignal;
  readonly name: () => SignalName | null;
  readonly forget: () => void;
};

/** The first signal ends the agents; the second one is the shell's own affair. */
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

type Run = { readonly settings: LoopSettings; readonly source: TaskSource };

const prepare = async (root: string, options: LoopOptions): Promise<Run> => {
  const { task: _task, tasks: _tasks, repo: _repo, ...flags } = options;
  const configHome = process.env['XDG_CONFIG_HOME'] || join(homedir(), '.config');
  return { settings: loadSettings({ flags, project: root, configHome }), source: await sourceOf(root, options) };
};

const work = async (options: LoopOptions, signal: AbortSignal): Promise<LoopResult> => {
  const repository = await openRepository(options.repo, signal);
  const { settings, source } = await prepare(repository.root, options);
  const prompts = await resolvePrompts(repository.root, settings);
  const live = createLiveRunStateStore(settings.iterations);
  const view = await openView(settings.view, { store: live, stream: process.stdout, preview: settings.preview });
  const runId = randomBytes(4).toString('hex');
  try {
    return await runLoop({ repository, settings, prompts, live, source, runId, env: process.env }, signal);
  } finally {
    await view.close();
  }
};

/** @throws AppError for what is wrong before the first agent starts */
export const loop = async (options: LoopOptions): Promise<number> => {
  const stop = listenForSignals();
  try {
    const result = await work(options, stop.signal);
    for (const slot of result.slots) process.stdout.write(`${reportLine(slot)}\n`);
    process.stdout.write(`${ENDED[result.ended]}\n`);
    return result.ended === 'failed' ? LOOP_EXIT_CODES.failed : LOOP_EXIT_CODES.done;
  } catch (error) {
    const name = stop.name();
    if (name === null) throw error;
    process.stderr.write(`fixpoint: stopped by ${name}; work trees are kept below .fixpoint/loop/trees\n`);
    return LOOP_EXIT_CODES[name];
  } finally {
    stop.forget();
  }
};
