/**
 * The sweep replaces lost webhooks. It visits the projects of every forge, wakes guard for open change requests that
 * changed or have no verdict, ends overdue runs, repairs the slots, and checks the webhooks. It makes one second's worth
 * of requests, then frees its worker slot and continues later, so that it does not delay events. Its progress is in
 * Redis, so any guard can continue it.
 */
import { AppError } from '../../../shared/errors.ts';
import { hasForgeCode } from '../../../shared/forge/errors.ts';
import type { HandlerResult, JobContext } from '../../../shared/queue/worker.ts';
import type { PendingProject, SweepProgress } from '../../../shared/store/sweep/sweep-progress.ts';
import { collectProjects } from './sweep-collect.ts';
import type { SweepDeps, SweepForge } from './sweep-deps.ts';
import { showHookHealth } from './sweep-hooks.ts';
import { createSweepMeter, type SweepMeter } from './sweep-meter.ts';
import { planPass } from './sweep-plan.ts';
import { visitProject } from './sweep-project.ts';

export type SweepContext = Pick<JobContext, 'signal' | 'log'> & { readonly jobId: string };
export type Sweep = (context: SweepContext) => Promise<HandlerResult>;

/** Time limit of one slice, for forges that answer slowly. */
const SLICE_MS = 15_000;

/** A sweep job that has not returned after this time counts as lost. */
const GRACE_MS = 30_000;

/** Another process is sweeping the forge, or has just died while sweeping it. */
const CONTENTION_DELAY_MS = 500;

/** After this many failures in a row, the forge counts as unavailable. */
const MAX_FAILURES = 3;

export const createSweep = (deps: SweepDeps): Sweep => {
  const hidden = new Set<string>();
  const firstHidden = (forge: string) => (): boolean => !hidden.has(forge) && hidden.add(forge).has(forge);
  return async (context) => {
    const delays: number[] = [];
    for (const forge of deps.forges) {
      const delayMs = await sweepSlice({ deps, forge, firstHidden: firstHidden(forge.id), ...context });
      if (delayMs !== null) delays.push(delayMs);
    }
    await showHookHealth(deps);
    return delays.length === 0 ? { kind: 'done' } : { kind: 'defer', delayMs: Math.min(...delays) };
  };
};

type Slice = SweepContext & {
  readonly deps: SweepDeps;
  readonly forge: SweepForge;
  readonly firstHidden: () => boolean;
};

/** Returns the delay until the next slice, or null if this job has nothing left to do. */
const sweepSlice = async (slice: Slice): Promise<number | null> => {
  const { deps, forge, jobId } = slice;
  const held = await deps.underSweepLease(forge.id, slice.signal, async (signal) => goOn({ ...slice, signal }));
  if (held !== null) return held.result;
  const progress = await deps.progress.load(forge.id);
  return progress?.jobId === jobId ? CONTENTION_DELAY_MS : null;
};

const goOn = async (slice: Slice): Promise<number | null> => {
  const { deps, forge, jobId } = slice;
  const startedAtMs = deps.nowMs();
  const known = await deps.progress.load(forge.id);
  const isOurs = known?.jobId === jobId;
  if (known !== null && !isOurs && startedAtMs < known.aliveUntilMs) return null;
  if (known !== null && isOurs && startedAtMs < known.resumeAtMs) return known.resumeAtMs - startedAtMs;
  const meter = createSweepMeter(deps.requestsPerSecond);
  const pass: SweepProgress = {
    v: 1,
    jobId,
    startedAtMs: isOurs ? known.startedAtMs : startedAtMs,
    resumeAtMs: startedAtMs,
    aliveUntilMs: startedAtMs + SLICE_MS + GRACE_MS,
  };
  if (!isOurs) await beginPass(slice, meter);
  await deps.progress.save(forge.id, pass);
  const end = await visitPending(slice, meter, pass.startedAtMs);
  if (end.kind === 'over') {
    await deps.progress.clear(forge.id);
    return null;
  }
  const restMs = Math.max(end.waitMs, meter.restMs(deps.nowMs() - startedAtMs));
  const resumeAtMs = deps.nowMs() + restMs;
  await deps.progress.save(forge.id, { ...pass, resumeAtMs, aliveUntilMs: resumeAtMs + GRACE_MS });
  return restMs;
};

const beginPass = async ({ deps, forge, signal, log }: Slice, meter: SweepMeter): Promise<void> => {
  const leftovers = await deps.progress.pending(forge.id);
  const found = await collectProjects(deps, forge, { meter, signal, log });
  await deps.progress.replacePending(forge.id, planPass(forge.scope, leftovers, found));
};

type End = { readonly kind: 'over' } | { readonly kind: 'rest'; readonly waitMs: number };

const REST: End = { kind: 'rest', waitMs: 0 };

const visitPending = async (slice: Slice, meter: SweepMeter, passStartedAtMs: number): Promise<End> => {
  const { deps, forge } = slice;
  const untilMs = deps.nowMs() + SLICE_MS;
  let failures = 0;
  for (;;) {
    const next = await deps.progress.nextPending(forge.id);
    if (next === null) return { kind: 'over' };
    if (meter.isUsedUp() || deps.nowMs() >= untilMs) return REST;
    const outcome = await visitOne(slice, next, { meter, passStartedAtMs });
    if (outcome.kind === 'limited') return { kind: 'rest', waitMs: outcome.waitMs };
    if (outcome.kind === 'unfinished') return REST;
    await deps.progress.dropNext(forge.id);
    failures = outcome.kind === 'failed' ? failures + 1 : 0;
    // The next pass begins with the remaining projects.
    if (failures >= MAX_FAILURES) return { kind: 'over' };
  }
};

type Outcome =
  | { readonly kind: 'done' | 'unfinished' | 'failed' }
  /** The forge limits the request rate and asked for a pause. */
  | { readonly kind: 'limited'; readonly waitMs: number };

type Turn = { readonly meter: SweepMeter; readonly passStartedAtMs: number };

/** A project that cannot be read is logged, and the sweep continues. The next pass tries it again. */
const visitOne = async (slice: Slice, pending: PendingProject, turn: Turn): Promise<Outcome> => {
  const { deps, forge, signal, log } = slice;
  try {
    const { firstHidden } = slice;
    return { kind: await visitProject(deps, forge, pending, { ...turn, signal, log, firstHidden }) };
  } catch (error) {
    signal.throwIfAborted();
    const wait = error instanceof AppError && error.disposition.kind === 'retry_after' ? error.disposition : null;
    log.warn({ err: error, forge: forge.id, path: pending.path }, 'a project could not be swept');
    if (wait !== null) return { kind: 'limited', waitMs: wait.delayMs };
    if (hasForgeCode(error, 'FORGE_NOT_FOUND')) await deps.known.forget(forge.id, pending.path);
    // A refusal affects only one project; any other error may affect the whole forge.
    const isRefusal = error instanceof AppError && error.disposition.kind === 'fail';
    return { kind: isRefusal ? 'done' : 'failed' };
  }
};
