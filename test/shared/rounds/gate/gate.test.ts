import { describe, expect, it } from 'vitest';
import { gate } from '../../../../shared/rounds/gate/gate.ts';
import type { Thread } from '../../../../shared/rounds/model/history.ts';
import type { RepositoryRules } from '../../../../shared/rounds/model/repository-rules.ts';
import type { ThreadAnswer } from '../../../../shared/vocabulary/finding.ts';
import * as make from '../builders.ts';

const answer = (patch: Partial<ThreadAnswer> = {}): ThreadAnswer => ({
  findingId: 'F-001',
  stance: 'accepts',
  action: 'resolve',
  severity: null,
  body: 'Fixed.',
  ...patch,
});

const replied = answer({ stance: 'seeks_change', action: 'reply', body: 'Still there.' });

const withThreads = (...threads: readonly Thread[]) => make.history({ threads, nextNumber: threads.length + 1 });

describe('the gate, on open threads', () => {
  const history = withThreads(make.thread());
  it.each([
    ['one legal action', [answer()], []],
    ['no action', [], ['F-001 has 0 actions instead of exactly one']],
    ['two actions', [answer(), answer()], ['F-001 has 2 actions instead of exactly one']],
    ['an unknown thread', [answer(), answer({ findingId: 'F-009' })], ['F-009 is not an open thread']],
    ['an illegal action', [answer({ stance: 'accepts', action: 'reply' })], ['F-001: stance accepts means resolve']],
  ])('answers %s with violations %j', (_name, answers, violations) => {
    expect(gate(make.draft({ round: 2, answers }), history, make.policy()).violations).toEqual(violations);
  });

  it('allows no reply in the final round', () => {
    const answers = [answer({ stance: 'seeks_change', action: 'reply' })];
    expect(gate(make.draft({ round: 3, answers }), history, make.policy()).violations).toHaveLength(1);
  });

  it('asks for nothing about what this very round has posted half-way', () => {
    const halfPosted = withThreads(make.thread({ round: 2 }));
    expect(gate(make.draft({ round: 2 }), halfPosted, make.policy()).violations).toEqual([]);
  });
});

describe('the gate, on new findings', () => {
  const duplicateOf = make.finding();
  const others = {
    a: make.finding({}, { title: 'Another thing entirely', evidence: 'other();', line: 40, startLine: 40 }),
  };
  it('numbers them after every number ever given', () => {
    const history = make.history({ nextNumber: 12 });
    const result = gate(make.draft({ findings: [duplicateOf, others.a] }), history, make.policy());
    expect(result.accepted.map(({ id }) => id)).toEqual(['F-012', 'F-013']);
  });

  it.each([
    ['repeats an open thread', make.thread({ state: 'open' }), 'P1', 'repeats an open thread'],
    ['is a P2 that was vetoed', make.thread({ state: 'vetoed' }), 'P2', 'repeats a closed finding'],
    ['is a P3 that was escalated', make.thread({ state: 'escalated' }), 'P3', 'repeats a closed finding'],
    ['is a P2 that was resolved', make.thread({ state: 'resolved' }), 'P2', 'repeats a closed finding'],
  ] as const)('X7: drops one that %s', (_name, thread, severity, reason) => {
    const findings = [make.finding({}, { severity })];
    const result = gate(
      make.draft({ round: 2, findings, answers: thread.state === 'open' ? [replied] : [] }),
      withThreads(thread),
      make.policy(),
    );
    expect(result.accepted).toEqual([]);
    expect(result.dropped).toEqual([{ title: duplicateOf.claim.title, reason }]);
  });

  it('is not fooled by a draft that resolves a thread and raises the same again', () => {
    const given = make.draft({ round: 2, findings: [duplicateOf], answers: [answer()] });
    const result = gate(given, withThreads(make.thread()), make.policy());
    expect(result.violations).toEqual(['F-001 is resolved and raised again']);
  });

  it('keeps two findings of one rule on neighbouring lines apart', () => {
    const ofRule = (line: number, evidence: string) =>
      make.finding({}, { rule: 'js-eval', startLine: line, line, evidence });
    const findings = [ofRule(10, 'eval(a)'), ofRule(12, 'eval(b)')];
    expect(gate(make.draft({ findings }), make.history(), make.policy()).accepted).toHaveLength(2);
    const standing = make.thread({
      rule: 'js-eval',
      state: 'vetoed',
      place: { path: 'a.ts', side: 'new', startLine: 11, line: 11 },
    });
    const again = gate(make.draft({ round: 2, findings }), withThreads(standing), make.policy());
    expect(again.accepted).toHaveLength(2);
    const moved = [{ findingId: 'F-001', place: { path: 'a.ts', side: 'new' as const, startLine: 12, line: 12 } }];
    const followed = gate(make.draft({ round: 2, findings, moved }), withThreads(standing), make.policy());
    expect(followed.accepted.map(({ finding }) => finding.claim.line)).toEqual([10]);
  });

  it('raises a P1 that comes back after it was resolved as a regression', () => {
    const history = withThreads(make.thread({ state: 'resolved' }));
    const result = gate(make.draft({ round: 2, findings: [duplicateOf] }), history, make.policy());
    expect(result.accepted).toMatchObject([{ id: 'F-002', regressionOf: 'F-001', alreadySaid: false }]);
  });

  it('X7: recognises a reworded claim on the moved line', () => {
    const reworded = make.finding(
      { fingerprint: make.print('other') },
      { title: 'The result here is never awaited', line: 8, startLine: 8, severity: 'P2' },
    );
    const history = withThreads(make.thread({ state: 'vetoed' }));
    const moved = [{ findingId: 'F-001', place: { path: 'a.ts', side: 'new' as const, startLine: 8, line: 8 } }];
    const result = gate(make.draft({ round: 2, findings: [reworded], moved }), history, make.policy());
    expect(result.dropped).toEqual([{ title: reworded.claim.title, reason: 'repeats a closed finding' }]);
  });

  it('does not take another claim on the same line for the same finding', () => {
    const other = make.finding(
      { fingerprint: make.print('other') },
      { title: 'Secrets are written to the log', body: 'The order holds the card number.' },
    );
    const result = gate(
      make.draft({ round: 2, findings: [other] }),
      withThreads(make.thread({ state: 'vetoed' })),
      make.policy(),
    );
    expect(result.accepted).toHaveLength(1);
  });

  it('takes what this round has posted half-way as said', () => {
    const result = gate(make.draft({ findings: [duplicateOf] }), withThreads(make.thread({ round: 1 })), make.policy());
    expect(result.accepted).toMatchObject([{ id: 'F-001', alreadySaid: true }]);
  });

  it('says one claim once', () => {
    const result = gate(make.draft({ findings: [duplicateOf, make.finding()] }), make.history(), make.policy());
    expect(result.accepted).toHaveLength(1);
    expect(result.dropped).toMatchObject([{ reason: 'repeats another new finding' }]);
  });

  it.each([
    ['P2', 0, 1],
    ['P3', 0, 1],
    ['P1', 1, 0],
    ['P0', 1, 0],
  ] as const)('on an unchanged hunk treats a %s so: %i accepted, %i dropped', (severity, accepted, dropped) => {
    const findings = [make.finding({ onChangedHunk: false }, { severity })];
    const result = gate(make.draft({ round: 2, findings }), make.history(), make.policy());
    expect([result.accepted.length, result.dropped.length]).toEqual([accepted, dropped]);
  });

  it.each([
    ['P0', 1],
    ['P1', 1],
    ['P2', 0],
    ['P3', 0],
  ] as const)('lists an unevidenced %s apart: %i', (severity, unverified) => {
    const findings = [make.finding({ evidenced: false }, { severity })];
    const result = gate(make.draft({ findings }), make.history(), make.policy());
    expect([result.unverified.length, result.accepted.length]).toEqual([unverified, 1 - unverified]);
  });

  it('opens no thread below P1 in the final round, and loses none', () => {
    const findings = [
      make.finding({}, { severity: 'P2' }),
      make.finding({}, { severity: 'P1', title: 'Other', evidence: 'x1', line: 30, startLine: 30 }),
    ];
    const result = gate(make.draft({ round: 3, findings }), make.history(), make.policy());
    expect(result.accepted.map(({ finding, ownThread }) => [finding.claim.severity, ownThread])).toEqual([
      ['P2', false],
      ['P1', true],
    ]);
  });

  it('P1: gives threads of their own to at most 50, the gravest first', () => {
    const findings = Array.from({ length: 60 }, (_, index) =>
      make.finding(
        {},
        {
          severity: index === 59 ? 'P0' : 'P3',
          title: `Claim ${index}`,
          evidence: `code${index}`,
          line: 100 * index + 1,
          startLine: 100 * index + 1,
        },
      ),
    );
    const result = gate(make.draft({ findings }), make.history(), make.policy());
    const own = result.accepted.filter(({ ownThread }) => ownThread);
    expect([result.accepted.length, own.length, own.at(-1)?.finding.claim.severity]).toEqual([60, 50, 'P0']);
  });
});

describe("the gate, under a repository's settings", () => {
  const rules = (patch: Partial<RepositoryRules> = {}): RepositoryRules => ({
    maxRounds: null,
    minSeverity: 'P3',
    notes: [],
    ...patch,
  });

  const floors: readonly (readonly [RepositoryRules['minSeverity'], readonly string[]])[] = [
    ['P3', ['P0', 'P1', 'P2 blocks', 'P2', 'P3', 'P1 outside']],
    ['P2', ['P0', 'P1', 'P2 blocks', 'P2', 'P1 outside']],
    ['P1', ['P0', 'P1', 'P2 blocks', 'P1 outside']],
  ];
  it.each(floors)('C6: says with the floor %s what is as grave as that, and whatever blocks', (minSeverity, said) => {
    const claims = [
      { title: 'P0', severity: 'P0' },
      { title: 'P1', severity: 'P1' },
      { title: 'P2 blocks', severity: 'P2', blocking: true },
      { title: 'P2', severity: 'P2' },
      { title: 'P3', severity: 'P3' },
      { title: 'P1 outside', severity: 'P1', relation: 'outside_diff' },
    ] as const;
    const findings = claims.map((claim, index) =>
      make.finding({ fingerprint: make.print(claim.title) }, { ...claim, path: `${index}.ts`, evidence: claim.title }),
    );
    const draft = make.draft({ findings, repository: rules({ minSeverity }) });
    const { accepted, dropped } = gate(draft, make.history(), make.policy());
    expect(accepted.map(({ finding }) => finding.claim.title)).toEqual(said);
    expect(dropped).toEqual(
      claims
        .filter(({ title }) => !said.includes(title))
        .map(({ title }) => ({ title, reason: 'below the severity that the repository wants to hear of' })),
    );
  });

  it('keeps what was said in this very round before, whatever the floor is now', () => {
    const finding = make.finding({}, { severity: 'P3' });
    const said = make.thread({ round: 1, severity: 'P3', blocking: false, fingerprint: finding.fingerprint });
    const draft = make.draft({ findings: [finding], repository: rules({ minSeverity: 'P1' }) });
    expect(gate(draft, withThreads(said), make.policy()).accepted).toMatchObject([{ alreadySaid: true }]);
  });

  it('opens no light thread in what has just turned out to be the last round, and answers as the round began', () => {
    const findings = [make.finding({}, { severity: 'P2', evidence: 'x();', line: 40, startLine: 40 })];
    const draft = make.draft({ round: 2, findings, answers: [replied] });
    const history = withThreads(make.thread());
    const two = make.policy({}, { max: 2 });
    expect(gate(draft, history, make.policy()).accepted).toMatchObject([{ ownThread: true }]);
    const now = gate(draft, history, make.policy(), two);
    expect(now).toMatchObject({ violations: [], accepted: [{ ownThread: false }] });
    expect(gate(draft, history, two).violations).toHaveLength(1);
  });
});
