/** What the CLI's model is told beside the task: its tools are others than those of our own loop. */
import { z } from 'zod';
import { reviewerSystem } from '../../../../shared/agent/prompt/system.ts';
import { submitReviewSchema } from '../../../../shared/agent/tools/submit-review.ts';
import type { SubmissionRules } from '../../../../shared/agent/submission/read-submission.ts';

const HERE = `In this session:
- Your only tools are Read and Grep, below the working directory, which is the tree of the head. To list files, use Grep with a glob and the pattern ".". There are no explorers and no WriteNotes.
- submit_review is not a tool here: your final structured answer is the review, with the same fields.
- In the field notes, write down what a later round of this review should know and could not see from the review itself: callers, tests, types and effects that you looked up.`;

export const reviewerSystemPrompt = (): string =>
  [...reviewerSystem('change').map(({ text }) => text), HERE].join('\n\n');

const NOTES = { type: 'string', description: 'for the next round: what you looked up, with files and lines' } as const;

const Properties = z.record(z.string(), z.unknown());

/** The fields of `submit_review`, and notes. */
export const answerSchema = (rules: SubmissionRules): Readonly<Record<string, unknown>> => {
  const { inputSchema } = submitReviewSchema(rules);
  return { ...inputSchema, properties: { ...Properties.parse(inputSchema['properties']), notes: NOTES } };
};

export const reviewerCorrectionPrompt = (problems: readonly string[]): string =>
  [
    'The review was not taken:',
    ...problems.map((text) => `- ${text}`),
    'What is not named here is fine. Hand in the whole review again, with these points put right.',
  ].join('\n');

export const LAST_CALL =
  'The turns are used up. This is a single last call: hand in the review now, from the task, the diff and what you have read. Name every file that was not looked at under not_reviewed.';
