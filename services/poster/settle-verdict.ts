/** Reads before it writes, so running it twice changes nothing. If the forge refuses a verdict, the summary says so. */
import { ForgeUnknownOutcomeError } from '../../shared/forge/errors.ts';
import type { ChangeRequestFacts } from '../../shared/forge/port-facts.ts';
import type { ForgeVerdict, VerdictRefusal } from '../../shared/vocabulary/forge-verdict.ts';
import {
  FOR_OTHER_INPUT,
  type ForgeVerdictStep,
  refusedText,
  stepTowards,
} from '../../shared/rounds/gate/forge-verdict.ts';
import { isSetAside } from '../../shared/rounds/plan/withdraw-plan.ts';
import { changeRequestKey } from '../../shared/vocabulary/ids.ts';
import type { MarkerPayload } from '../../shared/rounds/model/marker-payload.ts';
import { createComposer } from './compose.ts';
import { extendSummary } from './extend-summary.ts';
import { isOurs } from './is-ours.ts';
import type { Posting } from './deps.ts';
import { SETTLE_MS } from './read-own.ts';
import { isForSure } from './standing.ts';
import { givenKey } from './write.ts';

type Step = Exclude<ForgeVerdictStep, { kind: 'nothing' }>;

/** One pass for a step and one to verify it; two more after an unknown outcome. */
const MAX_PASSES = 4;

const WORDS: Readonly<Record<ForgeVerdict, string>> = {
  approved: 'Nothing blocks merging. The summary has the details.',
  changes_requested: 'There are problems to fix before merging. The summary lists them.',
};

/**
 * The verdict to submit together with the comments. Never an approval: that is given only after everything else is
 * posted.
 */
export const verdictWithComments = ({ forge, plan }: Posting, facts: ChangeRequestFacts): ForgeVerdict | null =>
  plan.forgeVerdict === 'request_changes' && isForSure(plan, facts) && !forge.botIds.has(facts.author.id)
    ? 'changes_requested'
    : null;

export const settleVerdict = async (posting: Posting, facts: ChangeRequestFacts): Promise<void> => {
  const { deps, forge, plan, signal } = posting;
  if (plan.forgeVerdict === null) return;
  const planned = isForSure(plan, facts) ? plan.forgeVerdict : FOR_OTHER_INPUT;
  for (let pass = 1; ; pass += 1) {
    const standing = await forge.write.fetchOwnVerdict(plan.changeRequest, signal);
    const step = stepTowards(planned, standing, plan.head);
    if (step.kind === 'nothing' || (await deps.seen.load(plan.planId)).has(keyOf(step))) return;
    if (pass > MAX_PASSES) throw new ForgeUnknownOutcomeError({ passes: MAX_PASSES }, undefined);
    const refusal = await tryStep(posting, facts, step);
    if (refusal !== null) return sayRefused(posting, step, refusal);
    deps.checkpoint('after-verdict');
  }
};

const keyOf = (step: Step): string => (step.kind === 'give' ? givenKey(step.verdict) : 'verdict.withdrawn');

const tryStep = async (posting: Posting, facts: ChangeRequestFacts, step: Step): Promise<VerdictRefusal | null> => {
  const { deps, plan, log, signal } = posting;
  try {
    const refusal = await takeStep(posting, facts, step);
    if (refusal === null) await deps.seen.add(plan.planId, [keyOf(step)]);
    return refusal;
  } catch (error) {
    if (!(error instanceof ForgeUnknownOutcomeError)) throw error;
    log.warn({ err: error }, 'the outcome of submitting the verdict is unknown; reading it back');
    await deps.sleep(SETTLE_MS, signal);
    return null;
  }
};

const takeStep = async (
  { deps, forge, plan, signal }: Posting,
  facts: ChangeRequestFacts,
  step: Step,
): Promise<VerdictRefusal | null> => {
  if (step.kind === 'withdraw') return forge.write.withdrawVerdicts(plan.changeRequest, step.which, signal);
  // Some forges allow a verdict on one's own change request; Fixpoint never gives one.
  if (forge.botIds.has(facts.author.id)) return 'own';
  // An unpublished review that an interrupted submission left behind would block the verdict.
  await forge.write.clearLeftovers(plan.changeRequest, (text) => isOurs(text, deps.markerSecrets), signal);
  const body = createComposer(forge, deps).plain(WORDS[step.verdict], verdictMarker(plan));
  return forge.write.giveVerdict(plan.changeRequest, { verdict: step.verdict, head: plan.head, body }, signal);
};

/** Identifies the review as ours; it has no posting key, so it never counts as a posted part. */
const verdictMarker = ({ runId, changeRequest, summary }: Posting['plan']): MarkerPayload => ({
  kind: 'answer',
  note: `review.${runId}`,
  cr: changeRequestKey(changeRequest),
  review: summary?.marker.review ?? 0,
  attempt: summary?.marker.attempt ?? 0,
  run: runId,
});

const sayRefused = async (posting: Posting, step: Step, refusal: VerdictRefusal): Promise<void> => {
  const { log, plan } = posting;
  log.warn({ step: step.kind, refusal }, 'the forge refused the verdict');
  if (isSetAside(plan)) return;
  const text = refusedText(step, refusal);
  await extendSummary(posting, text);
};
