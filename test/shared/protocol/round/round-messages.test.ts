import type { Escalation } from '../../../../shared/protocol/bodies.ts';
import { describe, expect, it, test } from 'vitest';
import type { FindingsPacket } from '../../../../shared/protocol/findings-packet.ts';
import { FindingsPacket as FindingsPacketSchema } from '../../../../shared/protocol/findings-packet.ts';
import { parseFindingsPacket, printPacket } from '../../../../shared/protocol/packet-text.ts';
import { parseMessage } from '../../../../shared/protocol/parse-message.ts';
import { printMessage } from '../../../../shared/protocol/print-message.ts';
import { findingsOfThreads, findingsOnForge } from '../../../../shared/protocol/round/round-findings.ts';
import { agentName, answerOfRound } from '../../../../shared/protocol/round/round-messages.ts';
import { renderFinding } from '../../../../shared/rounds/memory/finding-comment.ts';
import type { Thread } from '../../../../shared/rounds/model/history.ts';
import type { Verdict } from '../../../../shared/vocabulary/finding.ts';
import { formatFindingId } from '../../../../shared/vocabulary/ids.ts';
import * as make from '../../rounds/builders.ts';

const WORDS = {
  from: 'fixpoint',
  to: 'ann',
  pr: 5,
  topic: 'forge-1',
  createdAtUtc: '2030-01-05T09:30:00Z',
  key: 'run',
};

const clean = (text: string): string => text.replaceAll('save', '[gone]');

type Said = { readonly round: number; readonly verdict: Verdict; readonly escalation: Escalation | null };

const answerTo = (threads: readonly Thread[], said: Partial<Said> = {}) => {
  const { round = 1, verdict = 'feedback', escalation = null } = said;
  const findings = findingsOnForge(threads, round, clean);
  const judgement = { verdict, reasons: [] };
  return answerOfRound({ round, maxRounds: 3, findings, judgement, escalation, owner: 'ann' }, WORDS);
};

/** A thread as the forge shows it, with the words of its comment. */
const commented = (words: string): Thread => {
  const thread = make.thread();
  const body = renderFinding({ ...thread, regressionOf: null, body: words });
  return { ...thread, comment: make.comment(body) };
};

const statusesOf = (packet: FindingsPacket) =>
  packet.findings.map(({ id, status, blocking }) => [id, status, blocking]);

describe('the answer of a round', () => {
  it('has the commands of the operator with their results in its packet, and none where none was run', () => {
    const result = { round: 1, maxRounds: 3, findings: [], escalation: null, owner: 'ann' } as const;
    const said = { verdict: 'feedback', reasons: [] } as const;
    const commands = [
      { name: 'unit tests', result: 'passed' },
      { name: 'lint', result: 'failed' },
      { name: 'build', result: 'not_run' },
    ] as const;
    const { packet } = answerOfRound({ ...result, judgement: said, commands }, WORDS);
    expect(packet.qa_validation).toEqual({
      commands_run: [
        { command: 'unit tests', result: 'pass' },
        { command: 'lint', result: 'fail' },
        { command: 'build', result: 'warn', notes: expect.stringMatching(/could not be run/) },
      ],
    });
    const printed = parseFindingsPacket(printPacket(packet));
    expect(printed).toMatchObject({ kind: 'packet', packet });
    expect(answerOfRound({ ...result, judgement: said }, WORDS).packet).not.toHaveProperty('qa_validation');
  });

  it('is feedback when something blocks, and points to a packet that holds it', () => {
    const { message, packet } = answerTo([commented('The promise of save is dropped, so its failure is lost.')]);
    expect(message).toMatchObject({
      type: 'review_feedback',
      from: 'fixpoint',
      to: 'ann',
      related_pr: '5',
      body: { findings_packet: 'packets/findings/20300105_5-forge-1_fixpoint_r1.yaml', round: 1, blocking_count: 1 },
    });
    expect(message.body).not.toHaveProperty('escalation');
    expect(packet.findings).toEqual([
      {
        id: 'F-001',
        severity: 'P1',
        blocking: true,
        status: 'open',
        area: 'code',
        file: 'a.ts',
        line: 3,
        repro: 'The result is never awaited\n\nThe promise of [gone] is dropped, so its failure is lost.',
        expected: '',
        evidence: '',
        recommendation: '',
      },
    ]);
  });

  it('is lgtm when nothing blocks, with every deferred finding as a nit of its owner', () => {
    const { message } = answerTo([make.thread({ severity: 'P3', blocking: false })], { verdict: 'lgtm' });
    expect(message).toMatchObject({
      type: 'review_lgtm',
      body: {
        quality_gate_result: 'pass',
        merge_ready: true,
        nits: [
          {
            nit_id: 'NIT-001',
            tier: 'P3',
            owner: 'ann',
            source: 'F-001',
            summary: 'a.ts:3: The result is never awaited',
          },
        ],
      },
    });
  });

  it('has no empty list of nits', () => {
    expect(answerTo([], { verdict: 'lgtm' }).message.body).toEqual({ quality_gate_result: 'pass', merge_ready: true });
  });

  it.each<[string, Partial<Said>, Escalation]>([
    ['the review is incomplete', { verdict: 'inconclusive' }, 'review_incomplete'],
    [
      'the budget is used up',
      { verdict: 'inconclusive', escalation: 'reviewer_budget_exceeded' },
      'reviewer_budget_exceeded',
    ],
    ['it is the last round and something blocks', { round: 3 }, 'max_rounds_exceeded'],
  ])('is feedback with an escalation when %s', (_when, said, expected) => {
    const { message } = answerTo([make.thread()], said);
    expect(message).toMatchObject({ type: 'review_feedback', body: { escalation: expected } });
  });

  it('tells what became of every thread, counts what stands, and leaves out what was dismissed', () => {
    const threads = [
      make.thread({ id: 'F-001', fingerprint: make.print('1'), state: 'resolved' }),
      make.thread({ id: 'F-002', fingerprint: make.print('2') }),
      make.thread({ id: 'F-003', fingerprint: make.print('3'), review: 2 }),
      make.thread({ id: 'F-004', fingerprint: make.print('4'), state: 'vetoed' }),
      make.thread({ id: 'F-005', fingerprint: make.print('5'), state: 'dismissed' }),
    ];
    const { packet } = answerTo(threads, { round: 2 });
    expect(statusesOf(packet)).toEqual([
      ['F-001', 'fixed', true],
      ['F-002', 'not_fixed', true],
      ['F-003', 'open', true],
      ['F-004', 'needs_clarification', true],
    ]);
    expect(packet.summary).toEqual({ verdict: 'feedback', blocking_count: 3, non_blocking_count: 0 });
  });

  it('holds against the schemas that others check it with', () => {
    const many = Array.from({ length: 300 }, (_, index) =>
      make.thread({
        id: formatFindingId(index + 1),
        fingerprint: make.print(`f${index}`),
        place: { path: `${'d/'.repeat(100)}f${index}.ts`, side: 'new', startLine: 1, line: 1 },
        severity: index % 2 === 0 ? 'P3' : 'P2',
        blocking: false,
        title: `${index} ${'t'.repeat(180)}`,
      }),
    );
    const { message, packet } = answerTo(many, { verdict: 'lgtm' });
    expect(parseMessage(printMessage(message))).toEqual({ kind: 'message', message });
    expect(FindingsPacketSchema.parse(packet)).toEqual(packet);
    expect(packet.findings).toHaveLength(300);
  });

  it('has the same id whenever it is said again, and another one for another run', () => {
    const idOf = (key: string): string => {
      const result = {
        round: 1,
        maxRounds: 3,
        findings: [],
        judgement: { verdict: 'lgtm', reasons: [] },
        escalation: null,
        owner: 'a',
      } as const;
      return answerOfRound(result, { ...WORDS, key }).message.id;
    };
    expect(idOf('a')).toBe(idOf('a'));
    expect(idOf('a')).toMatch(/^msg-20300105093000-fixpoint-[0-9a-f]{4}$/);
    expect(idOf('a')).not.toBe(idOf('b'));
  });

  it('keeps a finding whose path no document may hold, without its place', () => {
    const { packet } = answerTo([make.thread({ place: { path: 'a\\b.ts', side: 'new', startLine: 1, line: 1 } })]);
    expect(packet.findings.map(({ id, file }) => [id, file])).toEqual([['F-001', '']]);
  });
});

test.each([
  ['src/test/a.ts', null, 'test'],
  ['src/a.test.ts', null, 'test'],
  ['docs/a.png', null, 'docs'],
  ['README.md', null, 'docs'],
  ['Dockerfile', null, 'infra'],
  ['a.yaml', null, 'config'],
  ['a.ts', null, 'code'],
  ['a.ts', 'secrets-aws', 'security'],
])('a finding in %s by the rule %s is about %s', (path, rule, area) => {
  const [finding] = findingsOfThreads(
    [make.thread({ rule, place: { path, side: 'new', startLine: 1, line: 1 } })],
    clean,
  );
  expect(finding?.area).toBe(area);
});

it('says so where a claim is longer than a field of the protocol, and keeps within it', () => {
  const [finding] = findingsOfThreads([make.thread({ title: 'x'.repeat(9_000) })], clean);
  expect(finding?.repro).toMatch(/^x{7000,}\n\n_\(Cut here: the text was longer than 8000 characters\.\)_$/);
  expect(finding?.repro.length).toBeLessThanOrEqual(8_000);
});

test('of two threads with one number the one that stands is told', () => {
  const threads = [
    make.thread({ state: 'resolved' }),
    make.thread({ state: 'open', fingerprint: make.print('again') }),
  ];
  expect(findingsOfThreads(threads, clean).map(({ id, status }) => [id, status])).toEqual([['F-001', 'not_fixed']]);
});

test.each([
  ['ann', 'ann'],
  ['_ann', 'ann'],
  ['ann[bot]', 'ann-bot-'],
  ['', 'unnamed'],
  ['é', 'unnamed'],
])('the account %j speaks as %s', (login, name) => {
  expect(agentName(login)).toBe(name);
});
