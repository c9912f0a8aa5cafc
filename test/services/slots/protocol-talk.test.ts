import { expect, it } from 'vitest';
import { packetOfText, requestMessageOf, type Talk } from '../../../services/slots/protocol-talk.ts';
import { FindingsPacket } from '../../../shared/protocol/findings-packet.ts';

const TALK: Talk = {
  name: 'r1-1-1',
  branch: 'fixpoint/loop/r1-1-1',
  slot: 1,
  round: 1,
  what: 'task',
  nowUtc: '2030-01-31T12:00:00Z',
};
const LONG = 'x'.repeat(9_000);
const CUT = `${'x'.repeat(7_900)}\n[cut: only the first 7900 of 9000 characters are shown]`;

it('gives a task or a follow-up as it stands where it fits a field of the protocol', () => {
  const text = 'y'.repeat(8_000);
  expect(packetOfText(TALK, { title: 'Do it', text }).findings[0]).toMatchObject({
    repro: 'Do it',
    recommendation: text,
  });
});

it('states what was cut of a longer one, with both numbers, within what a packet may hold', () => {
  const packet = packetOfText(TALK, { title: LONG, text: LONG });
  expect(FindingsPacket.parse(packet).findings[0]).toMatchObject({ repro: CUT, recommendation: CUT });
  const asked = { summary: LONG, context: 'c.md', maxRuntimeS: 60 };
  expect(requestMessageOf(TALK, asked).body.diff_summary).toBe(CUT);
});
