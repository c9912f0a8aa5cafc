/** Gates and judges the result of a run: what to post, or why the attempt failed. */
import { gate, gateReplies } from '../gate/gate.ts';
import { findCarried, passesWithCi } from '../gate/judge-carried.ts';
import { judgeDraft } from '../gate/judge-draft.ts';
import { judgeReplies } from '../gate/judge-replies.ts';
import type { Carried } from '../model/carried.ts';
import type { CiReading } from '../model/ci.ts';
import type { ReviewDraft } from '../model/draft.ts';
import { type CountedAs, countCompleted, stageOf } from '../model/counts.ts';
import type { Effect } from '../model/effect.ts';
import { asksForSomething, type GateResult, type Handled } from '../model/gate-result.ts';
import type { Thread } from '../model/history.ts';
import { type Policy, withGrants } from '../model/policy.ts';
import { withDraftCap } from '../model/repository-rules.ts';
import type { ReevaluateRun, ReplyRun, ReviewRun, Run } from '../model/run.ts';
import { NOTHING_SPENT, type Spent } from '../../vocabulary/spent.ts';
import type { DecideInput } from './decision.ts';
import { enterPhase } from './decision.ts';

type Posting = { readonly planId: string; readonly deadlineMs: number };

export type Result = {
  readonly kind: 'ready';
  readonly run: Run;
  /** True if only CI can still prevent a pass. */
  readonly passes: boolean;
  readonly reason: string;
  /** Creates the effect that posts the result. `ci` is null if CI does not count. */
  readonly effectOf: (ci: CiReading | null, posting: Posting) => Effect;
};

export type FailedResult = { readonly kind: 'failed'; readonly code: string };

const failed = (code: string): FailedResult => ({ kind: 'failed', code });

export const resultOf = (run: Run, input: DecideInput): Result | FailedResult => {
  switch (run.kind) {
    case 'review':
      return run.carried === undefined ? reviewed(run, input) : carriedOver(run, run.carried, input);
    case 'reply':
      return replied(run, input);
    case 'reevaluate':
      return rejudged(run, [], NOTHING_SPENT, input);
    default:
      return run satisfies never;
  }
};

const draftOf = (run: Run, { facts: { draft = null } }: DecideInput): ReviewDraft | null =>
  draft?.runId === run.runId ? draft : null;

const policyOf = ({ policy, state }: DecideInput, draft?: ReviewDraft): Policy =>
  withGrants(withDraftCap(policy, draft?.repository), state.granted);

const reviewed = (before: ReviewRun, input: DecideInput): Result | FailedResult => {
  const draft = draftOf(before, input);
  const { changeRequest, history } = input.facts;
  if (draft === null || changeRequest === null) return failed('DRAFT_MISSING');
  const gated = gate(draft, history, policyOf(input), policyOf(input, draft));
  if (gated.violations.length > 0) return failed('PROTOCOL_VIOLATION');
  const { judgement } = judgeDraft({ facts: changeRequest, history, draft, gated });
  const run = { ...before, countsAfter: countCompleted(input.state, countedAs(gated, input)) };
  return {
    kind: 'ready',
    run,
    passes: judgement.verdict === 'lgtm',
    reason: 'the draft of the current run is complete',
    effectOf: (ci, { planId, deadlineMs }) => ({
      kind: 'post_review',
      run: enterPhase(run, 'posting', planId, deadlineMs),
      gated: withoutComments(gated),
      ci,
    }),
  };
};

const countedAs = (gated: GateResult, input: DecideInput): CountedAs => {
  if (!asksForSomething(gated)) return 'silent';
  return stageOf(input.state, policyOf(input).rounds) === 'closing' ? 'closing' : 'round';
};

const carriedOver = (before: ReviewRun, carried: Carried, { facts, state }: DecideInput): Result | FailedResult => {
  const found = findCarried(facts.history, carried);
  if (found === null) return failed('NOTHING_TO_CARRY');
  const run = { ...before, countsAfter: countCompleted(state, 'carried') };
  return {
    kind: 'ready',
    run,
    passes: passesWithCi(found, carried),
    reason: `it is the same change as ${carried.reviewedHead.slice(0, 10)}, whose verdict is carried`,
    effectOf: (ci, { planId, deadlineMs }) => ({
      kind: 'post_carried',
      run: enterPhase(run, 'posting', planId, deadlineMs),
      ci,
    }),
  };
};

const replied = (run: ReplyRun, input: DecideInput): Result | FailedResult => {
  const draft = draftOf(run, input);
  if (draft === null) return failed('DRAFT_MISSING');
  const { handled, violations } = gateReplies(draft, input.facts.history, {
    policy: policyOf(input),
    scope: run.scope,
  });
  return violations.length > 0 ? failed('PROTOCOL_VIOLATION') : rejudged(run, handled, draft.spent, input);
};

const rejudged = (
  run: ReplyRun | ReevaluateRun,
  handled: readonly Handled[],
  spent: Spent,
  { facts: { history } }: DecideInput,
): Result => ({
  kind: 'ready',
  run,
  passes: judgeReplies({ history, handled }).verdict === 'lgtm',
  reason: run.kind === 'reply' ? 'the replies of the current run are complete' : 'the verdict is judged again',
  effectOf: (ci, { planId, deadlineMs }) => ({
    kind: 'post_replies',
    run: enterPhase(run, 'posting', planId, deadlineMs),
    handled: handled.map(withoutComment),
    spent,
    ci,
  }),
});

/** Removes the comments of threads from the state, which is saved often: plans do not read them. */
const withoutComment = <Item extends { readonly thread: Thread }>(item: Item): Item => ({
  ...item,
  thread: { ...item.thread, comment: null },
});

const withoutComments = (gated: GateResult): GateResult => ({
  ...gated,
  handled: gated.handled.map(withoutComment),
  left: gated.left.map(withoutComment),
  standing: gated.standing.map((thread) => ({ ...thread, comment: null })),
});
