/** The system prompt of the CLI's model, whose tools differ from those of our own loop. */
import { z } from 'zod';
import { reviewerSystem } from '../../../../shared/agent/prompt/system.ts';
import { SUBMIT_REVIEW_SCHEMA } from '../../../../shared/agent/tools/submit-review.ts';

const HERE = `In this session:
- Your only tools are Read and Grep, limited to the working directory, which is the tree of the head. To list files, use Grep with a glob and the pattern ".". There are no explorers and no WriteNotes tool.
- submit_review is not a tool here: your final structured answer is the review, with the same fields.
- In the notes field, write down what a later round needs and cannot see in the review itself: callers, tests, types and effects that you looked up.`;

export const reviewerSystemPrompt = (): string =>
  [...reviewerSystem('change').map(({ text }) => text), HERE].join('\n\n');

const NOTES = { type: 'string', description: 'for the next round: what you looked up, with files and lines' } as const;

const Properties = z.record(z.string(), z.unknown());

export const answerSchema = (): Readonly<Record<string, unknown>> => {
  const { inputSchema } = SUBMIT_REVIEW_SCHEMA;
  return { ...inputSchema, properties: { ...Properties.parse(inputSchema['properties']), notes: NOTES } };
};

export const reviewerCorrectionPrompt = (problems: readonly string[]): string =>
  [
    'The review was not accepted:',
    ...problems.map((text) => `- ${text}`),
    'Everything else is kept. Submit only the corrected entries under their fields, with findings empty if none is among them; an entry that you leave out is withdrawn. Give the summary and the notes again.',
  ].join('\n');

export const LAST_CALL =
  'The turns are used up. This is the last call: submit the review now, from the task, the diff and what you have read. Under not_reviewed, name every file that was not looked at.';
