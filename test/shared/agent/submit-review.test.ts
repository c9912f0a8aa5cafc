import { describe, expect, it } from 'vitest';
import { createSubmitReviewTool } from '../../../shared/agent/tools/submit-review.ts';
import type { DraftFinding } from '../../../shared/vocabulary/finding.ts';
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
  const faultOf = async ({ evidence, severity }: DraftFinding) => {
    const binding = severity === 'P0' || severity === 'P1';
    return evidence === 'in the file' ? null : { text: 'this text is not in a.ts; the nearest is line 4', binding };
  };
  const rules = reviewRules({ faultOf });
  return createSubmitReviewTool(rules).execute({ ...REVIEW, findings }, never);
};

describe('submit_review', () => {
  it('takes findings without a fault', async () => {
    const result = await handIn(['P0', 'P1', 'P2', 'P3'].map((severity) => finding(severity, 'in the file')));
    expect(result.kind).toBe('submitted');
  });

  it.each(['P0', 'P1'])(
    'F-C10: names which %s has what fault, and can be taken with it when it stays',
    async (severity) => {
      const result = await handIn([finding('P2', 'in the file'), finding(severity, 'made up')]);
      expect(result).toMatchObject({
        kind: 'refused',
        problems: [
          {
            kind: 'blemish',
            text: `findings[1] "t" a.ts:3 (${severity}): this text is not in a.ts; the nearest is line 4`,
          },
        ],
        fallback: { findings: [{ severity: 'P2' }, { severity }] },
        unreadable: null,
      });
    },
  );

  it('F-W3: mentions the false quote of a P3 in a correction that is needed anyway, and asks for none because of it', async () => {
    expect((await handIn([finding('P3', 'made up')])).kind).toBe('submitted');
    const result = await handIn([finding('P3', 'made up'), finding('P1', 'made up')]);
    const texts = result.kind === 'refused' ? result.problems.map(({ text }) => text) : [];
    expect(texts).toEqual([
      'findings[1] "t" a.ts:3 (P1): this text is not in a.ts; the nearest is line 4',
      'findings[0] "t" a.ts:3 (P3): this text is not in a.ts; the nearest is line 4',
    ]);
  });

  it('asks for no correction of a finding that an open thread already says', async () => {
    const claim = {
      place: { path: 'a.ts', side: 'new', startLine: 3, line: 3 },
      title: 'The lock is never released',
      body: '',
      citedCode: '',
    } as const;
    const thread = { id: 'F-001', severity: 'P1', legalActions: ['resolve'], required: false, claim } as const;
    const rules = reviewRules({
      openThreads: [thread],
      faultOf: async () => ({ text: 'this text is not in a.ts', binding: true }),
    });
    const again = { ...finding('P1', 'made up'), title: 'Lock is never released' };
    const execute = async (...findings: readonly unknown[]) =>
      createSubmitReviewTool(rules).execute({ ...REVIEW, findings }, never);
    expect(await execute(again)).toMatchObject({
      kind: 'submitted',
      submission: { findings: [{ evidence: 'made up' }] },
    });
    expect(await execute(again, { ...finding('P1', 'made up'), path: 'b.ts' })).toMatchObject({
      kind: 'refused',
      problems: [{ text: expect.stringContaining('findings[1] "t"') }],
    });
  });

  it.each([
    ['too much', { ...REVIEW, summary: 'x'.repeat(500_000) }, /longer than 400000/],
    ['nothing', undefined, /longer than|no review/],
    ['words', 'LGTM', /contains no review/],
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
    [
      'without lines that show it',
      { 'F-001': { evidence: 'made up' } },
      /F-001: evidence must be a verbatim quote/,
      [{}],
    ],
    ['without a text', { 'F-001': { evidence: 7 } }, /F-001: evidence must be a text/, undefined],
    ['that nobody knows', { 'F-009': { evidence: 'await save();' } }, /F-009 is not a thread/, undefined],
    ['twice', [shown, shown].map(({ evidence }) => ({ id: 'F-001', evidence })), /F-001 is named twice/, [shown]],
    ['in no way that can be read', 'all of them', /must be a list/, undefined],
  ])('reported fixed %s is corrected, and no reason to fail', async (_name, fixed, problem, left) => {
    const result = await handInFixed(fixed);
    expect(result).toMatchObject({
      kind: 'refused',
      problems: [{ kind: 'blemish', text: expect.stringMatching(problem) }],
    });
    const submission = result.kind === 'refused' ? result.fallback : null;
    expect(submission?.fixed?.length).toBe(left?.length);
  });

  it('is shown fixed by nobody where nobody can look', async () => {
    const result = await handInFixed({ 'F-001': shown }, reviewRules({ settledThreads: ['F-001'] }));
    expect(result.kind).toBe('refused');
  });
});
