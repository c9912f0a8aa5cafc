import { expect, test } from 'vitest';
import { decideOrder, newConversation } from '../../../../shared/protocol/conversation.ts';
import { messagesOfHistory } from '../../../../shared/protocol/round/history-messages.ts';
import { parseFindingsPacket, printPacket } from '../../../../shared/protocol/packet-text.ts';
import { parseMessage } from '../../../../shared/protocol/parse-message.ts';
import { printMessage } from '../../../../shared/protocol/print-message.ts';
import { readDocument } from '../../../../shared/protocol/read-document.ts';
import type { History, ReviewedInput } from '../../../../shared/rounds/model/history.ts';
import type { Verdict } from '../../../../shared/vocabulary/finding.ts';
import * as make from '../../rounds/builders.ts';

const reviewed = (review: number, verdict: Verdict): ReviewedInput => ({
  head: make.sha(`head ${review}`),
  base: make.sha('base'),
  fingerprint: make.print(`${review}`),
  target: 'main',
  targetHead: make.sha('target'),
  rules: make.print('rules'),
  review,
  verdict,
});

const handedOver = (review: number, head: string, reason = 'max_rounds_exceeded'): History['handoffs'][number] => ({
  head: make.sha(head),
  review,
  reason,
  atMs: Date.parse('2030-01-05T08:00:00Z') + review,
});

const exported = (
  verdicts: readonly Verdict[],
  reviewer = 'fixpoint',
  handoffs: History['handoffs'] = [],
  ended: Pick<ReviewedInput, 'exceeded'> = {},
) =>
  messagesOfHistory(
    {
      facts: make.changeRequest({ updatedAtMs: Date.parse('2030-01-05T09:00:00Z') }),
      history: make.history({
        handoffs,
        reviewed: verdicts.map((verdict, index) => ({
          ...reviewed(index + 1, verdict),
          ...(index === verdicts.length - 1 ? ended : {}),
        })),
        threads: [
          make.thread({ state: 'resolved' }),
          make.thread({ id: 'F-002', review: 2, fingerprint: make.print('2') }),
        ],
      }),
      maxRounds: 3,
      reviewer,
    },
    (text) => text,
  );

test('the rounds of a change request are a conversation in order, of valid documents', () => {
  const { messages, packets } = exported(['feedback', 'feedback', 'lgtm']);
  expect(messages.map(({ type, from }) => `${type} ${from}`)).toEqual([
    'review_request author',
    'review_feedback fixpoint',
    'review_addressed author',
    'review_request author',
    'review_feedback fixpoint',
    'review_addressed author',
    'review_request author',
    'review_lgtm fixpoint',
  ]);
  let conversation = newConversation();
  for (const message of messages) {
    const order = decideOrder(conversation, message, { maxRounds: 3 });
    expect(order).toMatchObject({ kind: 'accepted' });
    if (order.kind === 'accepted') conversation = order.conversation;
    expect(parseMessage(printMessage(message))).toEqual({ kind: 'message', message });
  }
  for (const packet of packets) expect(parseFindingsPacket(printPacket(packet))).toEqual({ kind: 'packet', packet });
});

test('every round lists what it raised, and the last one what became of the rest', () => {
  const { packets } = exported(['feedback', 'feedback']);
  expect(packets.map(({ findings }) => findings.map(({ id, status }) => `${id} ${status}`))).toEqual([
    ['F-001 open'],
    ['F-002 open', 'F-001 fixed'],
  ]);
});

test.each([
  [['inconclusive'], 'review_incomplete'],
  [['feedback', 'feedback', 'feedback'], 'max_rounds_exceeded'],
] as const)('rounds with %j end with the escalation %s', (verdicts, escalation) => {
  expect(exported(verdicts).messages.at(-1)).toMatchObject({ body: { escalation } });
});

test.each([1, 3])('F-F18: a reviewer that ran out of its budget in round %i of 3 says so', (round) => {
  const before = ['feedback', 'feedback'] as const;
  const { messages } = exported([...before.slice(0, round - 1), 'inconclusive'], 'fixpoint', [], { exceeded: true });
  expect(messages.at(-1)).toMatchObject({ body: { round, escalation: 'reviewer_budget_exceeded' } });
});

test('the answer to a round names the head that the next one reviewed', () => {
  const { messages } = exported(['feedback', 'lgtm']);
  expect(messages[2]).toMatchObject({ body: { commit_sha: make.sha('head 2'), round: 1 } });
});

test('nothing was reviewed, so nothing was said', () => {
  expect(exported([])).toEqual({ messages: [], packets: [], handoffs: [] });
});

test('each hand-off is a packet, which its feedback and the request after it point to', () => {
  const { messages, packets, handoffs } = exported(['feedback', 'feedback', 'lgtm'], 'fixpoint', [
    handedOver(2, 'head 2'),
  ]);
  const [{ path, packet }] = only(handoffs);
  expect(path).toBe(`packets/handoffs/20300105_5-${make.sha('head 2').slice(0, 12)}-main-1_fixpoint_r2.yaml`);
  expect(readDocument(printPacket(packet))).toEqual({ kind: 'document', what: 'hand-off packet' });
  expect(packet).toMatchObject({
    source_agent: 'fixpoint',
    artifacts_to_review: ['http://forge.example/5', `packets/findings/${packets[1]?.packet_id}.yaml`],
    definition_of_done: [expect.stringMatching(/^F-002 \(P1\)/)],
  });
  const pointing = messages.map(({ type, related_packet: related, body }) => [
    type,
    related ?? ('handoff_ref' in body ? body.handoff_ref : undefined),
  ]);
  expect(pointing.filter(([, named]) => named !== undefined)).toEqual([
    ['review_feedback', path],
    ['review_request', path],
  ]);
  for (const message of messages) expect(parseMessage(printMessage(message))).toEqual({ kind: 'message', message });
});

test('a hand-off before any round is a packet too, and one of a round knows nothing of later findings', () => {
  const early = exported([], 'fixpoint', [handedOver(1, 'head', 'runner_failed')]);
  expect([early.messages, early.packets, early.handoffs.length]).toEqual([[], [], 1]);
  const [{ packet }] = only(exported(['feedback', 'feedback'], 'fixpoint', [handedOver(1, 'head 1')]).handoffs);
  expect(packet.definition_of_done).toEqual(['A human has reviewed the newest head']);
});

const only = <Item>(items: readonly Item[]): readonly [Item] => {
  const [item, ...others] = items;
  if (item === undefined || others.length > 0) throw new Error(`expected one, not ${items.length}`);
  return [item];
};

test('nobody writes to themselves, also where the bot reviews its own change', () => {
  expect(exported(['lgtm'], 'author').messages.map(({ from, to }) => [from, to])).toEqual([
    ['author-author', 'author'],
    ['author', 'author-author'],
  ]);
});

test('a document is told apart by what only its kind has', () => {
  const { messages, packets } = exported(['feedback']);
  const texts = [...messages.map(printMessage), ...packets.map(printPacket)];
  expect(texts.map(readDocument)).toEqual([
    { kind: 'document', what: 'review_request' },
    { kind: 'document', what: 'review_feedback' },
    { kind: 'document', what: 'findings packet' },
  ]);
});
