import { expect, it } from 'vitest';
import { ESCALATIONS } from '../../../shared/protocol/bodies.ts';
import { parseMessage } from '../../../shared/protocol/parse-message.ts';
import { EXAMPLES } from './examples.ts';

const withEscalation = (word: string): string =>
  EXAMPLES.review_feedback.replace('escalation: reviewer_budget_exceeded', `escalation: ${word}`);

it.each(Object.values(ESCALATIONS))('F-F19: takes the escalation %s', (word) => {
  expect(parseMessage(withEscalation(word))).toMatchObject({
    kind: 'message',
    message: { body: { escalation: word } },
  });
});

it.each(['gave_up', 'max_rounds', 'MAX_ROUNDS_EXCEEDED', '3'])(
  'F-F19: refuses the escalation %s, and names those that it knows',
  (word) => {
    const reading = parseMessage(withEscalation(word));
    expect(reading).toMatchObject({
      kind: 'refused',
      problems: [
        {
          field: 'body.escalation',
          message: expect.stringContaining(
            'expected one of max_rounds_exceeded, reviewer_budget_exceeded, review_incomplete, review_failed',
          ),
        },
      ],
    });
  },
);
