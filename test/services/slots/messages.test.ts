/** Agents that read one message and write one, in each place of the local loop. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parseMessage } from '../../../shared/protocol/parse-message.ts';
import type { LoopSettingsPart } from '../../../services/slots/settings/settings.ts';
import { createLoopStage, type LoopStage } from './loop-stage.ts';

let stage: LoopStage;
beforeEach(() => {
  stage = createLoopStage();
});
afterEach(() => stage.dispose());

const ADDRESS = (change: string, round = 1): string =>
  `${change}; answer('review_addressed', { commit_sha: sh('git rev-parse HEAD').trim().slice(0, 10), changes_summary: 'done', round: ${round} })`;

const PACKET = (round: number, blocking = 1): string => `
packet_id: 20300131_slot_agent_r${round}
source_review_packet: ""
reviewer: agent
round: ${round}
created_at_utc: "2030-01-31T12:00:00Z"
summary: { verdict: drift, blocking_count: ${blocking}, non_blocking_count: 0 }
findings:
  - { id: F-007, severity: P1, blocking: true, status: open, area: code, file: a.txt, line: 2, repro: "no end", expected: "an end", evidence: "", recommendation: "write fixed.txt" }
`;
const REVIEW = `if (existsSync('fixed.txt')) answer('review_lgtm', { quality_gate_result: 'pass', merge_ready: true });
else {
  sh('mkdir -p packets/findings');
  write('packets/findings/one.yaml', ${JSON.stringify(PACKET(1))});
  answer('review_feedback', { findings_packet: 'packets/findings/one.yaml', round: 1, blocking_count: 1 });
}`;
const ALL = { provider: 'messages' } as const;

describe('an agent that only speaks messages', () => {
  it('is implementer, reviewer and fixer, from the task to the pass', async () => {
    const agents = {
      implementer: ADDRESS("append('a.txt', 'more\\n')"),
      reviewer: REVIEW,
      fixer: ADDRESS("write('fixed.txt', 'x')"),
    };
    const { slots } = await stage.run(agents, { settings: ALL });
    expect(slots).toMatchObject([{ status: 'passed', fixAttempts: 1, reason: null }]);
    expect(readFileSync(join(stage.root, 'fixed.txt'), 'utf8')).toBe('x');
    // Packets are answers, no work: none of them comes back.
    expect(stage.git('ls-files')).toBe('a.txt\nfixed.txt');
    for (const role of ['implementer', 'reviewer', 'fixer'] as const) {
      for (const prompt of stage.prompts(role)) expect(parseMessage(prompt)).toMatchObject({ kind: 'message' });
    }
  });

  it('finds its task, and later the findings of the reviewer, in the packet that it is pointed to', async () => {
    const keep =
      "write(process.cwd() + '/' + role + '.seen', readFileSync(prompt.match(/findings_packet: (\\S+)/)[1], 'utf8'))";
    const agents = { implementer: ADDRESS(keep), reviewer: REVIEW, fixer: ADDRESS(`${keep}; write('fixed.txt', 'x')`) };
    await stage.run(agents, { settings: ALL });
    expect(readFileSync(join(stage.root, 'implementer.seen'), 'utf8')).toMatch(/repro: Say more/);
    expect(readFileSync(join(stage.root, 'fixer.seen'), 'utf8')).toMatch(/F-007[\s\S]*write fixed\.txt/);
  });

  it('may be the reviewer alone: the fixer is told its findings in words', async () => {
    const settings = { reviewerProvider: 'messages' } as const;
    const reviewer = { reviewerCommand: [...stage.command] };
    const { slots } = await stage.run(
      { reviewer: REVIEW, fixer: "write('fixed.txt', 'x')" },
      { settings: { ...settings, ...reviewer } },
    );
    expect(slots).toMatchObject([{ status: 'passed', fixAttempts: 1 }]);
    expect(stage.prompts('fixer')).toEqual(['F-007 (P1) a.txt:2: no end\nExpected: an end\nwrite fixed.txt']);
  });

  it('may be implementer and fixer alone: what the reviewer asks for in words is one finding', async () => {
    const settings: LoopSettingsPart = { ...ALL, reviewerProvider: 'command', reviewerCommand: [...stage.command] };
    const agents = {
      implementer: ADDRESS("append('a.txt', 'more\\n')"),
      reviewer: "verdict(existsSync('fixed.txt') ? 'pass' : 'drift', 'write fixed.txt')",
      fixer: ADDRESS("write('fixed.txt', readFileSync(prompt.match(/findings_packet: (\\S+)/)[1], 'utf8'))"),
    };
    const { slots } = await stage.run(agents, { settings });
    expect(slots).toMatchObject([{ status: 'passed', fixAttempts: 1 }]);
    expect(readFileSync(join(stage.root, 'fixed.txt'), 'utf8')).toContain('recommendation: write fixed.txt');
  });
});

it('keeps a file of the work that the reviewer names as his packet', async () => {
  const packet = JSON.stringify(PACKET(1));
  const implementer = ADDRESS(`write('p.yaml', ${packet})`);
  const answer = "answer('review_feedback', { findings_packet: 'p.yaml', round: 1, blocking_count: 1 })";
  const settings = { ...ALL, reviewMaxFixAttempts: 0 };
  await stage.run({ implementer, reviewer: `await new Promise((r) => setTimeout(r, 20)); ${answer}` }, { settings });
  expect(readFileSync(join(stage.root, '.fixpoint/loop/trees/r1-1-1/p.yaml'), 'utf8')).toBe(PACKET(1));
});

describe('an answer that does not fit', () => {
  const implementer = ADDRESS("append('a.txt', 'more\\n')");

  it.each([
    ['of no message', "say('done')", 'the answer is not a protocol message'],
    [
      'of another type',
      "answer('review_lgtm', { quality_gate_result: 'pass', merge_ready: true })",
      'expected review_addressed',
    ],
    ['for another round', ADDRESS('', 2), 'for round 2; expected 1'],
    [
      'for another commit',
      "answer('review_addressed', { commit_sha: '1234567', changes_summary: 'x', round: 1 })",
      'not the head',
    ],
  ])('%s fails the implementer', async (_, text, reason) => {
    const { slots } = await stage.run({ implementer: text }, { settings: ALL });
    expect(slots).toMatchObject([{ failure: 'implementer_failed', reason: expect.stringContaining(reason) }]);
  });

  it.each([
    ['of no message', "say('fine')", 'not a protocol message'],
    [
      'without a packet',
      "answer('review_feedback', { findings_packet: 'none.yaml', round: 1, blocking_count: 1 })",
      'no findings packet',
    ],
    [
      'for another round',
      "answer('review_feedback', { findings_packet: 'x.yaml', round: 3, blocking_count: 1 })",
      'expected 1',
    ],
    [
      'without a verdict',
      "answer('review_feedback', { findings_packet: 'x.yaml', round: 1, blocking_count: 0, escalation: 'reviewer_budget_exceeded' })",
      'reviewer_budget_exceeded',
    ],
    [
      'of a pass whose gate failed',
      "answer('review_lgtm', { quality_gate_result: 'fail', merge_ready: false })",
      'quality',
    ],
    [
      'with a packet that counts otherwise',
      `write('p.yaml', ${JSON.stringify(PACKET(1))}); answer('review_feedback', { findings_packet: 'p.yaml', round: 1, blocking_count: 2 })`,
      'blocking_count',
    ],
  ])('%s violates the contract of the reviewer', async (_, reviewer, reason) => {
    const { slots } = await stage.run({ implementer, reviewer }, { settings: ALL });
    expect(slots).toMatchObject([{ failure: 'contract_violation', reason: expect.stringContaining(reason) }]);
    expect(existsSync(join(stage.root, 'p.yaml'))).toBe(false);
  });
});
