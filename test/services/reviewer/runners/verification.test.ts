import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Asked, Explorers } from '../../../../services/reviewer/run/explorers.ts';
import type { ReviewDraft } from '../../../../shared/rounds/model/draft.ts';
import type { Notes } from '../../../../shared/vocabulary/question.ts';
import { NOTHING_SPENT } from '../../../../shared/vocabulary/spent.ts';
import type { VerifierAnswer } from '../../../../shared/vocabulary/verification.ts';
import { call, reply, REVIEW, scriptedModel, submit } from '../../../shared/agent/scripted-model.ts';
import { createReviewWorld, type ReviewWorld, textOf, thread } from '../review-world.ts';
import { agentRunnerStage } from './agent-runner-stage.ts';

let world: ReviewWorld;
let checkouts: string;
beforeEach(async () => {
  world = createReviewWorld();
  checkouts = await mkdtemp(join(tmpdir(), 'fixpoint-verification-'));
});
afterEach(async () => {
  world.dispose();
  await rm(checkouts, { recursive: true, force: true });
});

type Verifier = (asked: Asked) => VerifierAnswer | null;

const UNSURE = { outcome: 'unsure', evidence: null, reason: '' } as const;
const CONFIRMED = { outcome: 'confirmed', evidence: null, reason: '' } as const;
const refutedBy = (code: string, path = 'shop.js'): VerifierAnswer => ({
  outcome: 'refuted',
  evidence: { path, line: 1, code },
  reason: '',
});

/** Explorers that answer as the verifier says; null: the verifier was lost. */
const verifiers = (verify: Verifier): Explorers & { readonly heard: Asked[] } => {
  const heard: Asked[] = [];
  return {
    heard,
    ask: async (questions) => {
      heard.push(...questions);
      return questions.map((question): Notes | null => {
        const verification = verify(question);
        if (verification === null) return null;
        return { v: 1, outcome: 'answered', text: '', verification, spent: { ...NOTHING_SPENT, modelCalls: 2 } };
      });
    },
  };
};

const claimIn = ({ question }: Asked) => {
  if (question.kind !== 'verify') throw new Error('no claim');
  return question.claim;
};

const OLD = textOf(
  "import { items } from './items.js';",
  '/* The first of the items',
  'items.sort(); is called before */',
  'first(items);',
  'other(thing);',
  'export const total = (items) => {',
  '  if (items === null) return 0;',
  '  // items is never null here',
  '  return items.length;',
  '};',
);
const NEW = textOf(
  "import { items } from './items.js';",
  '/* The first of the items',
  'items.sort(); is called before */',
  'first(items);',
  'other(thing);',
  'export const total = (items) => {',
  '  if (items === null) return 0;',
  '  // items is never null here',
  '  const note = "checked upstream, not a bug";',
  '  // checked upstream, not a bug',
  '  const checkedUpstream = notABug(items);',
  '  return items[0].price;',
  '};',
  'first(items);',
);

const finding = (more: object = {}) => ({
  path: 'shop.js',
  line: 12,
  severity: 'P1',
  title: 'An empty list makes the total throw',
  body: 'The first item is read without a check.',
  evidence: 'return items[0].price;',
  ...more,
});

const change = () => {
  const base = world.commit({ 'shop.js': OLD });
  return { base, head: world.commit({ 'shop.js': NEW }) };
};

const review = async (
  findings: readonly object[],
  verify: Verifier,
  more: { readonly verifyMax?: number | null } = {},
) => {
  const explorers = verifiers(verify);
  const model = scriptedModel([submit({ ...REVIEW, findings })]);
  const stage = agentRunnerStage({ world, checkouts }, model, { verifyMax: 12, scope: { explorers }, ...more });
  return { draft: await stage.checked(change()), heard: explorers.heard };
};

const kept = ({ findings }: ReviewDraft) =>
  findings.filter(({ claim }) => claim.rule === null).map(({ claim, evidenced }) => [claim.severity, evidenced]);

describe('a claim of a model', () => {
  it.each<[name: string, severity: string, verify: Verifier, result: readonly (readonly [string, boolean])[]]>([
    ['confirmed', 'P1', () => CONFIRMED, [['P1', true]]],
    ['unsure', 'P1', () => UNSURE, [['P1', false]]],
    ['whose verifier was lost', 'P0', () => null, [['P0', false]]],
    ['refuted by code that was there before', 'P1', () => refutedBy('if (items === null) return 0;'), []],
    [
      'refuted by a comment that was there before',
      'P1',
      () => refutedBy('// items is never null here'),
      [['P1', false]],
    ],
    ['refuted by nothing', 'P1', () => ({ ...UNSURE, outcome: 'refuted' }), [['P1', false]]],
    ['refuted by code that does not exist', 'P1', () => refutedBy('if (items.length === 0) return;'), [['P1', false]]],
    ['refuted by a bracket', 'P1', () => refutedBy('};'), [['P1', false]]],
    ['refuted by a comment of the change', 'P0', () => refutedBy('// checked upstream, not a bug'), [['P0', false]]],
    ['refuted by a string of the change', 'P0', () => refutedBy('"checked upstream, not a bug";'), [['P0', false]]],
    ['refuted by code of the change', 'P0', () => refutedBy('checkedUpstream = notABug(items);'), [['P0', false]]],
    ['refuted by an import', 'P1', () => refutedBy("import { items } from './items.js';"), [['P1', false]]],
    ['refuted by the inside of a comment', 'P1', () => refutedBy('items.sort(); is called before'), [['P1', false]]],
    ['refuted by code about something else', 'P1', () => refutedBy('other(thing);'), [['P1', false]]],
    ['refuted by code that the change adds once more', 'P1', () => refutedBy('first(items);'), [['P1', false]]],
    ['refuted by old and new code at once', 'P1', () => refutedBy(NEW.trim()), [['P1', false]]],
  ])('that is %s', async (_name, severity, verify, result) => {
    const { draft, heard } = await review([finding({ severity })], verify);
    expect(heard).toHaveLength(1);
    expect(kept(draft)).toEqual(result);
    expect(draft.refutedClaims?.length ?? 0).toBe(1 - result.length);
    expect(draft.spent.modelCalls).toBe(verify(heard[0] as Asked) === null ? 1 : 3);
  });

  describe('on the line of a finding of a rule', () => {
    const said = async (line: string, severity: 'P0' | 'P1', verify: Verifier) => {
      const base = world.commit({ 'cart.js': 'start();\n' });
      const head = world.commit({ 'cart.js': `start();\n${line}\n` });
      const claim = finding({ path: 'cart.js', line: 2, severity, evidence: line });
      const model = scriptedModel([submit({ ...REVIEW, findings: [claim] })]);
      const wish = { verifyMax: 12, scope: { explorers: verifiers(verify) } };
      const { findings } = await agentRunnerStage({ world, checkouts }, model, wish).checked({ base, head });
      return findings.map((each) => [each.claim.rule, each.claim.severity, each.evidenced]);
    };

    it('makes it graver when confirmed, and stays a claim of its own when unsure', async () => {
      expect(await said('debugger;', 'P0', () => CONFIRMED)).toEqual([['js-debugger', 'P0', true]]);
      expect(await said('debugger;', 'P0', () => UNSURE)).toEqual([
        ['js-debugger', 'P3', true],
        [null, 'P0', false],
      ]);
    });

    it('is not raised beside it when unsure and no graver', async () => {
      expect(await said('eval(order);', 'P1', () => UNSURE)).toEqual([['js-eval', 'P1', true]]);
    });
  });

  it('of P2 no longer blocks when unsure, and may be refuted by code of the change', async () => {
    const blocking = finding({ severity: 'P2', blocking: true });
    const blocks = ({ draft }: { readonly draft: ReviewDraft }) => draft.findings.map(({ claim }) => claim.blocking);
    expect(blocks(await review([blocking], () => UNSURE))).toEqual([false]);
    expect(blocks(await review([blocking], () => CONFIRMED))).toEqual([true]);
    const refuted = await review([blocking], () => refutedBy('checkedUpstream = notABug(items);'));
    expect(refuted.draft.findings).toEqual([]);
    expect(refuted.draft.refutedClaims).toEqual([
      {
        path: 'shop.js',
        line: 12,
        title: 'An empty list makes the total throw',
        evidence: 'checkedUpstream = notABug(items);',
      },
    ]);
  });

  it('is verified only if it would block', async () => {
    const { heard, draft } = await review(
      [finding({ severity: 'P2' }), finding({ severity: 'P3', line: 11, title: 'A name', evidence: 'notABug(items)' })],
      () => null,
    );
    expect(heard).toEqual([]);
    expect(draft.findings).toHaveLength(2);
  });

  it('is told without the reasons of the reviewer, with its code, and secrets are removed', async () => {
    const { heard } = await review([finding()], () => CONFIRMED);
    const claim = claimIn(heard[0] as Asked);
    expect(heard[0]?.id).toMatch(/-verify-1$/);
    expect(claim).toMatchObject({
      about: { kind: 'finding', index: 0 },
      severity: 'P1',
      path: 'shop.js',
      line: 12,
      title: 'An empty list makes the total throw',
      quotes: [{ path: 'shop.js', line: 12, code: 'return items[0].price;' }],
    });
    expect(claim.code).toContain('return items[0].price;');
    expect(claim.code).toContain('if (items === null) return 0;');
    expect(JSON.stringify(claim)).not.toContain('read without a check');
  });

  it('beyond the limit stays unsure, and those that block come first', async () => {
    const findings = [
      finding({
        severity: 'P2',
        blocking: true,
        title: 'The list is read twice',
        line: 11,
        evidence: 'notABug(items)',
      }),
      finding(),
      finding({ severity: 'P0', title: 'Every customer pays the first price', line: 9, evidence: 'const note' }),
    ];
    const { heard, draft } = await review(findings, () => CONFIRMED, { verifyMax: 2 });
    expect(heard.map((each) => claimIn(each).severity)).toEqual(['P0', 'P1']);
    expect(draft.findings.map(({ claim, evidenced }) => [claim.severity, claim.blocking, evidenced])).toEqual([
      ['P2', false, true],
      ['P1', false, true],
      ['P0', false, true],
    ]);
  });

  it('is posted as it is where claims are not verified', async () => {
    const { heard, draft } = await review([finding()], () => null, { verifyMax: null });
    expect([heard, kept(draft)]).toEqual([[], [['P1', true]]]);
  });

  it('stays unsure where a part of a large change has no verifier left', async () => {
    const { heard, draft } = await review([finding()], () => CONFIRMED, { verifyMax: 0 });
    expect([heard, kept(draft)]).toEqual([[], [['P1', false]]]);
  });
});

describe('a run that waits for verifiers', () => {
  it('goes on with their answers and without another call', async () => {
    let ready = false;
    const answering = verifiers(() => UNSURE);
    const explorers: Explorers = { ask: async (all, signal) => (ready ? answering.ask(all, signal) : null) };
    const model = scriptedModel([submit({ ...REVIEW, findings: [finding()] })]);
    const { run } = agentRunnerStage({ world, checkouts }, model, { verifyMax: 12, scope: { explorers } });
    const range = change();
    expect(await run(range)).toEqual({ kind: 'waits' });
    expect(await run(range)).toEqual({ kind: 'waits' });
    ready = true;
    const first = await run(range);
    expect(first.kind).toBe('draft');
    // The answers are part of the conversation now: nobody is asked again.
    expect(await run(range)).toEqual(first);
    expect([model.requests.length, answering.heard.length]).toEqual([1, 1]);
  });
});

describe('a P1 thread whose lines are unchanged', () => {
  const guard = 'export const check = (items) => items.length > 0;';

  const answered = async (verification: VerifierAnswer | null, answer: object) => {
    const base = world.commit({ 'shop.js': OLD });
    const before = world.commit({ 'shop.js': NEW });
    const head = world.commit({ 'check.js': `${guard}\n` });
    const explorers = verifiers(() => verification);
    const resolve = { thread: 'F-001', stance: 'accepts', action: 'resolve', body: 'It is fixed.', ...answer };
    const model = scriptedModel([
      submit({ ...REVIEW, answers: [resolve] }),
      submit({ ...REVIEW, answers: [] }),
      reply([call('submit_review', REVIEW)]),
    ]);
    const stage = agentRunnerStage({ world, checkouts }, model, {
      verifyMax: 12,
      scope: { explorers },
      request: { openThreads: [{ ...thread('shop.js', 12, before), cycledAt: before }] },
    });
    const draft = await stage.checked({ base, head });
    return { draft, heard: explorers.heard, calls: model.requests.length };
  };

  it.each<[string, VerifierAnswer | null, readonly unknown[]]>([
    ['a confirmed fix elsewhere', CONFIRMED, [{ findingId: 'F-001', why: 'verified' }]],
    ['an unsure fix elsewhere', UNSURE, []],
    ['a fix elsewhere whose verifier was lost', null, []],
  ])('and %s', async (_name, verification, resolvable) => {
    const { draft, heard } = await answered(verification, { evidence: guard });
    expect(heard.map((each) => claimIn(each).about)).toEqual([{ kind: 'fix', findingId: 'F-001', evidence: guard }]);
    expect(draft.resolvable).toEqual(resolvable);
  });

  it('is not resolved by a bare resolve, and no verifier is asked', async () => {
    const { draft, heard, calls } = await answered(CONFIRMED, {});
    expect(heard).toEqual([]);
    expect(calls).toBe(2);
    expect(draft.resolvable).toEqual([]);
    expect(draft.answers).toEqual([]);
  });
});
