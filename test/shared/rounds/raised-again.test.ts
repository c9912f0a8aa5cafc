/** Claims that come back after their thread was closed: reworded, moved, in a renamed file. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { MovedThread } from '../../../shared/rounds/model/draft.ts';
import { compareCode } from '../../../shared/rounds/duplicates/duplicates-code.ts';
import { readFinding } from '../../../shared/rounds/memory/finding-comment.ts';
import { gate } from '../../../shared/rounds/gate/gate.ts';
import type { Thread } from '../../../shared/rounds/model/history.ts';
import { ledgerAfter } from '../../../shared/rounds/memory/ledger.ts';
import { reviewSummary } from '../../../shared/rounds/plan/wording/summary-text.ts';
import { judgeReview } from '../../../shared/rounds/gate/verdict.ts';
import type { DraftFinding, Severity, ThreadAnswer } from '../../../shared/vocabulary/finding.ts';
import * as make from './builders.ts';
import { DEFAULT_THRESHOLD, scoresOf } from './duplicate-scores.ts';
import { type LabelledPair, loadPairs } from './labelled-pairs.ts';

const historyOf = (...threads: readonly Thread[]) => make.history({ threads, nextNumber: threads.length + 1 });

const known = (pair: LabelledPair, patch: Partial<Thread> = {}): Thread =>
  make.thread({
    fingerprint: make.print(`first ${pair.id}`),
    title: pair.known.title,
    place: pair.known.place,
    comment: make.comment(`**High: ${pair.known.title}**\n\n${pair.known.body}`),
    ...patch,
  });

const raised = (pair: LabelledPair, claimed: Partial<DraftFinding>) =>
  make.finding(
    { fingerprint: make.print(`again ${pair.id}`) },
    {
      ...pair.raised.place,
      title: pair.raised.title,
      body: pair.raised.body,
      evidence: pair.raised.citedCode,
      ...claimed,
    },
  );

const judged = (findings: ReturnType<typeof raised>[], thread: Thread, moved: readonly MovedThread[] = []) => {
  const answers: ThreadAnswer[] =
    thread.state === 'open'
      ? [{ findingId: thread.id, stance: 'seeks_change', action: 'veto', severity: null, body: 'It stands.' }]
      : [];
  return gate(
    make.draft({ review: 2, findings, answers, moved: [...moved] }),
    historyOf(thread),
    make.policy({}, { duplicateThreshold: DEFAULT_THRESHOLD }),
  );
};

const verdictOf = (gated: ReturnType<typeof judged>) =>
  judgeReview({
    coverage: { files: 1, reviewed: 1, omitted: [], complete: true },
    gated,
    currentHead: true,
    ledgerFull: false,
    exceeded: null,
  }).verdict;

/** Recognised where they stand: what the moves add is the subject here. */
const recognised = loadPairs().filter(
  (pair) => pair.same && scoresOf([pair], { threshold: DEFAULT_THRESHOLD }).recall === 1,
);

const sameLines = ({ line, startLine, path }: LabelledPair['known']['place'], by: number, to = path) => ({
  path: to,
  side: 'new' as const,
  startLine: startLine + by,
  line: line + by,
});

const runs = { seed: 11, numRuns: process.env['FIXPOINT_DEEP'] === '1' ? 5_000 : 150 };

describe('X7: a closed claim that is raised again', () => {
  const settled = fc.constantFrom<Thread['state']>('resolved', 'vetoed', 'escalated');
  const path = fc.stringMatching(/^[a-z]{1,8}(?:\/[a-z]{1,8}){0,3}\.[a-z]{2}$/);

  it('is known reworded, with its lines moved by pushes and up to 5 off, and its file renamed', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...recognised),
        settled,
        path,
        fc.integer({ min: 0, max: 3_000 }),
        fc.integer({ min: -5, max: 5 }),
        (pair, state, to, pushedBy, off) => {
          const moved = [
            {
              findingId: 'F-001' as const,
              place: sameLines(pair.known.place, pushedBy + 5, to),
              citedCode: pair.known.citedCode,
            },
          ];
          const isSameCode = compareCode(pair.known.citedCode, pair.raised.citedCode) === 'same';
          const reach = isSameCode ? off : Math.max(-3, Math.min(3, off));
          const again = raised(pair, {
            ...sameLines(pair.known.place, pushedBy + 5 + reach, to),
            severity: 'P2',
          });
          const gated = judged([again], known(pair, { state }), moved);
          expect(gated.accepted).toEqual([]);
          expect(gated.dropped).toEqual([{ title: again.claim.title, reason: 'repeats a closed finding' }]);
        },
      ),
      runs,
    );
  });

  it('is another one where the path is another and nothing was renamed', () => {
    const [pair] = recognised;
    if (pair === undefined) throw new Error('no pair is recognised');
    const again = raised(pair, { path: 'another/place.ts', severity: 'P2' });
    expect(judged([again], known(pair, { state: 'vetoed' })).accepted).toHaveLength(1);
  });

  it('never hides what blocks: a grave claim leads to no pass, whatever it repeats', () => {
    const severity = fc.constantFrom<Severity>('P0', 'P1', 'P2', 'P3');
    fc.assert(
      fc.property(
        fc.constantFrom(...loadPairs()),
        fc.constantFrom<Thread['state']>('open', 'resolved', 'vetoed', 'escalated'),
        severity,
        fc.constantFrom<Severity>('P0', 'P1'),
        fc.array(severity, { maxLength: 2 }),
        (pair, state, before, now, others) => {
          const thread = known(pair, { state, severity: before, blocking: before === 'P0' || before === 'P1' });
          const findings = [...others, now].map((each) => raised(pair, { severity: each }));
          return verdictOf(judged(findings, thread)) !== 'lgtm';
        },
      ),
      runs,
    );
  });
});

const pair = recognised.find(({ category }) => category === 'reworded');
if (pair === undefined) throw new Error('no reworded pair is recognised');

describe('a grave claim that repeats', () => {
  it.each([
    ['resolved', { accepted: ['F-002'], regressionOf: ['F-001'], raisedAgain: [] }],
    ['vetoed', { accepted: [], regressionOf: [], raisedAgain: ['F-001'] }],
    ['escalated', { accepted: [], regressionOf: [], raisedAgain: ['F-001'] }],
  ] as const)('a thread that is %s comes to %j', (state, expected) => {
    const gated = judged([raised(pair, { severity: 'P1' })], known(pair, { state, severity: 'P2', blocking: false }));
    expect({
      accepted: gated.accepted.map(({ id }) => id),
      regressionOf: gated.accepted.map(({ regressionOf }) => regressionOf),
      raisedAgain: gated.raisedAgain,
    }).toEqual(expected);
    expect(gated.dropped).toEqual([]);
    expect(verdictOf(gated)).toBe('feedback');
  });

  it('a settled thread is shown in the table as raised again, and remembered with the graver severity', () => {
    const thread = known(pair, { state: 'vetoed', severity: 'P2', blocking: false });
    const gated = judged([raised(pair, { severity: 'P0' })], thread);
    const draft = make.draft({ review: 2 });
    const judgement = { verdict: 'feedback' as const, reasons: [] };
    const said = reviewSummary({
      draft,
      gated,
      known: [],
      judgement,
      counts: make.history(),
      spentBefore: null,
      policy: make.policy(),
      author: 'dev',
      mention: undefined,
      behind: false,
      settingsUrl: null,
    });
    expect(said.text).toMatch(/\| Critical \| .*_\(waits for a person, raised again\)_ \| .* \| F-001 \|/);
    expect(ledgerAfter(historyOf(thread), draft, gated).entries).toMatchObject([
      { id: 'F-001', severity: 'P0', blocking: true, state: 'vetoed' },
    ]);
  });

  it('a settled thread without a quotation that holds is listed as unverified', () => {
    const again = { ...raised(pair, { severity: 'P1' }), evidenced: false };
    const gated = judged([again], known(pair, { state: 'vetoed', severity: 'P3', blocking: false }));
    expect(gated.unverified).toEqual([{ id: 'F-002', finding: again }]);
    expect(gated.raisedAgain).toEqual([]);
    expect(verdictOf(gated)).toBe('inconclusive');
  });

  it('a settled thread from outside of the change weighs no more than before', () => {
    const again = raised(pair, { severity: 'P1', relation: 'outside_diff' });
    const gated = judged([again], known(pair, { state: 'vetoed', severity: 'P3', blocking: false }));
    expect([gated.raisedAgain, gated.standing.map(({ severity }) => severity)]).toEqual([['F-001'], ['P3']]);
    expect(verdictOf(gated)).toBe('lgtm');
  });

  it('an open nit opens a thread of its own', () => {
    const nit = known(pair, { severity: 'P3', blocking: false });
    expect(judged([raised(pair, { severity: 'P1' })], nit).accepted).toHaveLength(1);
    expect(judged([raised(pair, { severity: 'P1' })], known(pair)).dropped).toMatchObject([
      { reason: 'repeats an open thread' },
    ]);
  });

  it('a lesser one of the same draft stays in its stead', () => {
    const again = (severity: Severity) => make.finding({}, { severity });
    const gated = gate(make.draft({ findings: [again('P3'), again('P1')] }), make.history(), make.policy());
    expect(gated.accepted.map(({ finding }) => finding.claim.severity)).toEqual(['P1']);
    expect(gated.dropped).toMatchObject([{ reason: 'repeats another new finding' }]);
  });
});

describe('a grave claim that a commander has dismissed', () => {
  const dismissed = known(pair, { state: 'dismissed' });
  const cited = (citedCode: string) => [{ findingId: 'F-001' as const, place: pair.known.place, citedCode }];
  const again = raised(pair, { severity: 'P1', evidence: 'save(order, retries);' });

  it.each([
    ['the same lines', 'save(order, retries);', 0],
    ['the same lines and more', 'begin();\n  save(order,  retries);', 0],
    ['other lines', 'save(order);', 1],
    ['nothing that is known', '', 1],
    ['a bracket', '{', 1],
  ])('about %s is new: %s, %i', (_name, citedCode, accepted) => {
    expect(judged([again], dismissed, cited(citedCode)).accepted).toHaveLength(accepted);
  });

  it('stays dismissed on a hunk that nobody touched', () => {
    expect(judged([{ ...again, onChangedHunk: false }], dismissed, cited('save(order);')).dropped).toMatchObject([
      { reason: 'repeats a dismissed finding' },
    ]);
  });
});

describe('what a rule said', () => {
  const ofRule = known(pair, { state: 'vetoed', rule: 'js-eval' });

  it('is known when a model says it', () => {
    expect(judged([raised(pair, { severity: 'P2' })], ofRule).dropped).toMatchObject([
      { reason: 'repeats a closed finding' },
    ]);
  });

  it.each([
    ['js-eval', 0, 0],
    ['js-eval', 1, 1],
    ['other-rule', 0, 1],
  ])('and %s says %i lines off is new: %i', (rule, off, accepted) => {
    const again = raised(pair, { ...sameLines(pair.known.place, off), rule, severity: 'P2' });
    expect(judged([again], ofRule).accepted).toHaveLength(accepted);
  });

  it('is not taken for what a model said, whose thread may close on its word', () => {
    const again = raised(pair, { rule: 'js-eval', severity: 'P2' });
    expect(judged([again], known(pair, { state: 'vetoed' })).accepted).toHaveLength(1);
  });
});

describe('among several threads', () => {
  it('the very same comes before a similar one, and an open one before a closed one', () => {
    const again = raised(pair, { severity: 'P1' });
    const open = known(pair, { id: 'F-001' });
    const closed = known(pair, { id: 'F-002', state: 'resolved', fingerprint: make.print('second') });
    const answers: ThreadAnswer[] = [
      { findingId: 'F-001', stance: 'seeks_change', action: 'veto', severity: null, body: '' },
    ];
    const of = (...threads: readonly Thread[]) =>
      gate(make.draft({ review: 2, findings: [again], answers }), historyOf(...threads), make.policy());
    expect(of(open, closed).dropped).toMatchObject([{ reason: 'repeats an open thread' }]);
    const exact = { ...closed, fingerprint: again.fingerprint };
    expect(of(open, exact).accepted).toMatchObject([{ regressionOf: 'F-002' }]);
  });
});

describe('the prose of a thread', () => {
  it.each([
    [null, ''],
    ['**High: Title**\n\nFirst.\n\nSecond.\n\n<!-- fixpoint:1 x -->', 'First.\n\nSecond.'],
    [
      '**High: Title**\nThis finding brings back F-000, which was resolved.\n\nBody.\n\n_`F-001` · a suggestion · …_',
      'Body.',
    ],
    ['**High: Title**\n\nBody.\n\n```suggestion\na\n\nb\n```\n\n<!-- fixpoint:1 x -->', 'Body.'],
    ['**Resolved** at abc. Fixed.\n\n**High: Title**\n\nBody.', 'Body.'],
  ])('of the comment %j is %j', (body, prose) => {
    expect(readFinding(body === null ? null : make.comment(body)).prose).toBe(prose);
  });
});
