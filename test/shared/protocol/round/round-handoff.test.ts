import { describe, expect, it, test } from 'vitest';
import { HandoffPacket } from '../../../../shared/protocol/handoff-packet.ts';
import { parseHandoffPacket, printPacket } from '../../../../shared/protocol/packet-text.ts';
import { readDocument } from '../../../../shared/protocol/read-document.ts';
import { type HandoffInput, handoffOf, standingThreads } from '../../../../shared/protocol/round/round-handoff.ts';
import * as make from '../../rounds/builders.ts';

const HEAD = make.sha('head');

const INPUT: HandoffInput = {
  handedOver: { head: HEAD, review: 3, reason: 'max_rounds_exceeded', atMs: Date.parse('2030-01-05T23:30:00Z') },
  from: 'fixpoint',
  pr: 5,
  topic: 'forge-1',
  webUrl: 'http://forge.example/5',
  beside: 'packets/findings/20300105_5-forge-1_fixpoint_r3.yaml',
  standing: [],
};

const clean = (text: string): string => text.replaceAll('never', '[gone]');

const THREADS = [
  make.thread({ state: 'vetoed', count: 2 }),
  make.thread({ id: 'F-002', severity: 'P3', blocking: false }),
  make.thread({ id: 'F-003', state: 'resolved' }),
  make.thread({ id: 'F-004', state: 'dismissed' }),
];

const BACKSLASH = { path: 'a\\b.ts', side: 'new', startLine: 1, line: 1 } as const;

const manyThreads = (count: number) =>
  Array.from({ length: count }, (_, index) => make.thread({ id: `F-${String(index + 1).padStart(3, '0')}` }));

test('a hand-off says what is left, why it stopped and how to go on, and nothing of what is done with', () => {
  expect(handoffOf({ ...INPUT, standing: standingThreads(THREADS) }, clean)).toEqual({
    path: `packets/handoffs/20300105_5-${HEAD.slice(0, 12)}-forge-1_fixpoint_r3.yaml`,
    packet: {
      source_agent: 'fixpoint',
      target_agent: 'operator',
      intent: `Continue where the review of ${HEAD} stopped: max rounds exceeded`,
      artifacts_to_review: ['http://forge.example/5', INPUT.beside],
      definition_of_done: ['F-001 (P1): The result is [gone] awaited is resolved or dismissed'],
      context_bundle: {
        files_touched: [
          {
            path: 'a.ts',
            rationale: 'F-001 (P1): The result is [gone] awaited; F-002 (P3): The result is [gone] awaited',
          },
        ],
        decisions_made: [
          {
            decision: 'F-001 (P1): The result is [gone] awaited was handed to a human',
            alternatives_considered: ['One more answer in its thread'],
          },
        ],
        blockers_hit: [
          {
            blocker: 'F-001 (P1): The result is [gone] awaited',
            workarounds_attempted: ['Handled 2 times in its thread'],
          },
        ],
        suggested_next_steps: ['Push a new head', 'Review and decide by hand', 'Close the change request'],
      },
    },
  });
});

describe('a hand-off', () => {
  it.each<[string, Partial<HandoffInput>]>([
    ['when nothing is open', {}],
    ['when no packet goes with it', { beside: null }],
    ['of an open thread', { standing: standingThreads([make.thread()]) }],
    ['of a file whose path no document may hold', { standing: standingThreads([make.thread({ place: BACKSLASH })]) }],
    ['of more threads than it lists', { standing: standingThreads(manyThreads(300)) }],
    ['before the first review', { handedOver: { ...INPUT.handedOver, review: 0, reason: 'runner_failed' } }],
    ['of somebody who is called as those whom it calls', { from: 'operator' }],
  ])('%s is a valid document with something in each list', (_when, patch) => {
    const { packet } = handoffOf({ ...INPUT, ...patch }, clean);
    expect(HandoffPacket.parse(packet)).toEqual(packet);
    expect(parseHandoffPacket(printPacket(packet))).toEqual({ kind: 'packet', packet });
    expect(readDocument(printPacket(packet))).toEqual({ kind: 'document', what: 'hand-off packet' });
  });

  it('has another name for another head of the same round', () => {
    const other = { ...INPUT.handedOver, head: make.sha('next') };
    expect(handoffOf({ ...INPUT, handedOver: other }, clean).path).not.toBe(handoffOf(INPUT, clean).path);
  });
});
