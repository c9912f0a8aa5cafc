import { expect, test } from 'vitest';
import { judgeMessage } from '../../../services/ingress/judge-message.ts';
import { HandoffPacket } from '../../../shared/protocol/handoff-packet.ts';
import { printPacket } from '../../../shared/protocol/packet-text.ts';
import { printMessage } from '../../../shared/protocol/print-message.ts';
import { ReviewMessage } from '../../../shared/protocol/message.ts';
import { example } from '../../shared/protocol/examples.ts';

const HANDOFF = HandoffPacket.parse({
  source_agent: 'ann',
  target_agent: 'fixpoint',
  intent: 'Finish the cart.',
  artifacts_to_review: ['src/cart.ts'],
  definition_of_done: ['The cart adds up'],
  context_bundle: {
    files_touched: [{ path: 'src/cart.ts', rationale: 'It holds the sum' }],
    decisions_made: [{ decision: 'Prices are whole cents', alternatives_considered: ['Floats'] }],
    blockers_hit: [{ blocker: 'No test data', workarounds_attempted: ['None'] }],
    suggested_next_steps: ['Look at rounding'],
  },
});

const request = (ref: string | undefined): ReviewMessage => {
  const message = example('review_request');
  return ReviewMessage.parse({ ...message, body: { ...message.body, handoff_ref: ref } });
};

const judged = (message: ReviewMessage, packet: string) =>
  judgeMessage(
    { name: message.from, role: 'author', forge: 'code', projectId: 4, match: null },
    `${printMessage(message)}---\n${packet}`,
  );

test('F-F18: a request brings the hand-off packet that it names along', () => {
  expect(judged(request('packets/handoffs/a.yaml'), printPacket(HANDOFF))).toMatchObject({
    kind: 'accepted',
    packet: null,
    handoff: HANDOFF,
  });
});

test('F-F18: a packet that a request does not name, or that is no hand-off, is refused with the field', () => {
  expect(judged(request(undefined), printPacket(HANDOFF))).toMatchObject({
    kind: 'malformed',
    problems: [{ field: 'body.handoff_ref' }],
  });
  const { intent: _gone, ...rest } = HANDOFF;
  expect(judged(request('packets/handoffs/a.yaml'), JSON.stringify(rest))).toMatchObject({
    kind: 'malformed',
    problems: [{ field: 'intent' }],
  });
});

test.each(['\u2028', '\u2029'])('a text may have %j before three dashes: YAML ends no line there', (separator) => {
  const message = example('review_request');
  const summary = `a${separator}---\nb`;
  const sent = ReviewMessage.parse({ ...message, body: { ...message.body, diff_summary: summary } });
  const client = { name: sent.from, role: 'author', forge: 'code', projectId: 4, match: null } as const;
  for (const begin of ['', '---\n', '---\r\n']) {
    const judgement = judgeMessage(client, `${begin}${printMessage(sent)}`);
    expect(judgement).toMatchObject({ kind: 'accepted', packet: null, message: { body: { diff_summary: summary } } });
  }
});
