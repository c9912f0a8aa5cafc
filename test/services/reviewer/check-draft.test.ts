import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { checkDraft } from '../../../services/reviewer/check-draft.ts';
import { buildPacket } from '../../../services/reviewer/packet/build-packet.ts';
import type { RunnerDraft } from '../../../services/reviewer/run/runner.ts';
import { NOTHING_SPENT } from '../../../shared/vocabulary/spent.ts';
import type { CommitSha } from '../../../shared/vocabulary/ids.ts';
import { WHOLE_CHANGE } from '../../../shared/vocabulary/coverage.ts';
import type { DraftFinding } from '../../../shared/vocabulary/finding.ts';
import { createRedactor } from '../../../shared/text/redact.ts';
import { claim, runId } from '../../shared/rounds/builders.ts';
import { createReviewWorld, lookedAt, numbered, request, type ReviewWorld, textOf, thread } from './review-world.ts';

const SECRET = ['hidden', 'value', '4711', 'of', 'the', 'operator'].join('-');

let world: ReviewWorld;
beforeEach(() => {
  world = createReviewWorld();
});
afterEach(() => world.dispose());

type Range = { readonly base: CommitSha; readonly head: CommitSha };

const check = async (
  { base, head }: Range,
  findings: readonly DraftFinding[],
  omitted: RunnerDraft['omitted'] = [],
  walkthrough: NonNullable<RunnerDraft['walkthrough']> = [],
) => {
  const packet = await buildPacket(request(base, head), world.source());
  const draft = {
    summary: 'Done.',
    walkthrough,
    findings,
    answers: [],
    omitted,
    looked: lookedAt(packet),
    spent: NOTHING_SPENT,
    exceeded: null,
  };
  return checkDraft({ runId: runId('run'), review: 1, attempt: 1 }, draft, {
    packet,
    redact: createRedactor([SECRET]),
  });
};

const saving = (): Range => {
  const old = numbered(10);
  const base = world.commit({ 'a.ts': textOf(...old), 'untouched.ts': 'load(order);\n' });
  return { base, head: world.commit({ 'a.ts': textOf('save(order);', ...old) }) };
};

test('a walkthrough keeps the files of the change alone', async () => {
  const said = ['a.ts', 'untouched.ts', 'none.ts'].map((path) => ({ path, text: 'Saves the order.' }));
  expect((await check(saving(), [], [], said)).walkthrough).toEqual([{ path: 'a.ts', text: 'Saves the order.' }]);
  expect(await check(saving(), [], [], said.slice(1))).not.toHaveProperty('walkthrough');
});

test('more findings than a draft may hold are cut to the gravest, as a named omission', async () => {
  const row = (severity: 'P0' | 'P2', count: number) =>
    Array.from({ length: count }, (_, at) => claim({ severity, title: `${severity} ${at}`, startLine: 1, line: 1 }));
  const all = [...row('P2', 520), ...row('P0', 3)];
  const { findings, coverage } = await check(saving(), all);
  expect(findings.map(({ claim: { title } }) => title)).toEqual([
    ...all.slice(0, 497).map(({ title }) => title),
    'P0 0',
    'P0 1',
    'P0 2',
  ]);
  expect(coverage.complete).toBe(false);
  expect(coverage.omitted).toEqual([
    { path: '(several files)', reason: 'more than 500 findings; the least severe are not reported' },
  ]);
});

describe('the place of a claim', () => {
  test('on an added line is anchored there', async () => {
    const { findings } = await check(saving(), [claim({ startLine: 1, line: 1 })]);
    expect(findings).toMatchObject([
      { position: { newPath: 'a.ts', side: 'new', end: { kind: 'added', newLine: 1, oldLine: null } }, unplaced: null },
    ]);
  });

  test.each([
    [
      'of a line that the diff does not show',
      { startLine: 10, line: 10, evidence: 'const line9 = 9;' },
      /line is not part/,
    ],
    ['of a file that the change leaves alone', { path: 'untouched.ts', startLine: 1, line: 1 }, /file is not part/],
    ['of lines that no hunk shows together', { startLine: 1, line: 10, evidence: '' }, /not part of/],
  ])('%s has a reason instead', async (_name, patch, reason) => {
    const { findings } = await check(saving(), [claim(patch)]);
    expect(findings).toMatchObject([{ position: null, unplaced: expect.stringMatching(reason) }]);
  });
});

describe('the threads of earlier rounds', () => {
  test('come with their place and lines of today: closed ones keep a place, rules quote nothing, secrets stay', async () => {
    const base = world.commit({ 'README.md': 'shop\n' });
    const old = [...numbered(8), `sign('${SECRET}');`];
    const before = world.commit({ 'a.ts': textOf(...old) });
    const head = world.commit({ 'a.ts': textOf('above();', ...old.filter((_, index) => index !== 2)) });
    const asked = {
      openThreads: [thread('a.ts', 2, before, 'F-001'), thread('a.ts', 3, before, 'F-002')],
      closedThreads: [
        thread('a.ts', 3, before, 'F-003'),
        { ...thread('a.ts', 5, before, 'F-004'), rule: 'js-eval' },
        thread('a.ts', 9, before, 'F-005'),
        thread('a.ts', 4, null, 'F-006'),
      ],
    };
    const packet = await buildPacket(request(base, head, asked), world.source());
    const draft = {
      summary: '',
      findings: [],
      answers: [],
      omitted: [],
      looked: lookedAt(packet),
      spent: NOTHING_SPENT,
      exceeded: null,
    };
    const identity = { runId: runId('run'), review: 2, attempt: 1 };
    const { moved } = await checkDraft(identity, draft, { packet, redact: createRedactor([SECRET]) });
    expect(moved.map(({ findingId, place, citedCode }) => [findingId, place?.line ?? null, citedCode])).toEqual([
      ['F-001', 3, 'const line2 = 2;'],
      ['F-002', null, 'const line3 = 3;'],
      ['F-003', 3, 'const line3 = 3;'],
      ['F-004', 5, undefined],
      ['F-005', 9, "sign('[redacted]');"],
      ['F-006', 4, undefined],
    ]);
  });
});

describe('the evidence of a claim', () => {
  test.each([
    ['holds when the head has it', { evidence: 'save( order );' }, false],
    [
      'holds in another file only if the claim names that file',
      { path: 'untouched.ts', evidence: 'load(order);' },
      true,
    ],
    ['does not hold when no side has it', { evidence: 'delete(order);' }, false],
    ['does not hold when it is empty', { evidence: ' ' }, false],
    ['does not hold when it is a bracket', { evidence: '{' }, false],
    ['holds for a rule, which quotes by itself', { evidence: '', rule: 'js-eval' }, true],
  ])('%s', async (_name, patch, holds) => {
    const { findings } = await check(saving(), [claim({ startLine: 1, line: 1, ...patch })]);
    expect(findings.map(({ evidenced }) => evidenced)).toEqual([holds]);
  });

  test('holds when only the base has it', async () => {
    const base = world.commit({ 'a.ts': textOf('lock(order);', 'save(order);') });
    const head = world.commit({ 'a.ts': 'save(order);\n' });
    const { findings } = await check({ base, head }, [
      claim({ side: 'old', startLine: 1, line: 1, evidence: 'lock(order);' }),
    ]);
    expect(findings).toMatchObject([
      { evidenced: true, position: { side: 'old', end: { kind: 'removed', oldLine: 1 } } },
    ]);
  });

  test('is compared with secrets taken out on both sides', async () => {
    const base = world.commit({});
    const head = world.commit({ 'a.ts': `connect("${SECRET}");\n` });
    const { text } = createRedactor([SECRET])(`connect("${SECRET}");`);
    expect(text).not.toContain(SECRET);
    const { findings } = await check({ base, head }, [claim({ startLine: 1, line: 1, evidence: text })]);
    expect(findings.map(({ evidenced }) => evidenced)).toEqual([true]);
  });
});

describe('the fingerprint of a claim', () => {
  const printsOf = async (range: Range, findings: readonly DraftFinding[]): Promise<readonly string[]> =>
    (await check(range, findings)).findings.map(({ fingerprint }) => fingerprint);

  test('stays when the lines move, the blanks change and the body is told anew', async () => {
    const range = saving();
    const [one] = await printsOf(range, [claim({ startLine: 1, line: 1 })]);
    const [other] = await printsOf(range, [
      claim({
        startLine: 7,
        line: 7,
        evidence: '  save(order);',
        body: 'In other words.',
        title: 'The result is never awaited!',
      }),
    ]);
    expect(other).toBe(one);
  });

  test('tells path, claim, code, and equal lines of one file apart', async () => {
    const all = await printsOf(saving(), [
      claim(),
      claim({ startLine: 9, line: 9 }),
      claim({ path: 'b.ts' }),
      claim({ title: 'Another claim' }),
      claim({ evidence: 'save(invoice);' }),
      claim({ side: 'old' }),
      claim({ rule: 'js-eval' }),
    ]);
    expect(new Set(all).size).toBe(all.length);
  });
});

describe('the coverage of a draft', () => {
  test('is complete when every file was reviewed or left out by rule', async () => {
    const base = world.commit({});
    const head = world.commit({ 'a.ts': 'a();\n', 'package-lock.json': '{}\n' });
    const { coverage } = await check({ base, head }, []);
    expect(coverage).toMatchObject({ files: 2, reviewed: 1, complete: true, omitted: [{ path: 'package-lock.json' }] });
  });

  test('is not complete when the runner could not look at a file', async () => {
    const base = world.commit({});
    const head = world.commit({ 'a.ts': 'a();\n', 'b.ts': 'b();\n' });
    const { coverage } = await check({ base, head }, [], [{ path: 'b.ts', reason: 'too long' }]);
    expect(coverage).toMatchObject({
      files: 2,
      reviewed: 1,
      complete: false,
      omitted: [{ path: 'b.ts', reason: 'too long' }],
    });
  });
});

test('a claim on a hunk that stood in the round before is marked', async () => {
  const old = numbered(40);
  const base = world.commit({ 'a.ts': textOf(...old) });
  const first = ['first();', ...old];
  const before = world.commit({ 'a.ts': textOf(...first) });
  const head = world.commit({ 'a.ts': textOf(...first, 'second();') });
  const previous = { head: before, base, fingerprint: 'f'.repeat(64), verdict: 'feedback' as const };
  const packet = await buildPacket(request(base, head, { previous }), world.source());
  const findings = [claim({ startLine: 1, line: 1 }), claim({ startLine: 42, line: 42 })];
  const draft = {
    summary: '',
    findings,
    answers: [],
    omitted: [],
    looked: lookedAt(packet),
    spent: NOTHING_SPENT,
    exceeded: null,
  };
  const identity = { runId: runId('run'), review: 2, attempt: 1 };
  const checked = await checkDraft(identity, draft, { packet, redact: createRedactor([]) });
  expect(checked.findings.map(({ onChangedHunk }) => onChangedHunk)).toEqual([false, true]);
});

describe('F-W11: the counts', () => {
  test.each<[string, RunnerDraft['omitted'], object]>([
    ['leave out a file with a finding that cannot be read', [{ path: 'a.js', reason: 'r' }], { files: 2, reviewed: 1 }],
    [
      'count nothing when the whole change is in doubt',
      [{ path: WHOLE_CHANGE, reason: 'r' }],
      { files: 2, reviewed: 0 },
    ],
  ])('%s', async (_name, omitted, expected) => {
    const base = world.commit({ 'kept.txt': 'kept\n' });
    const head = world.commit({ 'a.js': 'a();\n', 'b.js': 'b();\n' });
    const { coverage } = await check({ base, head }, [], omitted);
    expect(coverage).toMatchObject({ ...expected, complete: false });
    expect(coverage.omitted).toHaveLength(1);
  });
});
