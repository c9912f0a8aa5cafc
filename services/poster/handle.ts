import { AppError } from '../../shared/errors.ts';
import { hasForgeCode } from '../../shared/forge/errors.ts';
import type { Trouble } from '../../shared/outage/outage.ts';
import { endedBy, outageEvent } from '../../shared/outage/report-outage.ts';
import type { Handler, HandlerResult, JobContext } from '../../shared/queue/worker.ts';
import type { PostJob } from '../../shared/queue/contracts.ts';
import type { PostEvent } from '../../shared/rounds/model/events.ts';
import { StoredDocumentMissingError } from '../../shared/store/documents.ts';
import type { PosterDeps, Posting } from './deps.ts';
import { acknowledge } from './acknowledge.ts';
import { close } from './close.ts';
import { raiseHandoffs } from './notify/raise-handoffs.ts';
import { post, type PostOutcome } from './post.ts';
import { tellOutage } from './tell-outage.ts';
import { rewriteStatus } from './rewrite-status.ts';
import { withWriteBudget } from './write-budget.ts';
import { withTimeLimit } from '../../shared/time-limit.ts';

/** How long a plan waits while another plan of the same change request is being posted. */
const CONTENTION_DELAY_MS = 500;

export const createPostHandler =
  (given: PosterDeps): Handler<'post'> =>
  async (job, context) => {
    const plan = await given.loadPlan(job.planId);
    if (plan === null) throw new StoredDocumentMissingError('the post plan');
    const deps = { ...given, ...given.rulesOf?.(plan) };
    const forge = deps.forges.get(job.changeRequest.forge);
    if (forge === undefined) throw new ForgeNotConfiguredError(job.changeRequest.forge);
    const posting = { deps, forge: withWriteBudget(forge, job.budget.maxWrites), plan, log: bound(context, job) };
    return withTimeLimit({ ms: job.budget.maxRuntimeS * 1000, signal: context.signal }, async (signal) =>
      handlePlan(job, { ...posting, signal }, context.attempt),
    );
  };

const DONE: HandlerResult = { kind: 'done' };
const DEFER: HandlerResult = { kind: 'defer', delayMs: CONTENTION_DELAY_MS };

const handlePlan = async (job: PostJob, posting: Posting, attempt: number): Promise<HandlerResult> => {
  const { deps, plan, signal: limit } = posting;
  // These plans need only the lease of the status place, not the lease of the change request.
  if (plan.kind === 'status') return (await rewriteStatus(posting)) ? DONE : DEFER;
  if (plan.kind === 'acknowledge') return (await acknowledge(posting, attempt)) ? DONE : DEFER;
  if (plan.kind === 'outage') {
    const told = await deps.underLease(job.changeRequest, limit, async (signal) => tellOutage({ ...posting, signal }));
    return told === null ? DEFER : DONE;
  }
  const held = await deps.underLease(job.changeRequest, limit, async (signal) =>
    countAlarms(deps, (plan.kind === 'closed' ? close : post)({ ...posting, signal })),
  );
  if (held === null) return DEFER;
  if (held.result === 'posted' && !deps.dryRun) await raiseHandoffs(deps, plan);
  const { outcome } = reportedOf(held.result);
  posting.log.info({ plan: plan.kind, review: plan.summary?.marker.review ?? null, outcome }, 'posted');
  deps.checkpoint('before-report');
  await report(deps, job, reportedOf(held.result));
  return DONE;
};

type Reported = Pick<PostEvent, 'outcome' | 'other'> & { readonly code?: string };

const reportedOf = (outcome: PostOutcome): Reported =>
  typeof outcome === 'string' ? { outcome } : { outcome: 'gave_way', other: outcome.gaveWayTo };

/**
 * A comment that ran as a quick action used the bot's permissions, so it raises an alarm in addition to failing the
 * job.
 */
const countAlarms = async <Result>({ metrics }: PosterDeps, posting: Promise<Result>): Promise<Result> => {
  try {
    return await posting;
  } catch (error) {
    if (hasForgeCode(error, 'FORGE_COMMANDS_ONLY')) metrics.alarms.inc({ code: error.code });
    throw error;
  }
};

/**
 * A lost plan counts as a failed attempt of the run. The exception is an announcement that an outage prevented, because
 * no run has begun.
 */
export const reportLostPlan =
  (deps: PosterDeps) =>
  async (job: PostJob, code: string, trouble: Trouble | null = null): Promise<void> => {
    if (trouble === null || (await deps.loadPlan(job.planId))?.kind !== 'announce')
      return report(deps, job, { outcome: 'failed', code });
    const { changeRequest, runId, planId } = job;
    await deps.deliver(changeRequest, outageEvent(runId, planId, { ...endedBy(trouble), atMs: deps.nowMs() }));
  };

const report = async (deps: PosterDeps, job: PostJob, reported: Reported): Promise<void> => {
  const { changeRequest, runId, planId } = job;
  const id = `${reported.outcome}-${planId}`;
  const { code = null, ...rest } = reported;
  await deps.deliver(changeRequest, { source: 'post', id, atMs: deps.nowMs(), runId, planId, ...rest, code });
};

const bound = (context: JobContext, { changeRequest: of }: PostJob): JobContext['log'] =>
  context.log.child({ forge: of.forge, project: of.projectId, changeRequest: of.number });

export class ForgeNotConfiguredError extends AppError {
  constructor(forge: string) {
    super({
      code: 'FORGE_NOT_CONFIGURED',
      message: 'a job names a forge that is not in the configuration',
      disposition: { kind: 'fail' },
      fields: { forge },
    });
  }
}
