/** What the operator's analyzers found, as findings and answers of the rules. */
import { describe, expect, it } from 'vitest';
import type { Analysis, AnalysisHit } from '../../../shared/rules/model/analysis.ts';
import { type OpenRuleThread, reviewByRules } from '../../../shared/rules/review-by-rules.ts';
import { reviewSettled } from '../../../shared/rules/review-settled.ts';

const signal = new AbortController().signal;
const TEXT = 'const a = 1;\nuse(a);\nconst b = 2;\n';

const hit = (more: Partial<AnalysisHit> = {}): AnalysisHit => ({
  rule: 'lint/x',
  severity: 'P1',
  path: 'a.js',
  startLine: 2,
  endLine: 2,
  title: 'Do not use a',
  body: 'Because.',
  suppressed: false,
  ...more,
});

const analysisOf = (hits: readonly AnalysisHit[], more: Partial<Analysis> = {}): Analysis => ({
  v: 1,
  ran: [{ name: 'lint', paths: ['a.js'] }],
  hits: [...hits],
  failed: [],
  ...more,
});

const FAILED = { ran: [], failed: [{ name: 'lint', reason: 'crashed or was killed' }] };

const threadOf = (more: Partial<OpenRuleThread> = {}): OpenRuleThread => ({
  findingId: 'F-001',
  severity: 'P1',
  rule: 'lint/x',
  path: 'a.js',
  side: 'new',
  line: 2,
  citedText: 'use(a);',
  legalActions: ['resolve', 'reply'],
  blocks: true,
  required: true,
  ...more,
});

type Wish = {
  readonly text?: string;
  readonly changed?: readonly number[];
  readonly threads?: readonly OpenRuleThread[];
  readonly now?: number | null;
};

const review = async (analysis: Analysis, { text = TEXT, changed = [2], threads = [], now = 2 }: Wish = {}) =>
  reviewByRules({
    files: [{ path: 'a.js', text, changedLines: new Set(changed) }],
    openThreads: threads,
    headText: async () => null,
    moved: () => (now === null ? null : { path: 'a.js', line: now }),
    analysis,
    signal,
  });

describe('a hit of an analyzer', () => {
  it('is a finding on its changed line, with the quoted code', async () => {
    const { findings, summary } = await review(analysisOf([hit()]));
    expect(findings).toEqual([
      {
        path: 'a.js',
        side: 'new',
        startLine: 2,
        line: 2,
        severity: 'P1',
        relation: 'current_diff',
        title: 'Do not use a',
        body: 'Because.',
        evidence: 'use(a);',
        suggestion: null,
        blocking: false,
        rule: 'lint/x',
      },
    ]);
    expect(summary).toBe('The built-in rules and analyzers found 1 problem.');
  });

  it.each<[what: string, hits: readonly AnalysisHit[]]>([
    ['on a line that did not change', [hit({ startLine: 1, endLine: 1 })]],
    ['in a file that did not change', [hit({ path: 'b.js' })]],
    ['that a comment silences', [hit({ suppressed: true })]],
  ])('is no finding %s', async (_, hits) => {
    expect((await review(analysisOf(hits))).findings).toEqual([]);
  });

  it('is one finding per rule and line', async () => {
    const { findings } = await review(analysisOf([hit(), hit({ title: 'again' }), hit({ rule: 'lint/y' })]));
    expect(findings.map(({ rule, title }) => [rule, title])).toEqual([
      ['lint/x', 'Do not use a'],
      ['lint/y', 'Do not use a'],
    ]);
  });

  it('behind the end of the file is on its last line, however far behind', async () => {
    const far = hit({ startLine: 9, endLine: Number.MAX_SAFE_INTEGER });
    const { findings } = await review(analysisOf([far]), { changed: [3] });
    expect(findings).toMatchObject([{ line: 3, evidence: 'const b = 2;' }]);
  });

  it('shows no secret, neither in the code nor in its words', async () => {
    const secret = ['ghp', 'a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8'].join('_');
    const text = `const a = 1;\nuse('${secret}');\n`;
    const { findings } = await review(analysisOf([hit({ title: `Leaks ${secret}`, body: `It is ${secret}` })]), {
      text,
    });
    expect(findings.some(({ rule }) => rule === 'lint/x')).toBe(true);
    expect(JSON.stringify(findings)).not.toContain(secret);
  });
});

describe('a thread of an analyzer', () => {
  const answersOf = async (analysis: Analysis, wish: Wish = {}) => {
    const { answers, findings } = await review(analysis, { threads: [threadOf()], ...wish });
    return { actions: answers.map(({ action, body }) => [action, body]), found: findings.length };
  };

  it.each<[what: string, analysis: Analysis, wish: Wish, action: string]>([
    ['stays while it is reported', analysisOf([hit()]), {}, 'reply'],
    [
      'stays while it is reported elsewhere',
      analysisOf([hit({ startLine: 3, endLine: 3 })]),
      { text: `\n${TEXT}`, now: 3 },
      'reply',
    ],
    ['stays while only a comment silences it', analysisOf([hit({ suppressed: true })]), {}, 'reply'],
    ['is resolved when it is no longer reported', analysisOf([]), {}, 'resolve'],
    ['is resolved when another rule reports its line', analysisOf([hit({ rule: 'lint/y' })]), {}, 'resolve'],
    ['stays if its analyzer has failed and its code exists', analysisOf([], FAILED), {}, 'reply'],
    [
      'stays if its analyzer did not check its file',
      analysisOf([], { ran: [{ name: 'lint', paths: ['b.js'] }] }),
      {},
      'reply',
    ],
    ['stays if only another analyzer ran', analysisOf([], { ran: [{ name: 'other', paths: ['a.js'] }] }), {}, 'reply'],
  ])('%s', async (_, analysis, wish, action) => {
    const { actions } = await answersOf(analysis, wish);
    expect(actions.map(([each]) => each)).toEqual([action]);
  });

  it('is not reported a second time', async () => {
    expect(await answersOf(analysisOf([hit()]))).toEqual({
      actions: [['reply', 'The problem found by `lint/x` is still there, at line 2.']],
      found: 0,
    });
  });
});

describe('what several tools report about one line', () => {
  const SCAN = { name: 'scan', paths: ['a.js'] };
  const BOTH = { ran: [{ name: 'lint', paths: ['a.js'] }, SCAN] };
  const same = (more: Partial<AnalysisHit> = {}) => hit({ rule: 'scan/y', title: 'No a', ...more });
  const shared = threadOf({ alsoRules: ['scan/y'] });
  const reviewed = async (hits: readonly AnalysisHit[], wish: Wish = {}, more: Partial<Analysis> = BOTH) => {
    const { answers, findings } = await review(analysisOf(hits, more), wish);
    return [
      ...answers.map(({ action, body }) => `${action}: ${body}`),
      ...findings.map(({ rule, alsoRules = [] }) => [rule, ...alsoRules].join(' + ')),
    ];
  };

  it('is one finding if both name the same weakness', async () => {
    expect(await reviewed([hit({ cwes: [79] }), same({ cwes: [20, 79] })])).toEqual(['lint/x + scan/y']);
    expect(await reviewed([hit({ cwes: [79] }), same({ cwes: [89] })])).toEqual(['lint/x', 'scan/y']);
  });

  it('are two findings if one is of an own rule, which may have failed in part', async () => {
    const words = { title: 'Do not use a', body: 'Because.' };
    const own = same({ rule: 'acme/x', ...words });
    const lint = { name: 'lint', paths: ['a.js'] };
    expect(await reviewed([hit(), same(words)])).toEqual(['lint/x + scan/y']);
    expect(
      await reviewed([hit(), own], {}, { ran: [lint, { name: 'acme', paths: ['a.js'], rules: ['acme/x'] }] }),
    ).toEqual(['acme/x', 'lint/x']);
    const failed = [{ name: 'acme', kind: 'rules' as const, reason: 'found more than 2000 problems in the change' }];
    expect(await reviewed([hit(), own], {}, { ran: [lint], failed })).toEqual(['acme/x', 'lint/x']);
  });

  it('shows no secret that only the other tool quotes', async () => {
    const secret = ['ghp', 'a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8'].join('_');
    const { findings } = await review(
      analysisOf([hit({ rule: 'scan/y', cwes: [95], title: 'Runs code', body: `Not ${secret}` })], BOTH),
      { text: 'const a = 1;\neval(read());\n' },
    );
    expect(findings).toMatchObject([{ rule: 'js-eval', alsoRules: ['scan/y'] }]);
    expect(findings[0]?.body).toContain('Also reported by `scan/y`: Runs code');
    expect(JSON.stringify(findings)).not.toContain(secret);
  });

  it.each<[what: string, hits: readonly AnalysisHit[], more: Partial<Analysis>, said: readonly string[]]>([
    [
      'stays while both report it',
      [hit(), same()],
      BOTH,
      ['reply: The problem found by `lint/x` is still there, at line 2.'],
    ],
    [
      'stays while only its owner reports it',
      [hit()],
      BOTH,
      ['reply: The problem found by `lint/x` is still there, at line 2.'],
    ],
    [
      'stays while only the other reports it',
      [same()],
      BOTH,
      ['reply: `scan/y` still reports the problem, at line 2, although `lint/x` does not.'],
    ],
    [
      'stays while a comment silences the other',
      [same({ suppressed: true })],
      BOTH,
      ['reply: `scan/y` still reports the problem, at line 2, although `lint/x` does not.'],
    ],
    ['is resolved when nobody reports it', [], BOTH, ['resolve: The problem found by `lint/x` is fixed.']],
    [
      'is resolved by its owner if the other has failed',
      [],
      { ...FAILED, ran: [{ name: 'lint', paths: ['a.js'] }] },
      ['resolve: The problem found by `lint/x` is fixed.'],
    ],
    [
      'is not resolved by the other if its owner has failed',
      [],
      { ran: [SCAN], failed: FAILED.failed },
      ['reply: The problem found by `lint/x` is still there, at line 2.'],
    ],
    [
      'leaves another rule of the other its own finding',
      [hit(), same({ rule: 'scan/z' })],
      BOTH,
      ['reply: The problem found by `lint/x` is still there, at line 2.', 'scan/z'],
    ],
  ])('%s', async (_, hits, more, said) => {
    expect(await reviewed(hits, { threads: [shared] }, more)).toEqual(said);
  });

  it('leaves the thread that the other tool has about a line nearby its own hit', async () => {
    const near = threadOf({ findingId: 'F-002', rule: 'scan/y', line: 3, citedText: 'use(a);' });
    const text = 'const a = 1;\nfixed();\nuse(a);\n';
    const { answers } = await reviewByRules({
      files: [{ path: 'a.js', text, changedLines: new Set([2, 3]) }],
      openThreads: [shared, near],
      headText: async () => null,
      moved: ({ findingId }) => (findingId === 'F-002' ? { path: 'a.js', line: 3 } : null),
      analysis: analysisOf([same({ startLine: 3, endLine: 3 })], BOTH),
      signal,
    });
    expect(answers.map(({ findingId, action }) => [findingId, action])).toEqual([
      ['F-001', 'resolve'],
      ['F-002', 'reply'],
    ]);
  });

  it('stands, after it was handed to a person, while only the other reports it', async () => {
    const settled = { ...shared, rule: 'lint/x', before: { text: TEXT, removedLines: new Set([2]) } };
    const looking = { headText: async () => TEXT, moved: () => ({ path: 'a.js', line: 2 }), signal };
    expect(await reviewSettled([settled], { ...looking, analysis: analysisOf([same()], BOTH) })).toEqual({
      fixed: [],
      standing: ['F-001'],
    });
    expect((await reviewSettled([settled], { ...looking, analysis: analysisOf([], BOTH) })).standing).toEqual([]);
  });
});

describe('a settled thread of an analyzer', () => {
  const settle = async (analysis: Analysis, removedLines: readonly number[] | null, text = 'fixed();\n') =>
    reviewSettled(
      [
        {
          ...threadOf(),
          rule: 'lint/x',
          before: removedLines === null ? null : { text: TEXT, removedLines: new Set(removedLines) },
        },
      ],
      { headText: async () => text, moved: () => null, analysis, signal },
    );
  const FIXED = [{ findingId: 'F-001', evidence: '', rule: 'lint/x' }];

  it('is fixed if its line was removed and the analyzer no longer reports it', async () => {
    expect(await settle(analysisOf([]), [2])).toEqual({ fixed: FIXED, standing: [] });
  });

  it.each<[what: string, analysis: Analysis, removedLines: readonly number[] | null]>([
    ['its line was not removed', analysisOf([]), [1]],
    ['what was removed is unknown', analysisOf([]), null],
    ['the analyzer has failed', analysisOf([], FAILED), [2]],
  ])('is not fixed if %s', async (_, analysis, removedLines) => {
    expect((await settle(analysis, removedLines)).fixed).toEqual([]);
  });

  it('stands while the analyzer reports it', async () => {
    expect(await settle(analysisOf([hit()]), [1], TEXT)).toEqual({ fixed: [], standing: ['F-001'] });
  });
});

it('names the analyzers that have failed', async () => {
  expect((await review(analysisOf([], FAILED))).failed).toEqual(FAILED.failed);
});
