import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  readSubmission,
  repeatedThread,
  type ReviewedThread,
  type SubmissionRules,
} from '../../../../shared/agent/submission/read-submission.ts';
import { MAX_FINDINGS } from '../../../../shared/agent/submission/submission.ts';
import { createSubmitReviewTool, SUBMIT_REVIEW_SCHEMA } from '../../../../shared/agent/tools/submit-review.ts';
import { DraftFinding, ThreadAnswer } from '../../../../shared/vocabulary/finding.ts';
import { propertyRuns } from '../../../support/deep.ts';

const thread = (patch: Partial<ReviewedThread> = {}): ReviewedThread => ({
  id: 'F-001',
  severity: 'P1',
  legalActions: ['resolve', 'veto', 'escalate', 'reply'],
  claim: {
    place: { path: 'src/a.ts', side: 'new', startLine: 10, line: 10 },
    title: 'The lock is never released',
    body: '',
    citedCode: '',
  },
  ...patch,
});

const rules = (...openThreads: readonly ReviewedThread[]): SubmissionRules => ({
  openThreads,
  duplicateThreshold: 0.6,
});

const finding = (patch: object = {}): object => ({
  path: 'src/a.ts',
  line: 3,
  severity: 'P2',
  title: 'Wrong default',
  body: 'It is wrong.',
  evidence: 'x = 1',
  ...patch,
});

const read = (input: unknown, given = rules()) => {
  const got = readSubmission(input, given);
  if (got.kind !== 'read') throw new Error(got.reason);
  return got;
};

const problems = (input: unknown, given = rules()): readonly string[] =>
  read(input, given).problems.map(({ kind, text }) => `${kind}: ${text}`);

describe('a submission', () => {
  it('is taken in the plain shape, with the documented defaults', () => {
    const { submission, problems: found } = read({
      summary: 'S',
      comments: [{ path: 'src/main.py', line: 42, body: 'This variable is unused. Remove it.' }],
    });
    expect(found).toEqual([]);
    expect(submission).toEqual({
      summary: 'S',
      answers: [],
      omitted: [],
      findings: [
        {
          path: 'src/main.py',
          line: 42,
          startLine: 42,
          side: 'new',
          severity: 'P2',
          relation: 'current_diff',
          title: 'This variable is unused.',
          body: 'This variable is unused. Remove it.',
          evidence: '',
          suggestion: null,
          blocking: true,
          rule: null,
        },
      ],
    });
  });

  it.each([
    ['line', { line: 0 }, /line/],
    ['a line that is true', { line: true }, /line/],
    ['a line that is no number', { line: 'ten' }, /line/],
    ['a line that is half', { line: 1.5 }, /line/],
    ['an empty path', { path: '' }, /path/],
    ['a path outside', { path: '../x' }, /inside the repository/],
    ['a path outside behind a slash', { path: '/../etc/passwd' }, /inside the repository/],
    ['an empty body', { body: '  ' }, /body: must not be empty/],
    ['a severity that is none', { severity: 'P4' }, /severity/],
    ['a side that is none', { side: 'MIDDLE' }, /side/],
    ['a missing line', { line: undefined }, /line: must be a line number/],
  ])('names %s and keeps the others', (_name, patch, reason) => {
    const got = read({ summary: 'S', not_reviewed: [], findings: [finding(), finding(patch), finding({ line: 9 })] });
    expect(got.submission.findings.map(({ line }) => line)).toEqual([3, 9]);
    expect(got.problems).toEqual([{ kind: 'blemish', text: expect.stringMatching(reason) }]);
    expect(got.problems[0]?.text).toContain('findings[1]');
    expect(got.submission.omitted).toHaveLength(1);
  });

  it.each([
    ['line numbers as text', { line: '7', start_line: '5' }, { line: 7, startLine: 5 }],
    ['sides of other forges', { side: 'RIGHT' }, { side: 'new' }],
    ['the old side', { side: 'LEFT' }, { side: 'old' }],
    ['a missing severity as a blocking P2', { severity: undefined }, { severity: 'P2', blocking: true }],
    ['F-W5: a P2 without a word on blocking as not blocking', {}, { severity: 'P2', blocking: false }],
    ['a P3 as not blocking', { severity: 'P3' }, { severity: 'P3', blocking: false }],
    ['F-C10: a severity in small letters', { severity: 'p1' }, { severity: 'P1' }],
    ['F-C10: a severity in other words', { severity: 'High' }, { severity: 'P1' }],
    ['F-C10: a path from here', { path: './src/a.ts' }, { path: 'src/a.ts' }],
    ['F-C10: a path in backticks', { path: '`src/a.ts`' }, { path: 'src/a.ts' }],
    ['a range as text', { line: '9-12' }, { startLine: 9, line: 12 }],
    ['F-W3: a long title, cut', { title: 'x'.repeat(230) }, { title: `${'x'.repeat(90)}…` }],
    [
      'F-W3: a long title, cut between words and whole in the body',
      { title: `${'word '.repeat(19)}end of it` },
      { title: `${'word '.repeat(18).trim()}…`, body: `${'word '.repeat(19)}end of it\n\nIt is wrong.` },
    ],
    ['F-W3: a title of 100 characters', { title: 'x'.repeat(100) }, { title: 'x'.repeat(100) }],
    ['F-W3: a path with a slash in front', { path: '/src/a.ts' }, { path: 'src/a.ts' }],
    ['F-W3: a path with dots and slashes in front', { path: './/./src/a.ts' }, { path: 'src/a.ts' }],
    ['F-W3: a severity that is a warning', { severity: 'warning' }, { severity: 'P2' }],
    ['F-W3: the most severe word', { severity: 'CRITICAL' }, { severity: 'P0' }],
    ['F-W3: a range in another form', { line: 'L9-L12' }, { startLine: 9, line: 12 }],
    ['F-W3: a range that goes backwards', { start_line: 9 }, { startLine: 3, line: 9 }],
    [
      'F-W3: the line of the quote when there is no other',
      { line: undefined, evidence: [{ line: '7-8', code: 'x' }] },
      { line: 7 },
    ],
    ['F-W3: a relation that is none', { relation: 'caused' }, { relation: 'current_diff' }],
    ['F-W3: a word on blocking as text', { blocking: 'true' }, { blocking: true }],
    [
      'F-W3: the names of fields that others use',
      { path: undefined, line: undefined, body: undefined, file_path: 'b.ts', end_line: 4, message: 'M' },
      { path: 'b.ts', line: 4, body: 'M' },
    ],
    [
      'F-W3: a body that is too long, cut',
      { body: 'x'.repeat(4_001) },
      { body: expect.stringContaining('_(Cut here: ') },
    ],
    ['F-W3: evidence that is too long, cut', { evidence: 'x'.repeat(5_000) }, { evidence: 'x'.repeat(4_000) }],
    [
      'F-W12: more quotations than there may be',
      { evidence: Array.from({ length: 30 }, (_, index) => ({ path: 'b.ts', line: index + 1, code: `c${index}` })) },
      { evidence: 'c0' },
    ],
    [
      'F-W12: the own quotation that is closest to the line',
      {
        evidence: [
          { path: 'b/src/a.ts', line: 90, code: 'far();' },
          { path: 'src/a.ts', line: 40, code: 'other();' },
          { path: 'src/a.ts', line: 4, code: 'near();' },
        ],
      },
      { evidence: 'near();' },
    ],
    [
      'F-W12: the own quotation behind b/',
      { evidence: [{ path: 'b/src/a.ts', code: 'x = 1' }] },
      { evidence: 'x = 1' },
    ],
    ['F-B6: a suggestion without its final line feed', { suggestion: 'a();\n' }, { suggestion: 'a();' }],
    ['F-B6: one line feed and no more', { suggestion: 'a();\n\n' }, { suggestion: 'a();\n' }],
    ['F-B6: a suggestion of a CRLF file', { suggestion: 'a();\r\nb();\r\n' }, { suggestion: 'a();\nb();' }],
    ['a finding on the old side without its suggestion', { side: 'LEFT', suggestion: 'x' }, { suggestion: null }],
    [
      'quotations of several places',
      {
        evidence: [
          { path: 'b.ts', line: 4, code: 'old(x);' },
          { path: './src/a.ts', code: 'x = 1' },
        ],
      },
      { evidence: 'x = 1', quotes: [{ path: 'b.ts', line: 4, code: 'old(x);' }] },
    ],
    ['a list of plain quotations', { evidence: ['x = 1'] }, { evidence: 'x = 1' }],
    ['its word on blocking', { blocking: false }, { blocking: false }],
  ])('takes %s', (_name, patch, expected) => {
    expect(read({ summary: 'S', not_reviewed: [], findings: [finding(patch)] }).submission.findings).toMatchObject([
      expected,
    ]);
  });

  it.each([
    ['nothing', null],
    ['a number', 7],
    ['a list', []],
    ['no list of findings', { summary: 'S' }],
    ['words for a list', { summary: 'S', not_reviewed: [], findings: 'none' }],
    ['an object for a list', { summary: 'S', not_reviewed: [], findings: {} }],
    ['text without JSON', 'LGTM'],
    ['an empty review inside of prose', 'He wrote {"summary": "LGTM", "findings": []} there.'],
  ])('cannot be made out of %s', (_name, input) => {
    expect(readSubmission(input, rules())).toMatchObject({ kind: 'unreadable' });
  });

  it.each<[string, (review: object) => unknown]>([
    ['a field', (review) => ({ review })],
    ['a tool call', (review) => ({ name: 'submit_review', arguments: review })],
    ['a tool call with a string', (review) => ({ name: 'submit_review', input: JSON.stringify(review) })],
    ['a function call', (review) => ({ type: 'function', function: { name: 'submit_review', arguments: review } })],
    [
      'a tool call in text',
      (review) => `<tool_call>\n${JSON.stringify({ name: 'submit_review', arguments: review })}\n</tool_call>`,
    ],
  ])('is found in %s', (_what, wrap) => {
    const { submission } = read(wrap({ summary: 'All of it.', findings: [finding()] }));
    expect(submission.summary).toBe('All of it.');
    expect(submission.findings).toHaveLength(1);
  });

  it('is not looked for in its own fields, nor deeper than a call has them', () => {
    const own = read({ summary: 'Mine.', findings: [], review: { findings: [finding()] } });
    expect(own.submission.findings).toEqual([]);
    const deep = { review: { review: { review: { review: { findings: [finding()] } } } } };
    expect(readSubmission(deep, rules()).kind).toBe('unreadable');
  });

  it('takes a list that was put into a string', () => {
    expect(
      read({ summary: 'S', not_reviewed: [], findings: JSON.stringify([finding()]) }).submission.findings,
    ).toHaveLength(1);
  });

  it('keeps the most severe of too many findings and says that the rest is missing', () => {
    const many = Array.from({ length: MAX_FINDINGS + 5 }, (_, index) =>
      finding({ severity: index < 5 ? 'P3' : 'P1', line: index + 1 }),
    );
    const got = read({ summary: 'S', not_reviewed: [], findings: many });
    expect(got.submission.findings).toHaveLength(MAX_FINDINGS);
    expect(got.submission.findings.every(({ severity }) => severity === 'P1')).toBe(true);
    expect(got.submission.omitted).toHaveLength(1);
    expect(got.problems).toHaveLength(1);
  });

  it('keeps the path of what was not reviewed, however long its reason is', () => {
    const not_reviewed = [
      { path: 'a.ts', reason: 'long '.repeat(200) },
      { path: 'b.ts', reason: 7 },
    ];
    const got = read({ summary: 'S', findings: [], not_reviewed }).submission.notReviewed;
    expect(got?.map(({ path }) => path)).toEqual(['a.ts', 'b.ts']);
    expect(got?.[0]?.reason).toBe('long '.repeat(100));
  });

  it('reads what was not reviewed, however it is said', () => {
    const not_reviewed = ['a.ts', { path: 'b.ts', reason: 'too long' }, { path: 'c.ts' }, 7];
    expect(read({ summary: 'S', findings: [], not_reviewed }).submission.notReviewed).toEqual([
      { path: 'a.ts', reason: 'the reviewer reports that it did not look at this file' },
      { path: 'b.ts', reason: 'too long' },
      { path: 'c.ts', reason: 'the reviewer reports that it did not look at this file' },
      { path: '(unnamed)', reason: 'the reviewer reports that it did not look at this file' },
    ]);
  });

  it.each([
    ['a summary', { findings: [], not_reviewed: [] }],
    ['a summary and a word on what was not reviewed', { findings: [] }],
    ['a summary that is more than blanks', { summary: ' ', findings: [], not_reviewed: [] }],
  ])('F-A10: is asked for again without %s, and leaves the review incomplete when none comes', (_name, input) => {
    const got = read(input);
    expect(got.problems.every(({ kind }) => kind === 'blemish')).toBe(true);
    expect(got.problems).not.toEqual([]);
    expect(got.submission.omitted).toHaveLength(got.problems.length);
  });

  it('F-W11: takes a missing word on what was not reviewed as unknown, which the receipts decide', () => {
    const got = read({ summary: 'S', findings: [] });
    expect([got.problems, got.submission.omitted]).toEqual([[], []]);
  });

  it('P1: recognises a finding that says again what an open thread says, and asks for no correction', () => {
    const again = finding({ line: 11, title: 'Lock is never released', severity: 'P1' });
    const answers = { 'F-001': { action: 'resolve' } };
    const given = rules(thread());
    const { submission, problems: found } = read(
      { summary: 'S', not_reviewed: [], findings: [again, finding()], answers },
      given,
    );
    expect(found).toEqual([]);
    // The gate drops it, unless the answer contradicts it.
    expect(submission.findings.map((each) => repeatedThread(each, given)?.id)).toEqual(['F-001', undefined]);
  });
});

describe('the answers to open threads', () => {
  const reply = { action: 'reply', stance: 'seeks_change', body: 'Still there.' };

  it.each([
    ['a missing one', {}, 'F-001 has no action'],
    ['none at all', undefined, 'F-001 has no action'],
    [
      'two',
      [
        { thread: 'F-001', ...reply },
        { thread: 'F-001', ...reply },
      ],
      'F-001 has 2 actions',
    ],
    ['an action that is none', { 'F-001': { action: 'ignore' } }, 'F-001: action'],
    ['words for answers', 'resolve all', 'must be a list'],
    [
      'a reply that accepts',
      { 'F-001': { ...reply, stance: 'accepts' } },
      'stance accepts requires the action resolve',
    ],
    ['an escalation without a severity', { 'F-001': { action: 'escalate', body: 'x' } }, 'needs a severity above P1'],
    ['an escalation that does not rise', { 'F-001': { action: 'escalate', severity: 'P1', body: 'x' } }, 'above P1'],
    ['a veto without words', { 'F-001': { action: 'veto' } }, 'veto needs a body'],
  ])('are refused with %s', (_name, answers, reason) => {
    const found = problems({ summary: 'S', not_reviewed: [], findings: [], answers }, rules(thread()));
    expect(found.every((text) => text.startsWith('violation: answers: '))).toBe(true);
    expect(found.join('\n')).toContain(reason);
  });

  it('that name an unknown thread are mentioned and have no effect: the rest is worth keeping', () => {
    const input = { summary: 'S', not_reviewed: [], findings: [], answers: { 'F-001': reply, 'F-009': reply } };
    expect(problems(input, rules(thread()))).toEqual(['blemish: answers: F-009 is not an open thread']);
    const none = { summary: 'S', not_reviewed: [], findings: [], answers: 'none' };
    expect(problems(none, rules())).toEqual(['blemish: answers: must be a list with one entry per thread']);
  });

  it('are refused with an action that is not legal for this thread', () => {
    const strict = thread({ legalActions: ['resolve', 'veto', 'escalate'] });
    expect(
      problems({ summary: 'S', not_reviewed: [], findings: [], answers: { 'F-001': reply } }, rules(strict)),
    ).toEqual(['violation: answers: F-001: reply is not allowed; allowed: resolve, veto, escalate']);
  });

  it.each([
    ['where it is not legal', ['veto', 'escalate', 'reply'] as const, 'resolve is not allowed'],
    ['without evidence', ['resolve', 'veto', 'reply'] as const, 'resolve needs evidence'],
  ])(
    'ask again for a resolve of an idle thread %s, which then waits and fails no attempt',
    (_name, legalActions, why) => {
      const idle = thread({ legalActions: [...legalActions], idle: true });
      const given = { summary: 'S', not_reviewed: [], findings: [], answers: { 'F-001': { action: 'resolve' } } };
      expect(problems(given, rules(idle))).toEqual([expect.stringContaining('blemish: answers: F-001: ')]);
      expect(problems(given, rules(idle))[0]).toContain(why);
      expect(read(given, rules(idle)).submission.answers).toMatchObject([{ findingId: 'F-001', action: 'resolve' }]);
    },
  );

  it.each([
    ['an object', { 'F-001': reply }],
    ['a list', [{ thread: 'F-001', ...reply }]],
    ['a list with other names', [{ finding_id: 'F-001', ...reply }]],
  ])('are taken as %s', (_name, answers) => {
    expect(read({ summary: 'S', not_reviewed: [], findings: [], answers }, rules(thread())).submission.answers).toEqual(
      [{ findingId: 'F-001', action: 'reply', stance: 'seeks_change', severity: null, body: 'Still there.' }],
    );
  });

  it('escalate a P0 as it is', () => {
    const answers = { 'F-001': { action: 'escalate', severity: 'P0', body: 'x' } };
    expect(
      problems({ summary: 'S', not_reviewed: [], findings: [], answers }, rules(thread({ severity: 'P0' }))),
    ).toEqual([]);
  });

  it('are exactly one per thread in every submission without a violation', () => {
    const action = fc.constantFrom('resolve', 'veto', 'escalate', 'reply', 'nope');
    const answer = fc.record({
      thread: fc.constantFrom('F-001', 'F-002', 'F-003', 'x'),
      action,
      severity: fc.constantFrom('P0', 'P3', null),
      body: fc.constantFrom('', 'b'),
    });
    const given = rules(thread(), thread({ id: 'F-002', legalActions: ['resolve', 'veto'] }));
    fc.assert(
      fc.property(fc.array(answer, { maxLength: 4 }), (answers) => {
        const got = read({ summary: 'S', not_reviewed: [], findings: [], answers }, given);
        if (got.problems.length > 0) return;
        expect(got.submission.answers.map(({ findingId }) => findingId)).toEqual(['F-001', 'F-002']);
        for (const one of got.submission.answers) {
          expect(ThreadAnswer.parse(one)).toEqual(one);
          expect(given.openThreads.find(({ id }) => id === one.findingId)?.legalActions).toContain(one.action);
        }
      }),
      propertyRuns(500, 20_000),
    );
  });
});

describe('any value at all', () => {
  it('gives a submission whose parts keep their schemas, or a refusal', () => {
    const anything = fc.oneof(
      fc.anything(),
      fc.record({
        summary: fc.anything(),
        findings: fc.array(fc.anything()),
        answers: fc.anything(),
        not_reviewed: fc.anything(),
      }),
    );
    fc.assert(
      fc.property(anything, (input) => {
        const got = readSubmission(input, rules(thread()));
        if (got.kind === 'unreadable') return;
        for (const one of got.submission.findings) expect(DraftFinding.parse(one)).toEqual(one);
      }),
      propertyRuns(300, 20_000),
    );
  });
});

describe('the schema of submit_review', () => {
  it('is the same whatever threads there are, and stays small', () => {
    const tool = (...threads: readonly ReviewedThread[]) =>
      createSubmitReviewTool({ ...rules(...threads), settledThreads: ['F-007'], faultOf: async () => null });
    const schema = JSON.stringify(tool().schema);
    expect(JSON.stringify(tool(thread(), thread({ id: 'F-002' })).schema)).toBe(schema);
    expect(schema).not.toMatch(/F-00[27]/);
    expect(schema.length).toBeLessThan(1_500);
  });

  it('asks for answers in the shape that is read', () => {
    const properties = SUBMIT_REVIEW_SCHEMA.inputSchema['properties'];
    expect(properties).toMatchObject({
      // The opening gives the shape where there are threads. Some servers refuse a list that does not say what it contains.
      answers: { type: 'array', items: {} },
      fixed: { type: 'array', items: {} },
      refuted: { type: 'array', items: {} },
    });
    const answer = { thread: 'F-001', action: 'reply', stance: 'seeks_change', body: 'Still there.' };
    const settled = { ...rules(thread()), settledThreads: ['F-002'], unverified: ['F-003'] } as const;
    const quote = { evidence: 'await save();' };
    const given = {
      summary: 'S',
      not_reviewed: [],
      findings: [],
      answers: [answer],
      fixed: [{ thread: 'F-002', ...quote }],
      refuted: [{ thread: 'F-003', ...quote }],
    };
    const { submission, problems: found } = read(given, settled);
    expect(found).toEqual([]);
    expect([submission.answers, submission.fixed, submission.refuted]).toMatchObject([
      [{ findingId: 'F-001', action: 'reply' }],
      [{ findingId: 'F-002' }],
      [{ findingId: 'F-003' }],
    ]);
  });
});
