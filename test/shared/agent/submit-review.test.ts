import { describe, expect, it } from 'vitest';
import { createSubmitReviewTool } from '../../../shared/agent/tools/submit-review.ts';
import type { DraftFinding } from '../../../shared/rounds/vocabulary.ts';
import { never, reviewRules } from './agent-run.ts';
import { REVIEW } from './scripted-model.ts';

const finding = (severity: string, evidence: string) => ({
  path: 'a.ts',
  line: 3,
  severity,
  title: 't',
  body: 'b',
  evidence,
});

const handIn = async (findings: readonly unknown[]) => {
  const asked: DraftFinding[] = [];
  const isEvidenced = async (one: DraftFinding): Promise<boolean> => {
    asked.push(one);
    return one.evidence === 'in the file';
  };
  const result = await createSubmitReviewTool(reviewRules({ isEvidenced })).execute({ ...REVIEW, findings }, never);
  return { result, asked: asked.map(({ severity }) => severity) };
};

describe('submit_review', () => {
  it('looks for the evidence of P0 and P1, and of nothing else', async () => {
    const all = ['P0', 'P1', 'P2', 'P3'].map((severity) => finding(severity, 'in the file'));
    const { result, asked } = await handIn(all);
    expect(asked).toEqual(['P0', 'P1']);
    expect(result.kind).toBe('submitted');
  });

  it.each(['P0', 'P1'])('names an unevidenced %s, and can be taken with it when it stays', async (severity) => {
    const { result } = await handIn([finding(severity, 'made up'), finding('P2', '')]);
    expect(result).toMatchObject({
      kind: 'refused',
      problems: [{ kind: 'blemish', text: expect.stringContaining(`a.ts:3 (${severity}): evidence must quote`) }],
      fallback: { findings: [{ severity }, { severity: 'P2' }] },
      unreadable: null,
    });
  });

  it.each([
    ['too much', { ...REVIEW, summary: 'x'.repeat(500_000) }, /longer than 400000/],
    ['nothing', undefined, /longer than|no review/],
    ['words', 'LGTM', /no review in it/],
  ])('cannot read %s, and keeps what it can of it to be shown', async (_name, input, reason) => {
    const result = await createSubmitReviewTool(reviewRules()).execute(input, never);
    if (result.kind !== 'refused') throw new Error('it must be refused');
    expect(result.problems[0]?.text).toMatch(reason);
    expect(result.fallback).toBeNull();
    expect((result.unreadable ?? 'x'.repeat(20_001)).length).toBeLessThanOrEqual(20_000);
  });
});

describe('a thread with a person', () => {
  const rules = reviewRules({
    settledThreads: ['F-001', 'F-002'],
    isShownFixed: async ({ evidence }) => evidence === 'await save();',
  });
  const handInFixed = async (fixed: unknown, given = rules) =>
    createSubmitReviewTool(given).execute({ ...REVIEW, fixed }, never);
  const shown = { findingId: 'F-001', evidence: 'await save();', rule: null };

  it.each([
    ['by its id', { 'F-001': { evidence: 'await save();' } }],
    ['in a list', [{ thread: 'F-001', evidence: 'await save();' }]],
  ])('is reported fixed %s', async (_name, fixed) => {
    expect(await handInFixed(fixed)).toMatchObject({ kind: 'submitted', submission: { fixed: [shown] } });
  });

  it.each<[string, unknown, RegExp, readonly unknown[] | undefined]>([
    ['without lines that show it', { 'F-001': { evidence: 'made up' } }, /F-001: evidence must quote/, [{}]],
    ['without a text', { 'F-001': { evidence: 7 } }, /F-001: evidence must be a text/, undefined],
    ['that nobody knows', { 'F-009': { evidence: 'await save();' } }, /F-009 is no thread/, undefined],
    ['twice', [shown, shown].map(({ evidence }) => ({ id: 'F-001', evidence })), /F-001 stands there twice/, [shown]],
    ['in no way that can be read', 'all of them', /must be an object/, undefined],
  ])('reported fixed %s is corrected, and no reason to fail', async (_name, fixed, problem, left) => {
    const result = await handInFixed(fixed);
    expect(result).toMatchObject({
      kind: 'refused',
      problems: [{ kind: 'blemish', text: expect.stringMatching(problem) }],
    });
    const submission = result.kind === 'refused' ? result.fallback : null;
    expect(submission?.fixed?.length).toBe(left?.length);
  });

  it('is named in the schema, and only where there is one', () => {
    const schemaOf = (given: typeof rules) => JSON.stringify(createSubmitReviewTool(given).schema.inputSchema);
    expect(schemaOf(rules)).toMatch(/"fixed":.*"F-001".*"F-002".*"additionalProperties":false/);
    expect(schemaOf(reviewRules())).not.toContain('"fixed"');
  });

  it('is shown fixed by nobody where nobody can look', async () => {
    const result = await handInFixed({ 'F-001': shown }, reviewRules({ settledThreads: ['F-001'] }));
    expect(result.kind).toBe('refused');
  });
});
