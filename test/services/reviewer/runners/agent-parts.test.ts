/** A change that does not fit into one prompt: reviewed in parts by the agent runner, over a real repository. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Explorers } from '../../../../services/reviewer/run/explorers.ts';
import { transcriptOfPart } from '../../../../shared/vocabulary/question.ts';
import type { Model, ModelReply, ModelRequest } from '../../../../shared/agent/model/model.ts';
import { ModelUnauthorisedError } from '../../../../shared/agent/model/model-errors.ts';
import { NOTHING_SPENT } from '../../../../shared/vocabulary/spent.ts';
import { temporaryFolder } from '../../../shared/workspace/repository.ts';
import { runId } from '../../../shared/rounds/builders.ts';
import { call, REVIEW, reply, submit } from '../../../shared/agent/scripted-model.ts';
import { createReviewWorld, numbered, type ReviewWorld, textOf, thread } from '../review-world.ts';
import { agentRunnerStage, type AgentWish, type Range, textIn } from './agent-runner-stage.ts';

let world: ReviewWorld;
let checkouts: ReturnType<typeof temporaryFolder>;
let range: Range;

const AREAS = ['auth', 'cart', 'shop'] as const;

const pathOf = (area: string): string => `src/${area}/code.ts`;

beforeAll(() => {
  world = createReviewWorld();
  checkouts = temporaryFolder();
  const base = world.commit({ 'README.md': 'shop\n' });
  const files = AREAS.map((area) => [pathOf(area), textOf(`// ${area}`, ...numbered(300))] as const);
  range = { base, head: world.commit(Object.fromEntries(files)) };
});
afterAll(() => {
  world.dispose();
  checkouts.dispose();
});

/** Small enough that each of the three files is a part of its own. */
const SMALL = { compactAtTokens: 6_000 } as const;

const areaOf = (request: ModelRequest): string =>
  AREAS.find((area) => textIn(request).includes(`=== ${pathOf(area)}`)) ?? 'none';

const finding = (area: string, more: Readonly<Record<string, unknown>> = {}) => ({
  severity: 'P2',
  relation: 'current_diff',
  path: pathOf(area),
  line: 3,
  title: `The second line of ${area} is wrong, so callers get a wrong number`,
  body: 'It must be another number.',
  evidence: 'const line2 = 2;',
  ...more,
});

const unauthorised = () =>
  new ModelUnauthorisedError({ facts: { status: 401, type: null, requestId: null }, cause: null });

type Answer = (request: ModelRequest) => ModelReply | Promise<ModelReply>;

/** Answers by the part that is asked about. Without an answer for it, one finding about its file. */
const modelFor = (answers: Partial<Record<string, Answer>> = {}): Model & { readonly asked: string[] } => {
  const asked: string[] = [];
  return {
    asked,
    respond: async (request) => {
      const area = areaOf(request);
      asked.push(area);
      const answer = answers[area] ?? (() => submit({ ...REVIEW, summary: `Saw ${area}.`, findings: [finding(area)] }));
      return answer(request);
    },
  };
};

const stageOf = (model: Model, wish: AgentWish = {}) =>
  agentRunnerStage({ world, checkouts: checkouts.path }, model, { ...wish, agent: { ...SMALL, ...wish.agent } });

describe('a change in parts', () => {
  test('is seen whole: one conversation for each part, the risky one first, and one draft', async () => {
    const model = modelFor();
    const stage = stageOf(model);
    const draft = await stage.checked(range);
    expect(model.asked.toSorted()).toEqual([...AREAS]);
    expect(draft.findings.map(({ claim, evidenced }) => [claim.path, evidenced])).toEqual(
      AREAS.map((area) => [pathOf(area), true]),
    );
    expect(draft.summary).toBe(AREAS.map((area, at) => `Part ${at + 1} (src/${area}/): Saw ${area}.`).join('\n\n'));
    expect(draft.coverage).toMatchObject({ files: 3, reviewed: 3, complete: true, omitted: [] });
    expect(draft.spent).toMatchObject({ modelCalls: 3, turns: 3 });
    expect(draft.exceeded).toBeNull();
  });

  test('tells each reviewer about the other parts, and offers no explorers', async () => {
    const requests: ModelRequest[] = [];
    const look: Answer = (request) => {
      requests.push(request);
      return submit();
    };
    await stageOf(modelFor({ auth: look, cart: look, shop: look })).draft(range);
    const first = requests.find((request) => areaOf(request) === 'auth');
    if (first === undefined) throw new Error('nobody was asked');
    expect(textIn(first)).toContain('reviewed in 3 parts. This is part 1.');
    expect(textIn(first)).toContain('src/cart/ 1\nsrc/shop/ 1');
    expect(first.tools.map(({ name }) => name)).not.toContain('Agent');
  });

  test('is one conversation where `max_parts` is 1, and what does not fit is left out', async () => {
    const model = modelFor();
    const draft = await stageOf(model, { agent: { maxParts: 1 } }).checked(range);
    expect(model.asked).toHaveLength(1);
    expect(draft.coverage.complete).toBe(false);
    expect(draft.coverage.left).toHaveLength(2);
  });

  test('keeps what the other parts found when one fails, and names its files', async () => {
    const fails: Answer = () => Promise.reject(unauthorised());
    const draft = await stageOf(modelFor({ cart: fails })).checked(range);
    expect(draft.findings.map(({ claim }) => claim.path)).toEqual([pathOf('auth'), pathOf('shop')]);
    expect(draft.coverage).toMatchObject({ complete: false, left: ['src/cart/'] });
    expect(draft.coverage.omitted).toEqual([
      { path: pathOf('cart'), reason: 'the model failed (MODEL_UNAUTHORISED) in its part of the change' },
    ]);
  });

  test('fails when every part fails', async () => {
    const fails: Answer = () => Promise.reject(unauthorised());
    const result = await stageOf(modelFor({ auth: fails, cart: fails, shop: fails })).run(range);
    expect(result).toEqual({ kind: 'failed', code: 'MODEL_UNAUTHORISED', rawText: null });
  });

  test('leaves out the parts that do not fit the budget, the risky one last', async () => {
    const model = modelFor();
    const run = { tokens: 75_000, microUsd: 5_000_000 };
    const draft = await stageOf(model, { limits: { run } }).checked(range);
    expect(model.asked).toEqual(['auth']);
    expect(draft.coverage.left).toEqual(['src/cart/', 'src/shop/']);
    expect(draft.coverage.omitted.map(({ reason }) => reason)).toEqual([
      'its part of the change does not fit what one review may spend (`agent.max_parts`, `[budgets.model]`)',
      'its part of the change does not fit what one review may spend (`agent.max_parts`, `[budgets.model]`)',
    ]);
  });

  test('ends like a refused call when not even one part fits', async () => {
    const draft = await stageOf(modelFor(), { limits: { run: { tokens: 1_000, microUsd: 5_000_000 } } }).draft(range);
    expect(draft.exceeded).toEqual({ budget: 'tokens', scope: 'run', limit: 1_000 });
  });

  test('splits a file that is larger than a part, so that it is seen whole', async () => {
    const { base } = range;
    const head = world.commit({ 'src/large.ts': textOf(...numbered(2_000)) });
    const only = { base: range.head, head };
    const model = modelFor({ none: () => submit() });
    const draft = await stageOf(model).checked(only);
    expect(base).not.toBe(head);
    expect(model.asked.length).toBeGreaterThan(3);
    expect(draft.coverage).toMatchObject({ files: 1, reviewed: 1, complete: true });
  });
});

describe('threads of a change in parts', () => {
  const openThreads = AREAS.map((area, at) => ({
    ...thread(pathOf(area), 3, null, `F-00${at + 1}`),
    answered: true as const,
  }));

  const answered =
    (id: string): Answer =>
    () =>
      submit({ ...REVIEW, answers: [{ finding_id: id, action: 'reply', stance: 'seeks_change', body: 'It stands.' }] });

  test('are each asked about in the part of their file', async () => {
    const requests = new Map<string, string>();
    const look =
      (area: string, id: string): Answer =>
      (request) => {
        requests.set(area, textIn(request));
        return answered(id)(request);
      };
    const model = modelFor({ auth: look('auth', 'F-001'), cart: look('cart', 'F-002'), shop: look('shop', 'F-003') });
    const draft = await stageOf(model, { request: { openThreads } }).checked(range);
    expect(draft.answers.map(({ findingId }) => findingId)).toEqual(['F-001', 'F-002', 'F-003']);
    for (const [at, area] of AREAS.entries()) {
      const ids = requests.get(area)?.match(/F-00\d/g) ?? [];
      expect([area, [...new Set(ids)]]).toEqual([area, [`F-00${at + 1}`]]);
    }
  });

  test('of a part that failed have no answer, and nobody is blamed for it', async () => {
    const fails: Answer = () => Promise.reject(unauthorised());
    const model = modelFor({ auth: answered('F-001'), cart: fails, shop: answered('F-003') });
    const draft = await stageOf(model, { request: { openThreads } }).checked(range);
    expect(draft.answers.map(({ findingId }) => findingId)).toEqual(['F-001', 'F-003']);
    expect(draft.unanswered).toEqual(['F-002']);
  });
});

describe('a part', () => {
  test('goes on where it ended when the run is executed again', async () => {
    let isFirst = true;
    const looksFirst: Answer = ({ messages }) =>
      messages.length === 1 ? reply([call('Read', { path: pathOf('shop') })]) : submit();
    const dies: Answer = async (request) => {
      if (!isFirst) return submit();
      isFirst = false;
      throw new TypeError(`killed at ${request.messages.length}`);
    };
    const model = modelFor({ cart: dies, shop: looksFirst });
    const stage = stageOf(model);
    await expect(stage.run(range)).rejects.toThrow('killed at 1');
    const before = model.asked.length;
    const shop = await stage.transcripts.load(transcriptOfPart(runId('run'), 3));
    expect(shop?.inputs.map(({ kind }) => kind)).toEqual(['reply', 'results', 'reply', 'results']);
    const draft = await stage.draft(range);
    expect(model.asked.slice(before)).toEqual(['cart']);
    expect(draft.spent.modelCalls).toBe(4);
  });
});

describe('the claims of the parts', () => {
  const grave: Answer = (request) => {
    const area = areaOf(request);
    const second = finding(area, {
      severity: 'P1',
      line: 4,
      title: `The third line of ${area}`,
      evidence: 'const line3 = 3;',
    });
    return submit({ ...REVIEW, findings: [finding(area), second] });
  };

  /** Confirms all claims but those about the cart. */
  const verifiers = (): Explorers & { ready: boolean; readonly ids: string[] } => {
    const own: Explorers & { ready: boolean; readonly ids: string[] } = {
      ready: true,
      ids: [],
      ask: async (questions) => {
        own.ids.push(...questions.map(({ id }) => id.slice(id.indexOf('-') + 1)));
        if (!own.ready) return null;
        return questions.map(({ question }) => {
          const isCart = question.kind === 'verify' && question.claim.path.includes('cart');
          const outcome = isCart ? ('unsure' as const) : ('confirmed' as const);
          const verification = { outcome, evidence: null, reason: '' };
          return { v: 1 as const, outcome: 'answered' as const, text: '', verification, spent: NOTHING_SPENT };
        });
      },
    };
    return own;
  };

  test('are verified in their part, and each verdict belongs to its own claim', async () => {
    const explorers = verifiers();
    const model = modelFor({ auth: grave, cart: grave, shop: grave });
    const draft = await stageOf(model, { verifyMax: 4, scope: { explorers } }).checked(range);
    expect(explorers.ids.toSorted()).toEqual(['part-1-verify-1', 'part-2-verify-1', 'part-3-verify-1']);
    expect(draft.findings.map(({ claim, evidenced }) => [claim.path, claim.severity, evidenced])).toEqual([
      ...AREAS.flatMap((area) => [
        [pathOf(area), 'P2', true],
        ...(area === 'cart' ? [] : [[pathOf(area), 'P1', true]]),
      ]),
      [pathOf('cart'), 'P1', false],
    ]);
  });

  test('beyond the share of a part stay unsure', async () => {
    const model = modelFor({ auth: grave, cart: grave, shop: grave });
    const explorers = verifiers();
    const draft = await stageOf(model, { verifyMax: 2, scope: { explorers } }).checked(range);
    expect(explorers.ids.toSorted()).toEqual(['part-1-verify-1', 'part-2-verify-1']);
    const grades = draft.findings.filter(({ claim }) => claim.severity === 'P1').map(({ evidenced }) => evidenced);
    expect(grades).toEqual([true, false, false]);
  });

  test('are waited for, and no call is made twice', async () => {
    const explorers = verifiers();
    explorers.ready = false;
    const model = modelFor({ auth: grave, cart: grave, shop: grave });
    const stage = stageOf(model, { verifyMax: 3, scope: { explorers } });
    expect(await stage.run(range)).toEqual({ kind: 'waits' });
    explorers.ready = true;
    const first = await stage.run(range);
    expect(first.kind).toBe('draft');
    expect(await stage.run(range)).toEqual(first);
    expect(model.asked.toSorted()).toEqual([...AREAS]);
  });
});
