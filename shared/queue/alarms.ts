/** Turns failures of workers and webhooks into the events that operators are notified of. */
import { z } from 'zod';
import type { Logger } from '../logger.ts';
import type { NotifyEvent } from '../notify/event.ts';
import { isOfOnePage, type Mistake, type Outage, type OutageDecision } from '../outage/outage.ts';
import { ChangeRequest } from '../vocabulary/ids.ts';
import type { Episodes } from '../store/episodes.ts';
import type { HookReport } from '../store/sweep/sweep-hooks.ts';
import type { Raise } from './raise.ts';

/** Contract: no method rejects, because the failed work must end in any case. Errors are only logged. */
export type WorkerAlarms = {
  /** Called when a job has met an outage. `payload` is the payload of the job. */
  outage(payload: unknown, outage: Outage, decision: OutageDecision): Promise<void>;
  /** Called when a job ends because of a mistake in the configuration. */
  mistake(payload: unknown, mistake: Mistake): Promise<void>;
  /** Called when a job is about to fail for good, but not because of an outage or a mistake. */
  failed(failure: {
    readonly queue: string;
    readonly jobId: string;
    readonly code: string;
    readonly payload: unknown;
  }): Promise<void>;
};

/** Minimum time that one job must have waited. Shorter outages are not reported. */
const LASTING_MS = 60_000;
/** An outage that returns within this time counts as the same outage. */
const OUTAGE_QUIET_S = 3_600;
/** A mistake that is met again counts as the same mistake for as long as the store keeps it. */
const MISTAKE_QUIET_S = 24 * 3_600;
/** Much longer than the interval between sweeps, which may be a day. */
const HOOK_QUIET_S = 7 * 24 * 3_600;

export type AlarmDeps = {
  readonly raise: Raise;
  readonly episodes: Episodes;
  readonly nowMs: () => number;
};

export const createWorkerAlarms = (deps: AlarmDeps & { readonly log: Logger }): WorkerAlarms => {
  const { raise, nowMs } = deps;
  const orLog = async (work: Promise<void>): Promise<void> =>
    work.catch((err: unknown) => deps.log.error({ err }, 'an event for the operator could not be stored'));
  return {
    outage: async (payload, outage, decision) => {
      if (isOfOnePage(outage) || !isLasting(decision, nowMs())) return;
      await orLog(raiseOutage(deps, { ...outage, forge: forgeOf(payload, outage), needsOperator: false }));
    },
    mistake: async (payload, mistake) =>
      orLog(raiseOutage(deps, { ...mistake, forge: forgeOf(payload, mistake), needsOperator: true })),
    failed: async ({ queue, jobId, code, payload }) => {
      const changeRequest = changeRequestIn(payload);
      const job = { queue, jobId: jobId.slice(0, 300), code: code.slice(0, 120), changeRequest };
      await orLog(raise({ kind: 'job_failed', atMs: nowMs(), ...job }));
    },
  };
};

/**
 * Returns true for a job that has waited at least `LASTING_MS`, or that stopped waiting earlier because its patience (a
 * setting) is shorter.
 */
const isLasting = (decision: OutageDecision, nowMs: number): boolean =>
  decision.kind === 'over' || nowMs - (decision.waited.sinceMs ?? nowMs) >= LASTING_MS;

type Lasting = Pick<NotifyEvent & { kind: 'outage' }, 'what' | 'code' | 'forge' | 'needsOperator'>;

const raiseOutage = async ({ raise, episodes, nowMs }: AlarmDeps, lasting: Lasting): Promise<void> => {
  const { what, forge, needsOperator } = lasting;
  const atMs = nowMs();
  const code = lasting.code.slice(0, 120);
  const name = `${what}.${forge ?? '-'}.${needsOperator ? code : '-'}`;
  const sinceMs = await episodes.meet(name, atMs, needsOperator ? MISTAKE_QUIET_S : OUTAGE_QUIET_S);
  await raise({ kind: 'outage', atMs, what, code, forge, needsOperator, sinceMs });
};

const OfChangeRequest = z.object({ changeRequest: ChangeRequest });

const changeRequestIn = (payload: unknown): ChangeRequest | null =>
  OfChangeRequest.safeParse(payload).data?.changeRequest ?? null;

/** Returns null for the model, the disk and Redis, which belong to the whole installation. */
const forgeOf = (payload: unknown, { what }: Pick<Outage, 'what'>): string | null =>
  what === 'forge' || what === 'git' ? (changeRequestIn(payload)?.forge ?? null) : null;

/** Called after each webhook check. Contract: rejects when the event could not be stored. The next check then raises it again. */
export type HookAlarm = (forge: string, report: HookReport) => Promise<void>;

export const createHookAlarm =
  ({ raise, episodes, nowMs }: AlarmDeps): HookAlarm =>
  async (forge, { projectId, health }) => {
    const name = `hook.${forge}.${projectId}`;
    if (health === 'working') await episodes.end(name);
    if (health === 'working' || health === 'hidden') return;
    const sinceMs = await episodes.meet(name, nowMs(), HOOK_QUIET_S);
    await raise({ kind: 'webhook_dead', atMs: nowMs(), project: { forge, projectId }, health, sinceMs });
  };
