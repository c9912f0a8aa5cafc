/** Carries out the effects that `decide` returned. An effect may run twice: because ids are fixed, the second time changes nothing. */
import { AppError } from '../../shared/errors.ts';
import { buildAcknowledgePlan } from '../../shared/rounds/plan/acknowledge-plan.ts';
import { buildAnnouncePlan } from '../../shared/rounds/plan/announce-plan.ts';
import { buildAnswerPlan } from '../../shared/rounds/plan/answer-plan.ts';
import { buildCapPlan } from '../../shared/rounds/plan/cap-plan.ts';
import { buildCarriedPlan } from '../../shared/rounds/plan/carried-plan.ts';
import { buildClosedPlans } from '../../shared/rounds/plan/closed-plan.ts';
import { buildFixAnnouncePlan, buildFixEndPlan, buildFixRefusalPlan } from '../../shared/rounds/plan/fix-plan.ts';
import { buildOutagePlan } from '../../shared/rounds/plan/outage-plan.ts';
import { buildReviewPlan } from '../../shared/rounds/plan/review-plan.ts';
import { buildStatusPlan } from '../../shared/rounds/plan/status-plan.ts';
import { buildRepliesAnnouncePlan, buildRepliesPlan } from '../../shared/rounds/plan/thread-replies-plan.ts';
import { buildWithdrawPlan } from '../../shared/rounds/plan/withdraw-plan.ts';
import type { ReviewDraft } from '../../shared/rounds/model/draft.ts';
import type { Effect, EffectOf } from '../../shared/rounds/model/effect.ts';
import type { PostPlan } from '../../shared/rounds/model/posting/post-plan.ts';
import { countGated, countHandled } from '../../shared/rounds/model/posting/tally.ts';
import type { Run } from '../../shared/rounds/model/run.ts';
import { releaseSlot } from './wake.ts';
import { type EffectContext, planContext } from './effect-context.ts';
import { findSettingsFile, proposesEntry } from './find-settings-file.ts';
import { planToGiveUp } from './give-up.ts';
import { sendFix } from './send-fix.ts';
import { sendPlan } from './send-plan.ts';
import { sendReview } from './send-review.ts';
import { tellAuthor } from './tell-author.ts';

/** `slot`: whether a requested slot was granted; null if no slot was requested. */
export type EffectsOutcome = { readonly slot: boolean | null };

export const runEffects = async (context: EffectContext, effects: readonly Effect[]): Promise<EffectsOutcome> => {
  const { deps, of, signal } = context;
  let slot: boolean | null = null;
  for (const effect of slotFirst(effects)) {
    signal.throwIfAborted();
    deps.checkpoint(`before-${effect.kind}`);
    if (effect.kind === 'acquire_slot')
      slot = await deps.slots.acquire(of, deps.runningPerProject, waitsSince(context));
    else if (!(slot === true && isPartOfAnnouncement(effect))) await runOne(context, effect);
  }
  return { slot };
};

/**
 * After a wipe of Redis the sweep reports every open change request of a project. A change request that somebody has just
 * opened or pushed to goes before those, which wait at most this much longer.
 */
const BEHIND_FRESH_MS = 3_600_000;

const waitsSince = ({ deps, isSwept = false }: EffectContext): number => deps.nowMs() + (isSwept ? BEHIND_FRESH_MS : 0);

/** If one run ends and the next one begins, the change request keeps its slot. */
const slotFirst = (effects: readonly Effect[]): readonly Effect[] => {
  const acquire = effects.filter(({ kind }) => kind === 'acquire_slot');
  const others = effects.filter(
    ({ kind }) => kind !== 'acquire_slot' && !(kind === 'release_slot' && acquire.length > 0),
  );
  return [...acquire, ...others];
};

/** A run that gets a slot is announced at once, which also sets the status to pending and withdraws an approval. A reaction is still sent. */
const isPartOfAnnouncement = (effect: Effect): boolean =>
  (effect.kind === 'acknowledge' && effect.noteId === null) || (effect.kind === 'withdraw_approval' && !effect.pending);

type Kind = Exclude<Effect['kind'], 'acquire_slot'>;
type Runner<Of extends Kind> = (context: EffectContext, effect: EffectOf<Of>) => Promise<void>;

/** Runs an effect that sends one plan, built only from what the forge shows. */
const plan =
  <Of extends Kind>(build: (context: ReturnType<typeof planContext>, effect: EffectOf<Of>) => PostPlan): Runner<Of> =>
  async (context, effect) =>
    sendPlan(context.deps, build(planContext(context), effect));

const RUNNERS: { readonly [Of in Kind]: Runner<Of> } = {
  acknowledge: plan(buildAcknowledgePlan),
  announce: plan((context, { run, ...counts }) =>
    run.kind === 'reply'
      ? buildRepliesAnnouncePlan(context, { run, ...counts })
      : buildAnnouncePlan(context, { run, ...counts }),
  ),
  announce_fix: plan((context, { fix }) => buildFixAnnouncePlan(context, fix)),
  answer: async (context, effect) => {
    const file = proposesEntry(effect) ? { file: await findSettingsFile(context) } : {};
    await sendPlan(context.deps, buildAnswerPlan(planContext(context), { ...effect, ...file }));
  },
  post_cap: plan(buildCapPlan),
  post_replies: plan((context, effect) => ({
    ...buildRepliesPlan({ ...context, ...effect }),
    tally: { runner: null, findings: countHandled(effect.handled) },
  })),
  refuse_fix: plan(buildFixRefusalPlan),
  tell_outage: plan(buildOutagePlan),
  withdraw_approval: plan(buildWithdrawPlan),
  write_status: async (context, effect) => {
    const built = buildStatusPlan(planContext(context), effect);
    if (!(await isLeftAlone(context, built))) await sendPlan(context.deps, built);
  },
  post_closed: async (context, effect) => {
    for (const each of buildClosedPlans(planContext(context), effect)) await sendPlan(context.deps, each);
  },
  post_review: async (context, { run, gated, ci }) => {
    const draft = await draftOf(context, run);
    if (draft === null) throw new ResultGoneError('DRAFT_MISSING');
    const built = buildReviewPlan({ ...planContext(context, draft.repository), run, draft, gated, ci });
    const tally = { runner: draft.runner ?? 'unknown', findings: countGated(gated) };
    await sendPlan(context.deps, { ...built, tally });
    await context.deps.ignoredCounts?.add(context.of, {
      runId: run.runId,
      dropped: gated.dropped,
      atMs: context.deps.nowMs(),
    });
  },
  post_carried: async (context, { run, ci }) => {
    const { carried } = run;
    const built = carried === undefined ? null : buildCarriedPlan(planContext(context), { run, carried, ci });
    if (built === null) throw new ResultGoneError('NOTHING_TO_CARRY');
    await sendPlan(context.deps, { ...built, tally: { runner: 'carried', findings: [] } });
  },
  give_up: async (context, effect) => {
    const given = { context: planContext(context), answers: context.facts.answers, command: effect };
    const built = await planToGiveUp(context.deps, given);
    const isFailed = effect.run.kind === 'review' && effect.outage === undefined;
    await sendPlan(context.deps, isFailed ? { ...built, tally: { runner: 'none', findings: [] } } : built);
  },
  review: async (context, { run }) => sendReview(context, run),
  fix: async (context, { fix }) => sendFix(context.deps, { fix, ...planContext(context) }, context.signal),
  tell_fix: async (context, { fix }) => {
    const { deps } = context;
    const report = await deps.fixReports.load(deps.keys.ofRun(fix.runId, 'fix-report'));
    await sendPlan(deps, buildFixEndPlan(planContext(context), fix, report));
  },
  schedule: async ({ deps, of }, { event, delayMs }) => deps.inbox.notify(of, event, delayMs),
  resume_review: async ({ deps }, { runId }) => deps.resumeReview(runId),
  tell_author: async (context, effect) => tellAuthor(context.deps.authorsOutside, planContext(context), effect),
  release_slot: async ({ deps, of }) => releaseSlot(deps, of),
};

/** The change request has left the commit, without a last word, and no other one has it: the poster would write nothing. */
const isLeftAlone = async (
  { deps: { shared }, of, facts: { changeRequest } }: EffectContext,
  { status, head }: Pick<PostPlan, 'status' | 'head'>,
): Promise<boolean> => {
  if (shared === undefined || status !== null || changeRequest === null) return false;
  const isHere = changeRequest.state === 'open' && changeRequest.head === head;
  return !isHere && !(await shared.has({ forge: of.forge, projectId: of.projectId, head }));
};

const runOne = async (context: EffectContext, effect: EffectOf<Kind>): Promise<void> => {
  // The key and the effect have the same kind, but TypeScript cannot infer this through a table.
  const run = RUNNERS[effect.kind] as (context: EffectContext, effect: EffectOf<Kind>) => Promise<void>;
  await run(context, effect);
};

/** What `decide` saw need not be read again. If an earlier process left the effect behind, nothing was seen. */
const draftOf = async ({ deps, facts }: EffectContext, { runId }: Run): Promise<ReviewDraft | null> =>
  facts.draft?.runId === runId ? facts.draft : deps.drafts.load(deps.keys.ofRun(runId, 'draft'));

/** The result that `decide` saw was lost in Redis or on the forge. The job is retried until the run's deadline ends the run. */
class ResultGoneError extends AppError {
  constructor(code: 'DRAFT_MISSING' | 'NOTHING_TO_CARRY') {
    super({ code, message: 'the result of the run no longer exists', disposition: { kind: 'retry' } });
  }
}
