/** The thread part of a round's plan: new inline comments, replies and closures. */
import type { RoundPlanInput } from './build-plan.ts';
import { closureText, findingText, replyText } from './finding-text.ts';
import type { Accepted, Handled } from './gate.ts';
import type { PlannedClosure, PlannedInline, PlannedReply } from './post-plan.ts';
import { openThread } from './thread.ts';
import { changeRequestKey } from './vocabulary.ts';

/** A finding without a line of its own in the diff stands in the summary instead. */
export const plannedInline = (input: RoundPlanInput): PlannedInline[] =>
  input.gated.accepted.flatMap((accepted) => {
    const { position } = accepted.finding;
    if (position === null || !accepted.ownThread) return [];
    const { suggestion } = accepted.finding.claim;
    return [{ marker: findingMarker(accepted, input), text: findingText(accepted), suggestion, position }];
  });

const findingMarker = ({ id, finding, blocking }: Accepted, input: RoundPlanInput): PlannedInline['marker'] => {
  const { claim, fingerprint } = finding;
  const opened = openThread(claim.severity);
  return {
    ...roundMarker(input),
    kind: 'finding',
    id,
    fp: fingerprint,
    count: opened.count,
    stance: opened.stance,
    severity: claim.severity,
    blocking,
    state: opened.state,
    base: input.draft.base,
    path: claim.path,
    side: claim.side,
    startLine: claim.startLine,
    line: claim.line,
    title: claim.title,
    rule: claim.rule,
    patch: input.draft.patchFingerprint,
  };
};

export const plannedReplies = (input: RoundPlanInput): PlannedReply[] =>
  input.gated.handled
    .filter(({ answer }) => answer.action !== 'resolve')
    .map((handled) => ({ marker: replyMarker(handled, input), text: replyText(handled) }));

export const plannedClosures = (input: RoundPlanInput): PlannedClosure[] =>
  input.gated.handled
    .filter(({ answer }) => answer.action === 'resolve')
    .map((handled) => ({ marker: replyMarker(handled, input), text: closureText(handled, input.draft.head) }));

const replyMarker = ({ thread, answer, next }: Handled, input: RoundPlanInput): PlannedClosure['marker'] => ({
  ...roundMarker(input),
  kind: 'reply',
  id: thread.id,
  fp: thread.fingerprint,
  action: answer.action,
  count: next.count,
  stance: next.stance,
  severity: next.severity,
});

const roundMarker = ({ facts, run, draft }: RoundPlanInput) => ({
  cr: changeRequestKey(facts.changeRequest),
  round: run.round,
  attempt: run.attempt,
  run: run.runId,
  head: draft.head,
});
