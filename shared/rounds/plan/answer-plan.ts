/** Builds the plan for the answer to a command, and for the thread that a dismissal closes. */
import { answerText, type Said } from './answers/answer-text.ts';
import type { PlanContext } from '../model/posting/plan-context.ts';
import { emptyPlan, markerBase } from './empty-plan.ts';
import { inputOf } from '../model/input.ts';
import type { PlannedClosure, PostPlan } from '../model/posting/post-plan.ts';
import type { Effect } from '../model/effect.ts';

export type AnswerCommand = Extract<Effect, { readonly kind: 'answer' }> & Pick<Said, 'file'>;

/** The plan id depends only on head and comment. The summary shows the effect of the command once the next plan is posted. */
export const buildAnswerPlan = (context: PlanContext, command: AnswerCommand): PostPlan => {
  const { head, note, threadId, say, noticeId, file } = command;
  const { projectId, number } = context.facts.changeRequest;
  const run = {
    runId: noticeId,
    ...inputOf(context.facts),
    head,
    review: Math.max(1, context.history.reviewsDone),
    attempt: 1,
  };
  return {
    ...emptyPlan(context, run, 'answer'),
    planId: `${head.slice(0, 40)}-${projectId}-${number}-answer-${note}`,
    allowStale: true,
    summary: null,
    closures: closures(context, command),
    notices: [
      {
        marker: {
          ...markerBase(context.facts, run),
          kind: 'answer',
          note,
          ...(say.kind === 'paused' || say.kind === 'resumed' ? { pauses: say.pauses } : {}),
          ...dismisses(context, command),
        },
        text: answerText(context, { say, head, ...(file === undefined ? {} : { file }) }),
        mention: false,
        ...(threadId === null ? {} : { threadId }),
      },
    ],
    status:
      say.kind === 'paused' && say.pending ? { state: 'error', description: 'No verdict: reviews are paused' } : null,
  };
};

const dismissedThread = ({ history }: PlanContext, { say }: AnswerCommand) =>
  say.kind === 'dismissed' ? history.threads.findLast(({ id }) => id === say.findingId) : undefined;

const dismisses = (context: PlanContext, command: AnswerCommand) => {
  const thread = dismissedThread(context, command);
  if (thread === undefined || command.say.kind !== 'dismissed') return {};
  return { dismisses: { id: thread.id, fp: thread.fingerprint, by: command.say.by } };
};

const closures = (context: PlanContext, command: AnswerCommand): PlannedClosure[] => {
  const thread = dismissedThread(context, command);
  if (thread === undefined || command.say.kind !== 'dismissed') return [];
  const { id, fingerprint, count, stance, severity } = thread;
  const run = {
    runId: command.noticeId,
    ...inputOf(context.facts),
    head: command.head,
    review: thread.review,
    attempt: 1,
  };
  const marker = {
    ...markerBase(context.facts, run),
    kind: 'reply' as const,
    id,
    fp: fingerprint,
    action: 'resolve' as const,
    count,
    stance,
    severity,
    head: command.head,
  };
  return [{ marker, text: `**Dismissed** (${id}): ${command.say.reason}`, state: 'dismissed' }];
};
