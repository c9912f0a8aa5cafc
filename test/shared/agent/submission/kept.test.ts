import { describe, expect, it } from 'vitest';
import { runTurns } from '../../../../shared/agent/run-turns.ts';
import { KeptParts, keepSummary } from '../../../../shared/agent/submission/kept.ts';
import { correctionText } from '../../../../shared/agent/submission/correction-text.ts';
import { createSubmitReviewTool, type SubmitReviewOptions } from '../../../../shared/agent/tools/submit-review.ts';
import { Transcript } from '../../../../shared/agent/transcript.ts';
import type { ToolResult } from '../../../../shared/agent/tool-result.ts';
import { never, reviewRules, testRun } from '../agent-run.ts';
import { call, reply, scriptedModel, submit } from '../scripted-model.ts';

const SUMMARY = 'The change rewrites the lock of the store. It is sound but for what is listed below.';
const finding = (title: string, patch: object = {}) => ({
  path: 'src/a.ts',
  line: 3,
  severity: 'P1',
  title,
  body: `${title}. It matters.`,
  evidence: [{ path: 'src/a.ts', line: 3, code: 'true();' }],
  ...patch,
});
const GOOD = finding('The lock is never released');
const OTHER = finding('Users can read foreign orders', { path: 'src/orders.ts', line: 40 });
const WRONG = finding('The cache grows without limit', { line: 90, evidence: 'false();' });
const MENDED = finding('The cache grows without limit', { line: 90 });
const BAD = { path: 'src/a.ts', title: 'Rounds the sum twice', body: 'Sums are rounded.', line: 'somewhere' };

const rules = (patch: Partial<SubmitReviewOptions> = {}): SubmitReviewOptions =>
  reviewRules({
    faultOf: async ({ evidence }) =>
      evidence === 'true();' ? null : { text: 'this text is not there', binding: true },
    ...patch,
  });

const whole = (findings: readonly object[], more: object = {}) => ({
  summary: SUMMARY,
  findings,
  not_reviewed: [],
  ...more,
});

/** The submissions of one conversation, one after the other. */
const submitAll = async (inputs: readonly unknown[], options = rules()): Promise<ToolResult> => {
  const tool = createSubmitReviewTool(options);
  let kept: KeptParts | null = null;
  let result: ToolResult | null = null;
  for (const input of inputs) {
    result = await tool.execute(input, never, { kept });
    // The transcript is stored as JSON between two turns.
    if (result.kind === 'refused') kept = KeptParts.nullable().parse(JSON.parse(JSON.stringify(result.kept ?? kept)));
  }
  if (result === null) throw new Error('nothing was submitted');
  return result;
};

const titlesOf = (result: ToolResult): readonly string[] => {
  if (result.kind === 'submitted') return result.submission.findings.map(({ title }) => title);
  return result.kind === 'refused' ? (result.fallback?.findings ?? []).map(({ title }) => title) : [];
};

describe('a correction that cannot be read', () => {
  it.each([
    ['words', 'I have corrected the review.'],
    ['no list', { findings: 'none' }],
  ])('as %s leaves what was kept, as a review that is not complete', async (_name, correction) => {
    const result = await submitAll([whole([GOOD, WRONG]), correction]);
    expect(result.kind).toBe('refused');
    expect(titlesOf(result)).toEqual(['The lock is never released']);
    if (result.kind === 'refused') expect(result.fallback?.omitted).toHaveLength(1);
  });

  it('leaves nothing where nothing was kept, or where a thread still needs an answer', async () => {
    expect(titlesOf(await submitAll([whole([WRONG]), 'Corrected.']))).toEqual([]);
    const claim = {
      place: { path: 'a', side: 'new', startLine: 1, line: 1 },
      title: 't',
      body: 'b',
      citedCode: '',
    } as const;
    const open = {
      id: 'F-001',
      severity: 'P1',
      legalActions: ['resolve'],
      claim,
      idle: false,
      required: true,
    } as const;
    const strict = rules({ openThreads: [open] });
    expect(titlesOf(await submitAll([whole([GOOD, WRONG]), 'Corrected.'], strict))).toEqual([]);
  });
});

describe('F-W4: only refused findings are asked for again', () => {
  const titles = [GOOD, OTHER, MENDED].map(({ title }) => title).toSorted();

  it.each<[string, unknown]>([
    ['the corrected one alone', { findings: [MENDED] }],
    [
      'the corrected one with fields that the schema requires',
      { summary: 'Corrected.', findings: [MENDED], not_reviewed: [] },
    ],
    ['the whole review', whole([GOOD, MENDED, OTHER])],
    ['the corrected one in a string', { findings: JSON.stringify([MENDED]) }],
  ])('takes %s', async (_name, correction) => {
    const result = await submitAll([whole([GOOD, WRONG, OTHER]), correction]);
    expect(result.kind).toBe('submitted');
    expect(titlesOf(result).toSorted()).toEqual(titles);
    expect(result).toMatchObject({ submission: { summary: SUMMARY } });
  });

  it.each<[string, unknown]>([
    ['nothing', {}],
    ['no finding', { findings: [] }],
    ['a good one again', { findings: [GOOD] }],
  ])('withdraws a finding when the correction has %s', async (_name, correction) => {
    const result = await submitAll([whole([GOOD, WRONG, OTHER]), correction]);
    expect(result.kind).toBe('submitted');
    expect(titlesOf(result).toSorted()).toEqual([GOOD.title, OTHER.title].toSorted());
  });

  it('keeps what was good in any of several submissions', async () => {
    const result = await submitAll([whole([GOOD, WRONG]), { findings: [OTHER, WRONG] }, { findings: [MENDED] }]);
    expect(titlesOf(result).toSorted()).toEqual(titles);
  });

  it('takes a good finding in its newest words', async () => {
    const newer = { ...GOOD, body: 'It is kept when save() throws.', severity: 'P0' };
    const result = await submitAll([whole([GOOD, WRONG]), { findings: [newer] }]);
    expect(result).toMatchObject({ submission: { findings: [{ severity: 'P0', body: newer.body }] } });
  });

  it('counts from the list of the model, and names title and text', async () => {
    const result = await submitAll([whole([BAD, GOOD, WRONG])]);
    expect(result).toMatchObject({
      problems: [
        {
          text: 'findings[0] "Rounds the sum twice" (src/a.ts): line: Invalid input: expected number, received string',
        },
        { text: 'findings[2] "The cache grows without limit" src/a.ts:90 (P1): this text is not there' },
      ],
    });
  });

  it('keeps what it has when a correction cannot be read', async () => {
    const result = await submitAll([whole([GOOD, WRONG]), 'LGTM', { findings: [MENDED] }]);
    expect(titlesOf(result)).toEqual([GOOD.title, MENDED.title]);
  });

  it.each([
    ['a longer summary of a correction', 'x'.repeat(60), 'x'.repeat(60)],
    ['the kept one when the new one is short', 'Corrected.', SUMMARY],
    ['the kept one when there is none', undefined, SUMMARY],
  ])('takes %s', async (_name, summary, expected) => {
    const result = await submitAll([whole([WRONG]), { summary, findings: [MENDED] }]);
    expect(result).toMatchObject({ submission: { summary: expected } });
  });

  it('takes a summary that was missing', async () => {
    const result = await submitAll([{ findings: [GOOD], not_reviewed: [] }, { summary: 'S' }]);
    expect(result).toMatchObject({
      kind: 'submitted',
      submission: { summary: 'S', findings: [{ title: GOOD.title }] },
    });
  });

  it('keeps what was not reviewed, and adds to it', async () => {
    const not_reviewed = [{ path: 'b.ts', reason: 'too long' }];
    const result = await submitAll([whole([WRONG], { not_reviewed }), { findings: [], not_reviewed: ['./c.ts'] }]);
    expect(result).toMatchObject({ submission: { notReviewed: [{ path: 'b.ts' }, { path: 'c.ts' }] } });
  });

  it('keeps answers, fixes, refutations and the walkthrough', async () => {
    const claim = {
      place: { path: 'x', side: 'new', startLine: 1, line: 1 },
      title: 'Old',
      body: '',
      citedCode: '',
    } as const;
    const thread = { severity: 'P1', legalActions: ['resolve', 'reply'], claim } as const;
    const options = rules({
      openThreads: [
        { id: 'F-001', ...thread },
        { id: 'F-002', ...thread },
      ],
      settledThreads: ['F-003', 'F-004'],
      unverified: ['F-005'],
      isShownFixed: async ({ evidence }) => evidence === 'save();',
      isRefuted: async () => true,
    });
    const first = whole([], {
      walkthrough: [{ path: 'src/a.ts', text: 'Adds a lock.' }],
      answers: { 'F-001': { action: 'reply', body: 'Still there.' }, 'F-002': { action: 'veto', body: 'No.' } },
      fixed: { 'F-003': { evidence: 'save();' }, 'F-004': { evidence: 'made up' } },
      refuted: { 'F-005': { evidence: 'true();' } },
    });
    const result = await submitAll([first, { findings: [], answers: { 'F-002': { action: 'resolve' } } }], options);
    expect(result).toMatchObject({
      kind: 'submitted',
      submission: {
        walkthrough: [{ path: 'src/a.ts' }],
        answers: [
          { findingId: 'F-001', action: 'reply' },
          { findingId: 'F-002', action: 'resolve' },
        ],
        fixed: [{ findingId: 'F-003' }],
        refuted: [{ findingId: 'F-005' }],
      },
    });
  });

  it('is no clean review when every finding was refused and the correction has no list', async () => {
    const result = await submitAll([whole([BAD]), { summary: 'All is well.' }]);
    expect(result).toMatchObject({
      kind: 'refused',
      problems: [{ text: expect.stringContaining('findings: must be a list') }],
      fallback: null,
    });
    expect(await submitAll([whole([GOOD, BAD]), {}])).toMatchObject({
      kind: 'submitted',
      submission: { findings: [{ title: GOOD.title }] },
    });
  });

  it('lists the words of a finding that still cannot be read', async () => {
    const result = await submitAll([whole([GOOD, BAD]), { findings: [BAD] }]);
    expect(result).toMatchObject({
      kind: 'refused',
      fallback: {
        findings: [{ title: GOOD.title }],
        omitted: [{ path: 'src/a.ts', reason: expect.stringContaining('Rounds the sum twice: Sums are rounded.') }],
      },
    });
  });

  it.each<[string, object]>([
    ['a long text', { path: 'a.ts', line: 'x', body: 'b'.repeat(50_000) }],
    ['no text', { path: 'a.ts', line: 7, severity: 'P9' }],
  ])('lists a finding with %s within limits', async (_name, bad) => {
    const result = await submitAll([whole([bad])]);
    const reason = result.kind === 'refused' ? (result.fallback?.omitted[0]?.reason ?? '') : '';
    expect(reason.length).toBeGreaterThan(60);
    expect(reason.length).toBeLessThan(1_300);
  });
});

describe('a conversation', () => {
  it('F-W11: counts turns as they are counted in what was spent, with those for corrections', async () => {
    const look = () => reply([call('Glob', { pattern: '*' })]);
    const model = scriptedModel([look(), submit('LGTM'), look(), submit()]);
    const { run } = testRun(model, { start: { maxTurns: 3 } });
    const result = await runTurns(run, never);
    const asked = model.requests.map(({ messages }) => JSON.stringify(messages.at(-1)));
    expect([asked[1], asked[2]].map((text) => /\[Turn \d of \d]/.exec(text ?? '')?.[0])).toEqual([
      '[Turn 2 of 3]',
      '[Turn 3 of 4]',
    ]);
    expect(result).toMatchObject({ spent: { turns: 4 } });
  });

  it('F-W4: tells what is kept, and resumes with it on another machine', async () => {
    const steps = [submit(whole([GOOD, WRONG])), submit({ findings: [MENDED] })];
    const model = scriptedModel(steps);
    const first = testRun(model, { rules: rules(), isSuperseded: async () => model.requests.length === 1 });
    await runTurns(first.run, never);
    const stored = JSON.stringify({ ...first.run.transcript, inputs: first.saved });
    const second = testRun(scriptedModel([]), { rules: rules(), transcript: Transcript.parse(JSON.parse(stored)) });
    const result = await runTurns({ ...second.run, model }, never);
    expect(result).toMatchObject({
      outcome: { kind: 'submitted', submission: { findings: [{ title: GOOD.title }, { title: MENDED.title }] } },
    });
    expect(JSON.stringify(model.requests.at(-1)?.messages)).toContain(
      'Everything else is kept with 1 finding: \\"The lock is never released\\" src/a.ts:3.',
    );
  });
});

describe('correctionText', () => {
  const kept = (count: number): KeptParts => ({
    ...KeptParts.parse({ summary: null, findings: [], answers: [], fixed: [], refuted: [], notReviewed: [] }),
    findings: Array.from({ length: count }, (_, index) => ({
      path: 'a.ts',
      side: 'new' as const,
      startLine: index + 1,
      line: index + 1,
      severity: 'P3' as const,
      relation: 'current_diff' as const,
      title: `T${index + 1}\u200b`,
      body: 'b',
      evidence: '',
      suggestion: null,
      blocking: false,
      rule: null,
    })),
  });

  it.each([
    [0, 'Everything else is kept. Call submit_review again'],
    [2, 'Everything else is kept with 2 findings: "T1[U+200B]" a.ts:1, "T2[U+200B]" a.ts:2. Call'],
    [12, '"T10[U+200B]" a.ts:10 and 2 more. Call'],
  ])('names up to ten of %i findings', (count, text) => {
    expect(correctionText(kept(count))).toContain(text);
  });
});

describe('keepSummary', () => {
  it.each([
    [null, null, null],
    [null, 'new', 'new'],
    ['kept text', null, 'kept text'],
    ['1234567890', '1234', '1234567890'],
    ['1234567890', '12345', '12345'],
  ])('of %j and %j is %j', (kept, given, expected) => {
    expect(keepSummary(kept, given)).toBe(expected);
  });
});
