import { expect, test } from 'vitest';
import { tellAuthor } from '../../../services/guard/tell-author.ts';
import { handoffPathOf } from '../../../shared/mailbox/mailbox-message.ts';
import type { Sending } from '../../../shared/mailbox/message-store.ts';
import { HandoffPacket } from '../../../shared/protocol/handoff-packet.ts';
import type { History } from '../../../shared/rounds/model/history.ts';
import type { Verdict } from '../../../shared/vocabulary/finding.ts';
import { changeRequest, history, policy, sha, thread } from '../../shared/rounds/builders.ts';

const AT_MS = Date.parse('2030-01-05T09:30:00Z');
const CALL = { head: sha('head'), review: 3, reason: 'max_rounds_exceeded', atMs: AT_MS - 1_000 };

const tell = async (
  patch: Partial<History>,
  verdict: Verdict,
  ended: { readonly failed?: true; readonly exceeded?: true } = {},
): Promise<readonly Sending[]> => {
  const sent: Sending[] = [];
  await tellAuthor(
    {
      messageStore: {
        send: async (_of, letter) => (sent.push(letter), { kind: 'accepted' }),
        list: async () => Promise.reject(new Error('nothing is read')),
      },
      namesOf: () => ['ann', 'amy'],
      ownName: 'fixpoint',
      clean: (text) => text.replaceAll('awaited', '[gone]'),
    },
    { facts: changeRequest(), history: history({ threads: [thread()], reviewsDone: 3, ...patch }), policy: policy() },
    {
      kind: 'tell_author',
      head: sha('head'),
      review: 3,
      verdict,
      failed: false,
      exceeded: false,
      ...ended,
      atMs: AT_MS,
    },
  );
  return sent;
};

test('feedback over a head at which a human was called carries the hand-off packet that it points to', async () => {
  const sent = await tell({ handoffs: [{ ...CALL, head: sha('before') }, CALL] }, 'feedback');
  expect(sent.map(({ message }) => message.to)).toEqual(['ann', 'amy']);
  for (const { message, packet, handoff } of sent) {
    expect(handoffPathOf(message)).toBe(
      `packets/handoffs/20300105_5-${sha('head').slice(0, 12)}-main-1_fixpoint_r3.yaml`,
    );
    expect(HandoffPacket.parse(handoff)).toMatchObject({
      target_agent: 'operator',
      artifacts_to_review: ['http://forge.example/5', `packets/findings/${packet?.packet_id}.yaml`],
      definition_of_done: ['F-001 (P1): The result is never [gone] is resolved or dismissed'],
    });
  }
});

test.each<[string, Partial<History>, Verdict]>([
  ['nobody was called', {}, 'feedback'],
  ['a human was called at another head only', { handoffs: [{ ...CALL, head: sha('before') }] }, 'feedback'],
  ['it passes after all', { handoffs: [CALL] }, 'lgtm'],
])('no hand-off packet goes along where %s', async (_where, patch, verdict) => {
  const sent = await tell(patch, verdict);
  expect(sent.map(({ message, handoff }) => [handoffPathOf(message), handoff])).toEqual([
    [null, null],
    [null, null],
  ]);
});

test.each([
  ['a budget was used up', {}, { exceeded: true }, 'reviewer_budget_exceeded'],
  ['a budget was used up with rounds left', { roundsUsed: 1 }, { exceeded: true }, 'reviewer_budget_exceeded'],
  ['the review failed with rounds left', { roundsUsed: 1 }, { failed: true }, 'review_failed'],
  ['no round is left', { roundsUsed: 3 }, { failed: true }, 'max_rounds_exceeded'],
] as const)('F-F18: where %s, the author hears that', async (_where, patch, ended, escalation) => {
  const sent = await tell(patch, 'inconclusive', ended);
  expect(sent.map(({ message }) => 'escalation' in message.body && message.body.escalation)).toEqual([
    escalation,
    escalation,
  ]);
});
