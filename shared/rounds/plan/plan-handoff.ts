/** Calls of a human: one comment for each episode, which ends with the next completed review. */
import type { PlanContext } from '../model/plan-context.ts';
import type { RunRef } from './empty-plan.ts';
import type { RoundPlanInput } from './round-plan-input.ts';
import { inputMarker } from '../model/input.ts';
import type { JudgedDraft } from '../gate/judge-draft.ts';
import { callForBlocking } from './person-call.ts';
import { handoffText } from './wording/handoff-text.ts';
import type { PostPlan } from '../model/post-plan.ts';
import { heldBySetting } from './wording/round-status.ts';
import type { Cap } from '../model/effect.ts';
import { changeRequestKey } from '../../vocabulary/ids.ts';
import type { Verdict } from '../../vocabulary/finding.ts';

export const CAP_CODES: Readonly<Record<Cap, string>> = {
  rounds: 'max_rounds_exceeded',
  runs: 'max_runs_exceeded',
  identity: 'unknown_bot_account',
};

type Call = {
  readonly reason: string;
  readonly text: string;
  /** Completed reviews. Absent: as many as the forge shows. */
  readonly episode?: number;
  /** Files of what blocks, beside those that the forge shows already. */
  readonly paths?: readonly string[];
};

export const handoff = (
  { facts, history, mention }: PlanContext,
  run: RunRef,
  { reason, text, episode = history.roundsDone, paths = [] }: Call,
): PostPlan['notices'][number] => ({
  marker: {
    cr: changeRequestKey(facts.changeRequest),
    round: run.round,
    attempt: run.attempt,
    run: run.runId,
    kind: 'handoff',
    episode,
    ...inputMarker(run),
    reason: reason.toLowerCase().slice(0, 64),
  },
  text: handoffText(text, history.threads, mention),
  mention: true,
  calls: callForBlocking(history.threads, paths),
});

/** At most one: whoever is called once has been called. */
export const roundHandoff = (input: RoundPlanInput, { judgement, ledger }: JudgedDraft): PostPlan['notices'] => {
  if (ledger.full) return [fullLedgerHandoff(input)];
  const { verdict } = judgement;
  const isLast = input.run.round >= input.policy.rounds.max && heldBySetting(input.draft.coverage, judgement) === null;
  return isLast && verdict !== 'lgtm' ? [lastRoundHandoff(input, verdict)] : [];
};

const lastRoundHandoff = (input: RoundPlanInput, verdict: Verdict): PostPlan['notices'][number] =>
  handoff(input, input.run, {
    reason: CAP_CODES.rounds,
    episode: input.run.round,
    paths: newlyBlocking(input),
    text:
      `Round ${input.run.round} was the last one for this change request and ended with \`${verdict}\`. ` +
      'The next step belongs to a human.',
  });

const fullLedgerHandoff = (input: RoundPlanInput): PostPlan['notices'][number] =>
  handoff(input, input.run, {
    reason: 'ledger_full',
    episode: input.run.round,
    paths: newlyBlocking(input),
    text: 'This change request has more findings than the bot can keep apart. It needs a human, or smaller parts.',
  });

const newlyBlocking = ({ gated }: RoundPlanInput): readonly string[] =>
  gated.accepted.filter(({ blocking }) => blocking).map(({ finding }) => finding.claim.path);
