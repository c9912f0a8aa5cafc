import { describe, expect, it } from 'vitest';
import { ThreadAnswer } from '../../../shared/vocabulary/finding.ts';
import { type OpenRuleThread, reviewByRules, type RulesReview } from '../../../shared/rules/review-by-rules.ts';

type Place = { readonly path: string; readonly line: number };
type Given = {
  readonly files?: Readonly<Record<string, readonly [string, readonly number[]]>>;
  readonly head?: Readonly<Record<string, string>>;
  readonly threads?: readonly Partial<OpenRuleThread>[];
  readonly moved?: Readonly<Record<string, Place | null>>;
};

const threadOf = (thread: Partial<OpenRuleThread>, index: number): OpenRuleThread => ({
  findingId: `F-00${index + 1}`,
  severity: 'P1',
  rule: 'js-eval',
  path: 'a.js',
  side: 'new',
  line: 1,
  citedText: 'eval(x);',
  blocks: true,
  legalActions: ['resolve', 'veto', 'escalate', 'reply'],
  ...thread,
});

const review = ({ files = {}, head = {}, threads = [], moved = {} }: Given): Promise<RulesReview> =>
  reviewByRules({
    files: Object.entries(files).map(([path, [text, changed]]) => ({ path, text, changedLines: new Set(changed) })),
    openThreads: threads.map(threadOf),
    headText: async (path) => head[path] ?? null,
    moved: ({ findingId, path, line }) => (findingId in moved ? (moved[findingId] ?? null) : { path, line }),
    signal: new AbortController().signal,
  });

const actions = ({ answers }: RulesReview): readonly string[] =>
  answers.map(({ findingId, stance, action }) => `${findingId} ${stance} ${action}`);

describe('reviewByRules', () => {
  it('finds what is new and says so', async () => {
    const { findings, answers, omitted, summary } = await review({ files: { 'a.js': ['eval(x);\n', [1]] } });
    expect(findings.map(({ path, line, rule }) => [path, line, rule])).toEqual([['a.js', 1, 'js-eval']]);
    expect([answers, omitted, summary]).toEqual([[], [], 'The built-in rules found 1 problem.']);
  });

  it('answers a thread whose line was rewritten with the same mistake, and leaves likeness the first choice', async () => {
    const place = { path: 'a.js', startLine: 1, line: 2 };
    const result = await review({
      files: { 'a.js': ['eval(first.of.many(names));\neval(x + 1);\n', [1, 2]] },
      threads: [
        { citedText: 'setTimeout("go()", 10);', replacedBy: place },
        { citedText: 'eval(x);', replacedBy: place },
      ],
      moved: { 'F-001': null, 'F-002': null },
    });
    expect(result.findings).toEqual([]);
    expect(result.answers.map(({ findingId, action, body }) => [findingId, action, body])).toEqual([
      ['F-001', 'reply', 'The problem found by `js-eval` is still there, at line 1.'],
      ['F-002', 'reply', 'The problem found by `js-eval` is still there, at line 2.'],
    ]);
  });

  it('answers a thread whose mistake stands, and does not repeat it as a finding', async () => {
    const result = await review({
      files: { 'a.js': ['\neval(x);\n', [2]] },
      threads: [{}],
      moved: { 'F-001': { path: 'a.js', line: 2 } },
    });
    expect(result.findings).toEqual([]);
    expect(result.answers).toEqual([
      {
        findingId: 'F-001',
        stance: 'seeks_change',
        action: 'reply',
        severity: null,
        body: 'The problem found by `js-eval` is still there, at line 2.',
      },
    ]);
    expect(result.summary).toBe('The built-in rules found nothing new. Resolved 0 of 1 open thread.');
  });

  it('vetoes where a reply is no longer legal', async () => {
    const result = await review({
      head: { 'a.js': 'eval(x);\n' },
      threads: [{ blocks: true,
  legalActions: ['resolve', 'veto', 'escalate'] }],
    });
    expect(actions(result)).toEqual(['F-001 seeks_change veto']);
  });

  it('escalates by one severity where nothing else is legal', async () => {
    const result = await review({
      head: { 'a.js': 'eval(x);\n' },
      threads: [{ blocks: true,
  legalActions: ['escalate'], severity: 'P2' }],
    });
    expect(result.answers.map(({ action, severity }) => [action, severity])).toEqual([['escalate', 'P1']]);
  });

  it('resolves what was fixed, removed with its line, or removed with its file', async () => {
    const result = await review({
      head: { 'a.js': 'parse(x);\n' },
      threads: [{}, { line: 9 }, { path: 'gone.js' }],
      moved: { 'F-002': null },
    });
    expect(actions(result)).toEqual(['F-001 accepts resolve', 'F-002 accepts resolve', 'F-003 accepts resolve']);
    expect(result.summary).toBe('The built-in rules found nothing new. Resolved 3 of 3 open threads.');
  });

  it('sees which one of two alike mistakes was fixed', async () => {
    const text = 'const one = JSON.parse(x);\n\nconst result = await eval(second);\n';
    const threads = [
      { line: 1, citedText: 'const result = await eval(first);' },
      { line: 3, citedText: 'const result = await eval(second);' },
    ];
    const first = await review({ head: { 'a.js': text }, threads, moved: { 'F-001': null } });
    expect(actions(first)).toEqual(['F-001 accepts resolve', 'F-002 seeks_change reply']);
    const turned = await review({ head: { 'a.js': text }, threads: threads.toReversed(), moved: { 'F-002': null } });
    expect(actions(turned)).toEqual(['F-001 seeks_change reply', 'F-002 accepts resolve']);
  });

  it('raises a mistake that came back elsewhere as a new finding', async () => {
    const text = `parse(x);\n${'\n'.repeat(30)}eval(x);\n`;
    const result = await review({ files: { 'a.js': [text, [1, 32]] }, threads: [{}], moved: { 'F-001': null } });
    expect(actions(result)).toEqual(['F-001 accepts resolve']);
    expect(result.findings.map(({ line }) => line)).toEqual([32]);
  });

  it('follows a thread into a renamed file', async () => {
    const result = await review({
      head: { 'b.js': 'eval(x);\n' },
      threads: [{}],
      moved: { 'F-001': { path: 'b.js', line: 1 } },
    });
    expect(actions(result)).toEqual(['F-001 seeks_change reply']);
  });

  it('judges a thread of no rule by the code that it cites', async () => {
    const threads = [
      { rule: null, citedText: 'keep();' },
      { rule: null, citedText: 'lost();', line: 2 },
    ];
    const result = await review({ head: { 'a.js': 'keep();\nother();\n' }, threads });
    expect(actions(result)).toEqual(['F-001 seeks_change reply', 'F-002 accepts resolve']);
    expect(result.answers.map(({ body }) => body)).toEqual([
      'The cited code is still there, at line 1.',
      'The cited code is fixed.',
    ]);
  });

  it('never resolves a thread on removed code, whose absence proves nothing', async () => {
    const result = await review({
      head: { 'a.js': 'other();\n' },
      threads: [{ rule: null, side: 'old', citedText: 'check();' }],
    });
    expect(actions(result)).toEqual(['F-001 seeks_change reply']);
  });

  it('gives exactly one legal answer to each thread, in their order', async () => {
    const legal = [
      ['resolve', 'veto', 'escalate', 'reply'],
      ['resolve', 'veto', 'escalate'],
    ] as const;
    const threads = Array.from({ length: 6 }, (_, index) => ({
      line: index + 1,
      citedText: `eval(x${index});`,
      blocks: true,
  legalActions: legal[index % 2] ?? [],
    }));
    const text = threads.map(({ citedText }, index) => (index % 3 === 0 ? 'ok();' : citedText)).join('\n');
    const { answers } = await review({ head: { 'a.js': text }, threads });
    expect(answers.map(({ findingId }) => findingId)).toEqual(threads.map((_, index) => `F-00${index + 1}`));
    for (const [index, answer] of answers.entries()) expect(threads[index]?.legalActions).toContain(answer.action);
    expect(answers.map((answer) => ThreadAnswer.parse(answer))).toEqual(answers);
  });

  it('passes on that the head could not be read', async () => {
    const failing = reviewByRules({
      files: [],
      openThreads: [threadOf({}, 0)],
      headText: () => Promise.reject(new Error('no such object')),
      moved: () => null,
      signal: new AbortController().signal,
    });
    await expect(failing).rejects.toThrow('no such object');
  });
});
