import { createHash } from 'node:crypto';
import type { PlanContext } from '../model/posting/plan-context.ts';
import { emptyPlan } from './empty-plan.ts';
import { type Input, inputKey } from '../model/input.ts';
import type { PostPlan } from '../model/posting/post-plan.ts';
import type { RunId } from '../../vocabulary/ids.ts';

type Acknowledgement = { readonly input: Input; readonly noteId: number | null; readonly noticeId: RunId };

/** The plan id depends only on input and comment, so the acknowledgement is posted once. */
export const buildAcknowledgePlan = (context: PlanContext, { input, noteId, noticeId }: Acknowledgement): PostPlan => {
  const { projectId, number } = context.facts.changeRequest;
  return {
    ...emptyPlan(context, { runId: noticeId, ...input, review: 1, attempt: 1 }, 'acknowledge'),
    planId: `${inputHash(input)}-${projectId}-${number}-${noteId ?? 'ack'}`,
    summary: null,
    reactions: noteId === null ? [] : [`${noteId}`],
    status: { state: 'pending', description: 'Waiting for the review to begin' },
  };
};

/** The input is hashed, because branch names may contain characters that are not allowed in a job id. */
const inputHash = (input: Input): string => createHash('sha256').update(inputKey(input)).digest('hex').slice(0, 40);
