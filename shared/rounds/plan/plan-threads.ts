import type { ReviewPlanInput } from './review-plan-input.ts';
import { closureText, findingFoot, findingText } from './wording/finding-text.ts';
import type { Accepted, Handled } from '../model/gate-result.ts';
import type { PlannedClosure, PlannedInline, PlannedReply } from '../model/posting/post-plan.ts';
import type { Run } from '../model/run.ts';
import { isSettled, openThread } from '../model/thread.ts';
import { replyWords } from './reply-words.ts';
import { callForThread } from './person-call.ts';
import { changeRequestKey } from '../../vocabulary/ids.ts';

/** A finding that gets no thread is listed in the summary instead. */
export const plannedInline = (input: ReviewPlanInput): PlannedInline[] =>
  input.gated.accepted.flatMap((accepted) => {
    const { position } = accepted.finding;
    if (position === null || !accepted.ownThread) return [];
    const { suggestion } = accepted.finding.claim;
    const foot = findingFoot(accepted, { runner: input.draft.runner, mention: input.mention });
    return [{ marker: findingMarker(accepted, input), text: findingText(accepted), suggestion, foot, position }];
  });

const findingMarker = ({ id, finding, blocking }: Accepted, input: ReviewPlanInput): PlannedInline['marker'] => {
  const { claim, fingerprint } = finding;
  const opened = openThread(claim.severity);
  return {
    ...reviewMarker(input),
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
    ...(claim.alsoRules === undefined ? {} : { alsoRules: claim.alsoRules }),
    ...(claim.rule === null ? modelOf(input.draft) : {}),
    patch: input.draft.patchFingerprint,
  };
};

const modelOf = ({ model, runner }: ReviewPlanInput['draft']): Pick<PlannedInline['marker'], 'model'> => {
  const name = model ?? runner;
  return name === undefined ? {} : { model: name };
};

export type AnswerInput = Pick<ReviewPlanInput, 'facts' | 'history' | 'policy' | 'mention'> & {
  readonly run: Run;
  readonly draft: Pick<ReviewPlanInput['draft'], 'head'>;
  readonly gated: Pick<ReviewPlanInput['gated'], 'handled'>;
};

export const plannedReplies = (input: AnswerInput): PlannedReply[] =>
  input.gated.handled
    .filter(({ answer }) => answer.action !== 'resolve')
    .map((handled) => ({
      marker: replyMarker(handled, input),
      text: replyWords(handled, {
        head: input.draft.head,
        mention: input.mention,
        threadCount: input.policy.rounds.threadCount,
        history: input.history,
      }),
      ...(isSettled(handled.next) ? { calls: callForThread(handled.thread) } : {}),
    }));

export const plannedClosures = (input: AnswerInput): PlannedClosure[] =>
  input.gated.handled
    .filter(({ answer }) => answer.action === 'resolve')
    .map((handled) => ({ marker: replyMarker(handled, input), text: closureText(handled, input.draft.head) }));

const replyMarker = ({ thread, answer, next }: Handled, input: AnswerInput): PlannedClosure['marker'] => ({
  ...reviewMarker(input),
  kind: 'reply',
  id: thread.id,
  fp: thread.fingerprint,
  action: answer.action,
  count: next.count,
  stance: next.stance,
  severity: next.severity,
  ...(input.run.kind === 'reply' ? { note: input.run.scope.note } : {}),
});

const reviewMarker = ({ facts, run, draft }: AnswerInput) => ({
  cr: changeRequestKey(facts.changeRequest),
  review: run.review,
  attempt: run.attempt,
  run: run.runId,
  head: draft.head,
});
