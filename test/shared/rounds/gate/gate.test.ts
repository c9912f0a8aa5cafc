import { describe, expect, it } from 'vitest';
import { gate } from '../../../../shared/rounds/gate/gate.ts';
import { judgeReview } from '../../../../shared/rounds/gate/verdict.ts';
import type { CheckedFinding, Resolvable } from '../../../../shared/rounds/model/draft.ts';
import type { Thread } from '../../../../shared/rounds/model/history.ts';
import type { RepositoryRules } from '../../../../shared/rounds/model/repository-rules.ts';
import type { DraftFinding, ThreadAnswer } from '../../../../shared/vocabulary/finding.ts';
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

const TOUCHED: Resolvable = { findingId: 'F-001', why: 'touched' };

describe('the gate, on open threads', () => {
  const history = withThreads(make.thread());
  it.each([
    ['one legal action', [answer()], []],
    ['no action', [], ['F-001 has 0 actions instead of exactly one']],
    ['two actions', [answer(), answer()], ['F-001 has 2 actions instead of exactly one']],
    ['an unknown thread', [answer(), answer({ findingId: 'F-009' })], ['F-009 is not an open thread']],
    [
      'an illegal action',
      [answer({ stance: 'accepts', action: 'reply' })],
      ['F-001: stance accepts requires the action resolve'],
    ],
  ])('answers %s with violations %j', (_name, answers, violations) => {
    const draft = make.draft({ review: 2, answers, resolvable: [TOUCHED] });
    expect(gate(draft, history, make.policy()).violations).toEqual(violations);
  });

  it('allows no reply in the final round', () => {
    const draft = make.draft({ review: 3, answers: [replied], resolvable: [TOUCHED] });
    expect(gate(draft, history, make.policy()).violations).toEqual([]);
    expect(gate(draft, { ...history, roundsUsed: 2 }, make.policy()).violations).toEqual([
      'F-001: reply is not allowed here; allowed: resolve, veto, escalate',
    ]);
  });

  describe('that nothing happened to', () => {
    const idle = (answers: readonly ThreadAnswer[], why?: Resolvable['why']) =>
      gate(
        make.draft({
          review: 2,
          answers: [...answers],
          resolvable: why === undefined ? [] : [{ findingId: 'F-001', why }],
        }),
        history,
        make.policy(),
      );

    it('needs no action', () => {
      expect(idle([])).toMatchObject({
        violations: [],
        handled: [],
        left: [{ thread: { id: 'F-001' }, why: 'waits' }],
      });
    });

    it.each(['reply', 'veto', 'escalate'] as const)('takes no %s', (action) => {
      const said = answer({ stance: 'seeks_change', action, severity: action === 'escalate' ? 'P0' : null });
      const reason = `F-001: ${action} is not allowed: its lines are unchanged and nobody has answered`;
      expect([idle([said]).violations, idle([said], 'near').violations]).toEqual([[reason], [reason]]);
    });

    it.each([
      ['near', 1],
      ['rule', 1],
      // That a change elsewhere fixes a P1 would have to be verified.
      ['elsewhere', 0],
      [undefined, 0],
    ] as const)('is resolved where something near it changed or its rule is silent: %s, %i', (why, handled) => {
      expect(idle([answer()], why).handled).toHaveLength(handled);
    });

    it('needs no action either when it is only listed', () => {
      const listed = withThreads(make.thread({ severity: 'P2', blocking: false, listed: true }));
      const result = gate(make.draft({ review: 2, resolvable: [TOUCHED] }), listed, make.policy());
      expect(result).toMatchObject({ violations: [], left: [{ why: 'waits' }] });
    });
  });

  it('acts on none after the last round but to resolve it', () => {
    const closing = { ...history, roundsUsed: 3 };
    const gated = (answers: readonly ThreadAnswer[]) =>
      gate(make.draft({ review: 4, answers: [...answers], resolvable: [TOUCHED] }), closing, make.policy());
    expect(gated([])).toMatchObject({ violations: [], left: [{ why: 'waits' }] });
    expect(gated([answer()]).handled).toHaveLength(1);
    expect(gated([replied]).violations).toHaveLength(1);
  });

  it('asks for nothing about what this very round has posted half-way', () => {
    const halfPosted = withThreads(make.thread({ review: 2 }));
    expect(gate(make.draft({ review: 2 }), halfPosted, make.policy()).violations).toEqual([]);
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
      make.draft({ review: 2, findings, answers: thread.state === 'open' ? [replied] : [] }),
      withThreads(thread),
      make.policy(),
    );
    expect(result.accepted).toEqual([]);
    expect(result.dropped).toEqual([{ title: duplicateOf.claim.title, reason }]);
  });

  it('is not fooled by a draft that resolves a thread and raises the same again', () => {
    const given = make.draft({ review: 2, findings: [duplicateOf], answers: [answer()] });
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
    const again = gate(make.draft({ review: 2, findings }), withThreads(standing), make.policy());
    expect(again.accepted).toHaveLength(2);
    const moved = [{ findingId: 'F-001', place: { path: 'a.ts', side: 'new' as const, startLine: 12, line: 12 } }];
    const followed = gate(make.draft({ review: 2, findings, moved }), withThreads(standing), make.policy());
    expect(followed.accepted.map(({ finding }) => finding.claim.line)).toEqual([10]);
  });

  it('raises a P1 that comes back after it was resolved as a regression', () => {
    const history = withThreads(make.thread({ state: 'resolved' }));
    const result = gate(make.draft({ review: 2, findings: [duplicateOf] }), history, make.policy());
    expect(result.accepted).toMatchObject([{ id: 'F-002', regressionOf: 'F-001', alreadySaid: false }]);
  });

  it('X7: recognises a reworded claim on the moved line', () => {
    const reworded = make.finding(
      { fingerprint: make.print('other') },
      { title: 'The result here is never awaited', line: 8, startLine: 8, severity: 'P2' },
    );
    const history = withThreads(make.thread({ state: 'vetoed' }));
    const moved = [{ findingId: 'F-001', place: { path: 'a.ts', side: 'new' as const, startLine: 8, line: 8 } }];
    const result = gate(make.draft({ review: 2, findings: [reworded], moved }), history, make.policy());
    expect(result.dropped).toEqual([{ title: reworded.claim.title, reason: 'repeats a closed finding' }]);
  });

  it('does not take another claim on the same line for the same finding', () => {
    const other = make.finding(
      { fingerprint: make.print('other') },
      { title: 'Secrets are written to the log', body: 'The order holds the card number.' },
    );
    const result = gate(
      make.draft({ review: 2, findings: [other] }),
      withThreads(make.thread({ state: 'vetoed' })),
      make.policy(),
    );
    expect(result.accepted).toHaveLength(1);
  });

  it('takes what this round has posted half-way as said', () => {
    const result = gate(
      make.draft({ findings: [duplicateOf] }),
      withThreads(make.thread({ review: 1 })),
      make.policy(),
    );
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
    const result = gate(make.draft({ review: 2, findings }), make.history(), make.policy());
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
    const result = gate(make.draft({ review: 3, findings }), make.history({ roundsUsed: 2 }), make.policy());
    expect(result.accepted.map(({ finding, ownThread }) => [finding.claim.severity, ownThread])).toEqual([
      ['P2', false],
      ['P1', true],
    ]);
  });

  describe('P1: and their threads', () => {
    const many = (count: number, claim: (index: number) => Partial<DraftFinding>) =>
      Array.from({ length: count }, (_, index) =>
        make.finding(
          { fingerprint: make.print(`many ${index}`) },
          { title: `Claim ${index}`, path: `${index}.ts`, evidence: `code${index}`, ...claim(index) },
        ),
      );
    const ownOf = (findings: readonly CheckedFinding[], history: Parameters<typeof gate>[1] = make.history()) =>
      gate(make.draft({ findings: [...findings] }), history, make.policy({}, { maxComments: 3 })).accepted.filter(
        ({ ownThread }) => ownThread,
      );

    it('always gives one to what blocks, and the rest of the room to the others by severity, then path', () => {
      const grave = many(5, () => ({ severity: 'P1' }));
      expect(ownOf(grave)).toHaveLength(5);
      const mixed = many(6, (index) => ({
        severity: index < 1 ? 'P1' : index < 2 ? 'P2' : 'P3',
        blocking: index === 1,
        path: `${9 - index}.ts`,
      }));
      expect(ownOf(mixed).map(({ finding: { claim } }) => [claim.severity, claim.path])).toEqual([
        ['P1', '9.ts'],
        ['P2', '8.ts'],
        ['P3', '4.ts'],
      ]);
    });

    it('never opens more than the ledger can keep', () => {
      const threads = Array.from({ length: 199 }, (_, index) =>
        make.thread({
          id: `F-${String(index + 1).padStart(3, '0')}`,
          state: 'resolved',
          fingerprint: make.print(`${index}`),
          title: `Old ${index}`,
          place: { path: `old-${index}.ts`, side: 'new', startLine: 1, line: 1 },
        }),
      );
      expect(
        ownOf(
          many(2, () => ({ severity: 'P1' })),
          make.history({ threads, nextNumber: 200 }),
        ),
      ).toHaveLength(1);
    });

    it('gives a finding that was only listed its thread when there is room, under its number, and lists it not again', () => {
      const [finding] = many(1, () => ({ severity: 'P3' }));
      if (finding === undefined) throw new Error('no finding');
      const place = { path: '0.ts', side: 'new', startLine: 3, line: 3 } as const;
      const known = make.thread({
        fingerprint: finding.fingerprint,
        severity: 'P3',
        blocking: false,
        listed: true,
        title: 'Claim 0',
        place,
      });
      const draft = make.draft({ review: 2, findings: [finding] });
      const history = make.history({ threads: [known], nextNumber: 2, roundsUsed: 1 });
      expect(gate(draft, history, make.policy()).accepted).toMatchObject([{ id: 'F-001', ownThread: true }]);
      const full = gate(draft, history, make.policy({}, { maxComments: 0 }));
      expect([full.accepted, full.dropped]).toEqual([[], [{ title: 'Claim 0', reason: 'repeats an open thread' }]]);
    });

    it('opens none after the last round, and tells only of P0 and P1', () => {
      const findings = [
        ...many(1, () => ({ severity: 'P1' })),
        ...many(2, () => ({ severity: 'P2', blocking: true })).slice(1),
      ];
      const { accepted, dropped } = gate(
        make.draft({ review: 4, findings }),
        make.history({ roundsUsed: 3 }),
        make.policy(),
      );
      expect(accepted).toMatchObject([{ ownThread: false, blocking: true, finding: { claim: { severity: 'P1' } } }]);
      expect(dropped).toEqual([{ title: 'Claim 1', reason: 'below P1, and no round is left' }]);
    });
  });

  it('does not block for a thread outside the present change, and blocks again when its lines come back', () => {
    const place = { path: 'a.ts', side: 'new', startLine: 3, line: 3 } as const;
    const verdictWith = (outside: boolean): string => {
      const moved = [{ findingId: 'F-001' as const, place, ...(outside ? { outside: true as const } : {}) }];
      const draft = make.draft({ review: 2, moved });
      const gated = gate(draft, withThreads(make.thread(outside ? {} : { outside: true })), make.policy());
      return judgeReview({ coverage: draft.coverage, gated, currentHead: true, ledgerFull: false, exceeded: null })
        .verdict;
    };
    expect([verdictWith(true), verdictWith(false)]).toEqual(['lgtm', 'feedback']);
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
        .map(({ title }) => ({ title, reason: 'below the minimum severity of the repository' })),
    );
  });

  it('keeps what was said in this very round before, whatever the floor is now', () => {
    const finding = make.finding({}, { severity: 'P3' });
    const said = make.thread({ review: 1, severity: 'P3', blocking: false, fingerprint: finding.fingerprint });
    const draft = make.draft({ findings: [finding], repository: rules({ minSeverity: 'P1' }) });
    expect(gate(draft, withThreads(said), make.policy()).accepted).toMatchObject([{ alreadySaid: true }]);
  });

  it('opens no light thread in what has just turned out to be the last round, and answers as the round began', () => {
    const findings = [make.finding({}, { severity: 'P2', evidence: 'x();', line: 40, startLine: 40 })];
    const draft = make.draft({ review: 2, findings, answers: [replied], resolvable: [TOUCHED] });
    const history = { ...withThreads(make.thread()), roundsUsed: 1 };
    const two = make.policy({}, { max: 2 });
    expect(gate(draft, history, make.policy()).accepted).toMatchObject([{ ownThread: true }]);
    const now = gate(draft, history, make.policy(), two);
    expect(now).toMatchObject({ violations: [], accepted: [{ ownThread: false }] });
    expect(gate(draft, history, two).violations).toHaveLength(1);
  });
});
