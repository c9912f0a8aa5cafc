/**
 * A change request on which every process of guard dies: after some deaths it is set aside, so that the others go on. Its
 * events stay in the inbox until an operator runs the failed job again.
 */
import type { ReadsChangeRequest } from '../../../shared/forge/port.ts';
import type { Alone } from '../../../shared/queue/deaths.ts';
import type { Enqueue } from '../../../shared/queue/enqueue.ts';
import type { Decisions } from '../../../shared/store/decisions.ts';
import type { GuardStates } from '../../../shared/store/guard-states.ts';
import type { PostPlan } from '../../../shared/rounds/model/posting/post-plan.ts';
import type { Policy } from '../../../shared/rounds/model/policy.ts';
import { WorkerDiedError } from '../../../shared/queue/job-errors.ts';
import type { GuardJob } from '../../../shared/queue/contracts.ts';
import type { JobContext } from '../../../shared/queue/worker.ts';
import { buildSetAsidePlan } from '../../../shared/rounds/plan/withdraw-plan.ts';
import type { Aside, Beginning, DeathWatch } from '../../../shared/queue/death-watch.ts';
import type { Lease } from '../../../shared/store/lease.ts';
import { type ChangeRequest, changeRequestKey } from '../../../shared/vocabulary/ids.ts';
import { noticeIdOf } from './notice-id.ts';

type DeadlyDeps = {
  /** If absent, deaths are not counted. */
  readonly deathWatch?: DeathWatch & { readonly alone: Alone };
  readonly decisions: Pick<Decisions, 'append'>;
  readonly enqueue: Enqueue;
  readonly nowMs: () => number;
};

type WatchDeps = Pick<DeadlyDeps, 'deathWatch'> & {
  readonly states: GuardStates;
  readonly policyOf: (projectPath: string | undefined) => Policy;
  readonly sendPlan: (plan: PostPlan) => Promise<void>;
  readonly releaseSlot: () => Promise<void>;
};

export type Watched = {
  readonly forge: { readonly read: Pick<ReadsChangeRequest, 'fetchChangeRequest'> };
  readonly of: ChangeRequest;
  readonly lease: Lease;
  readonly signal: AbortSignal;
  readonly log: JobContext['log'];
};

type Work = (signal: AbortSignal) => Promise<void>;

/**
 * Counts the work until it has ended, whether it succeeds or fails. `busy`: a process died during this work, and another
 * such change request is at work. @throws WorkerDiedError if as many processes died as are allowed.
 */
export const underDeathWatch = async (deps: WatchDeps, watched: Watched, work: Work): Promise<'done' | 'busy'> => {
  const { deathWatch } = deps;
  if (deathWatch === undefined) {
    await work(watched.signal);
    return 'done';
  }
  const beginning = await deathWatch.begin(watched.of, false);
  if (beginning.kind !== 'suspect') {
    await follow(deps, { ...watched, beginning }, work);
    return 'done';
  }
  const held = await deathWatch.alone(watched.signal, async (signal) =>
    follow(deps, { ...watched, signal, beginning: await deathWatch.begin(watched.of, true) }, work),
  );
  return held === null ? 'busy' : 'done';
};

type Begun = Watched & { readonly beginning: Beginning };

const follow = async (deps: WatchDeps, { beginning, ...watched }: Begun, work: Work): Promise<void> => {
  if (beginning.kind === 'silent') return;
  if (beginning.kind === 'deadly') throw new WorkerDiedError(beginning.deaths);
  try {
    await (beginning.kind === 'aside' ? keepAside(deps, watched, beginning.aside) : work(watched.signal));
  } finally {
    await deps.deathWatch?.end(watched.of);
  }
};

/**
 * Says on the forge, once for each head, that the change request is set aside. Reads no comment, because a comment may be
 * what takes down the processes. Its slot is freed for others.
 */
const keepAside = async (
  deps: WatchDeps,
  { forge, of, lease, signal, log }: Watched,
  { atMs, told }: Aside,
): Promise<void> => {
  const state = await deps.states.load(of);
  if (state?.slotHeld === true) await deps.states.save(of, { ...state, slotHeld: false }, lease);
  await deps.releaseSlot();
  const facts = await forge.read.fetchChangeRequest(of, signal);
  if (facts?.state !== 'open' || facts.head === told) return;
  const policy = deps.policyOf(facts.projectPath);
  log.warn({ forge: of.forge, project: of.projectId, changeRequest: of.number }, SET_ASIDE);
  await deps.sendPlan(buildSetAsidePlan({ facts, policy }, noticeIdOf(changeRequestKey(of), atMs, facts.head)));
  await deps.deathWatch?.noteTold(of, facts.head);
};

const SET_ASIDE = 'the change request is set aside: its events wait until its failed job is run again';

const REASON =
  'WORKER_DIED: the process of guard died repeatedly while it handled this change request, so it is set aside; its events ' +
  'wait until an operator runs the failed job again';

/** Called once the job has failed for good, so that an operator finds the job whenever a change request is set aside. */
export const setAsideDeadly =
  (deps: DeadlyDeps) =>
  async (job: GuardJob, code: string): Promise<void> => {
    if (code !== 'WORKER_DIED' || !('changeRequest' in job)) return;
    const { changeRequest: of } = job;
    const atMs = deps.nowMs();
    if ((await deps.deathWatch?.setAside(of, atMs)) !== true) return;
    await deps.decisions.append(of, [{ atMs, effect: 'nothing', reason: REASON, head: null, events: [] }]);
    await deps.enqueue(
      'guard',
      { v: 1, kind: 'wake', changeRequest: of },
      { jobId: `aside-${changeRequestKey(of)}-${atMs}` },
    );
  };
