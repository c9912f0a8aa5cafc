/** Runs iterations of up to `parallel` slots until no task is left, a slot fails, or `iterations` is reached. */
import { mkdir } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '../../shared/errors.ts';
import { mergeResult } from './worktree/merge-result.ts';
import { findHome, type Home } from './worktree/home.ts';
import type { LiveRunStateStore } from './live-state.ts';
import { runSlot, type SlotDeps, type SlotEnded } from './run-slot.ts';
import type { FailureCode } from './slot-machine.ts';
import type { Task } from './task/task.ts';
import type { TaskSource } from './task/task-source.ts';
import { unlistedNotice } from './task/task-words.ts';
import { addSlotTree, loopFolder, type SlotTree } from './worktree/worktree.ts';

export type LoopDeps = Omit<SlotDeps, 'logFolder'> & {
  readonly source: TaskSource;
  /** Part of the names of branches and folders. It is unique per run. */
  readonly runId: string;
};

export type SlotReport = {
  readonly slot: number;
  readonly iteration: number;
  readonly task: string | null;
  /**
   * `unchanged`: all agents finished, but no file differs. Such a slot has not passed, whatever the reviewer's verdict
   * is.
   */
  readonly status: 'passed' | 'unreviewed' | 'unchanged' | 'failed';
  readonly failure: FailureCode | 'not_brought_back' | 'slot_error' | null;
  /** Why the slot failed, or a note about a slot that did not fail. Null when there is neither. */
  readonly reason: string | null;
  readonly fixAttempts: number;
};

export type LoopResult = {
  readonly ended: 'no_tasks' | 'stop_marker' | 'iterations' | 'failed';
  readonly iterations: number;
  readonly slots: readonly SlotReport[];
};

type Run = LoopDeps & {
  readonly signal: AbortSignal;
  readonly logs: string;
  /** Ids of tasks already assigned in this run. The source may still list these tasks. */
  readonly given: Set<string>;
  /** Tasks to try again after the wait that a provider asked for. */
  readonly again: Task[];
  readonly home: Home;
  /** Last entry of the queue of git work on the repository. Only one piece of this work runs at a time. */
  returning: Promise<unknown>;
};

type Placed = {
  readonly report: SlotReport;
  readonly task: Task | null;
  readonly stop: boolean;
  readonly retryAfterS: number | null;
};

const inTurn = async <T>(run: Run, work: () => Promise<T>): Promise<T> => {
  const before = run.returning;
  const mine = (async () => {
    await before.catch(() => {});
    return work();
  })();
  run.returning = mine;
  return mine;
};

type Place = { readonly slot: number; readonly iteration: number; readonly task: Task | null };

const closeTask = async ({ source, signal }: Run, task: Task | null): Promise<string | null> => {
  const why = task === null ? null : ((await source.close?.(task.id, signal)) ?? null);
  return why === null ? null : `the work was applied, but the task is still open: ${why}`;
};

const takeBack = async (
  run: Run,
  tree: SlotTree,
  { outcome, task }: SlotEnded,
): Promise<Omit<SlotReport, 'slot' | 'iteration'>> => {
  const { kind: status, failure, reason, fixAttempts } = outcome;
  const told = { task: task?.id ?? null, fixAttempts };
  if (status === 'failed')
    return { ...told, status, failure, reason: `${reason ?? ''}; the work is kept in ${tree.path}` };
  const back = await inTurn(run, () => mergeResult(run.repository, { tree, task }, run.signal));
  if (back.kind === 'done') {
    const open = back.changed ? await closeTask(run, task) : null;
    const notes = [...(open === null ? [] : [open]), ...back.notes];
    const reason = notes.length === 0 ? null : notes.join('; ');
    return { ...told, status: back.changed ? status : 'unchanged', failure: null, reason };
  }
  return { ...told, status: 'failed', failure: 'not_brought_back', reason: back.reason };
};

const work = async (run: Run, { slot, iteration, task }: Place, tree: SlotTree): Promise<Placed> => {
  const logFolder = join(run.logs, basename(tree.path));
  await mkdir(logFolder, { recursive: true, mode: 0o700 });
  const ended = await runSlot({ ...run, logFolder }, { slot, task, tree }, run.signal);
  const report = { slot, iteration, ...(await takeBack(run, tree, ended)) };
  return { report, task: ended.task, stop: ended.outcome.stop, retryAfterS: ended.retryAfterS };
};

/** The result of an unexpected error that no agent caused: a bug, a full disk, an unusable repository. */
const broken = ({ slot, iteration, task }: Place, cause: unknown, tree: SlotTree | null): Placed => {
  const words = cause instanceof AppError ? cause.message : String(cause);
  const reason = tree === null ? words : `${words}; the work is kept in ${tree.path}`;
  const report = { slot, iteration, task: task?.id ?? null, fixAttempts: 0, reason };
  return { task, stop: false, retryAfterS: null, report: { ...report, status: 'failed', failure: 'slot_error' } };
};

const attempt = async (run: Run, where: Place): Promise<Placed> => {
  const name = `${run.runId}-${where.iteration}-${where.slot}`;
  let tree: SlotTree | null = null;
  try {
    tree = await inTurn(run, () => addSlotTree(run.repository, { name, home: run.home }, run.signal));
    return await work(run, where, tree);
  } catch (cause) {
    if (run.signal.aborted) throw cause;
    return broken(where, cause, tree);
  }
};

/** Never throws except after an abort, so that the failure of one slot does not stop the others. */
const place = async (run: Run, where: Place): Promise<Placed> => {
  const { slot, task } = where;
  run.live.startAgent(slot, { id: task?.id ?? null, title: task?.title ?? 'chooses a task' });
  const placed = await attempt(run, where);
  run.live.endAgent(slot, placed.report.status, placed.report.reason);
  return placed;
};

type Next = { readonly tasks: readonly (Task | null)[]; readonly remaining: number | null };

/** Tasks to try again come first. `remaining` is the number of open tasks left; null when the source has no list. */
const nextTasks = async (run: Run): Promise<Next> => {
  const { parallel } = run.settings;
  const again = run.again.splice(0);
  const listing = await run.source.list(run.signal);
  const isListed = listing.kind === 'listed';
  run.live.setNotice(isListed ? null : unlistedNotice(listing.reason, run.settings.reviewEnabled));
  const room = parallel - again.length;
  if (!isListed) return { tasks: [...again, ...Array.from({ length: room }, () => null)], remaining: null };
  const open = listing.tasks.filter(({ id }) => !run.given.has(id));
  const tasks = open.slice(0, room);
  for (const { id } of tasks) run.given.add(id);
  return { tasks: [...again, ...tasks], remaining: open.length - tasks.length };
};

/** Runs all slots of one iteration. After an abort it throws only once every slot has ended. */
const iterate = async (run: Run, iteration: number, tasks: readonly (Task | null)[]): Promise<readonly Placed[]> => {
  run.live.startIteration(iteration);
  const settled = await Promise.allSettled(
    tasks.map((task, index) => place(run, { slot: index + 1, iteration, task })),
  );
  return settled.map((one) => {
    if (one.status === 'rejected') throw one.reason;
    return one.value;
  });
};

/** Why the loop ends, or null if it continues. The stop marker is ignored while the source still lists tasks. */
const whyEnded = (placed: readonly Placed[], remaining: number | null): LoopResult['ended'] | null => {
  if (placed.some(({ report }) => report.status === 'failed')) return 'failed';
  return placed.some(({ stop }) => stop) && (remaining ?? 0) === 0 ? 'stop_marker' : null;
};

/** @throws `signal.reason` after an abort, once every agent is dead; LoopError when the repository cannot be used */
export const runLoop = async (deps: LoopDeps, signal: AbortSignal): Promise<LoopResult> => {
  const { settings, repository } = deps;
  const logs =
    settings.logDir === '' ? join(loopFolder(repository.root), 'logs') : resolve(repository.root, settings.logDir);
  const run: Run = {
    ...deps,
    signal,
    logs,
    given: new Set(),
    again: [],
    home: await findHome(repository, signal),
    returning: Promise.resolve(),
  };
  const slots: SlotReport[] = [];
  let waits = 0;
  for (let iteration = 1; iteration <= settings.iterations; iteration += 1) {
    const { tasks, remaining } = await nextTasks(run);
    // An empty list after a wait means that the failed task was not tried again.
    if (tasks.length === 0) return { ended: waits > 0 ? 'failed' : 'no_tasks', iterations: iteration - 1, slots };
    const placed = await iterate(run, iteration, tasks);
    slots.push(...placed.map(({ report }) => report));
    const mayWait = waits < MAX_WAITS && iteration < settings.iterations;
    const waitS = mayWait ? waitOf(placed) : null;
    if (waitS !== null) {
      waits += 1;
      giveBack(run, placed);
      await pause(run.live, { ms: waitS * 1000, why: 'the failed agents may retry' }, signal);
      continue;
    }
    waits = 0;
    const ended = whyEnded(placed, remaining);
    if (ended !== null) return { ended, iterations: iteration, slots };
    await pause(run.live, { ms: settings.pauseMs, why: 'the next iteration begins' }, signal);
  }
  return { ended: 'iterations', iterations: settings.iterations, slots };
};

/** Maximum number of waits in a row, and maximum length of each. */
const MAX_WAITS = 3;
const MAX_WAIT_S = 3_600;

/** Seconds to wait before the failed slots are tried again. Returns null if a wait would not help one of them. */
const waitOf = (placed: readonly Placed[]): number | null => {
  const failed = placed.filter(({ report }) => report.status === 'failed');
  const waits = failed.map(({ retryAfterS }) => retryAfterS ?? Number.POSITIVE_INFINITY);
  const longest = Math.max(0, ...waits);
  return failed.length > 0 && longest <= MAX_WAIT_S ? longest : null;
};

/** Queues the tasks of failed slots again, even when their source no longer lists them. */
const giveBack = (run: Run, placed: readonly Placed[]): void => {
  for (const { report, task } of placed) {
    if (report.status !== 'failed' || task === null) continue;
    run.given.add(task.id);
    run.again.push(task);
  }
};

type Pause = { readonly ms: number; readonly why: string };

const pause = async (live: LiveRunStateStore, { ms, why }: Pause, signal: AbortSignal): Promise<void> => {
  if (ms === 0) return;
  live.pause(`waits ${Math.ceil(ms / 1000)} s until ${why}`);
  await sleep(ms, undefined, { signal });
  live.pause(null);
};
