import { readdir } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ExplorerDeps } from '../../../services/explorer/deps.ts';
import { createExploreHandler, reportLostExploration } from '../../../services/explorer/handle.ts';
import type { BudgetLimits } from '../../../shared/agent/model/budget.ts';
import { BUDGET_LIMITS } from '../../support/budget-limits.ts';
import { createMemoryLedger } from '../../../shared/agent/model/memory-ledger.ts';
import { ModelOverloadedError } from '../../../shared/agent/model/model-errors.ts';
import type { Model } from '../../../shared/agent/model/model.ts';
import { PRICES, priceOf } from '../../../shared/agent/model/prices.ts';
import { Agent } from '../../../shared/config/agent-settings.ts';
import type { ExploreJob } from '../../../shared/queue/contracts.ts';
import { Notes, Question } from '../../../shared/vocabulary/question.ts';
import { NOTHING_SPENT } from '../../../shared/vocabulary/spent.ts';
import { createRedactor } from '../../../shared/text/redact.ts';
import { ACCOUNT, BOUNDARY } from '../../shared/agent/agent-run.ts';
import { call, reply, say, scriptedModel, type Step } from '../../shared/agent/scripted-model.ts';
import { runId, sha } from '../../shared/rounds/builders.ts';
import { never } from '../../shared/workspace/repository.ts';
import { findTestCage } from '../../support/cage.ts';
import { createFileForge, type FileForge, jobContext, OF } from '../../support/file-forge.ts';
import { hangsUntilAborted, memoryTranscripts, stillClock } from '../reviewer/agent-stage.ts';

const RUN = runId('run');
const ID = `${RUN}-1-1`;
const TOKEN = ['glpat', 'x9Kq2mV7bT4nR8sW1zYc'].join('-');

let forge: FileForge;
beforeAll(() => {
  forge = createFileForge(
    { 'shop/price.js': 'export const priceOf = (item) => item.length;\n' },
    { 'shop/cart.js': `import { priceOf } from './price.js';\nconst key = '${TOKEN}';\n` },
  );
});
afterAll(() => forge.dispose());

const caged = await findTestCage();
afterAll(caged.dispose);

const QUESTION = Question.parse({
  v: 1,
  kind: 'explore',
  question: `Who calls priceOf, and why? ${TOKEN}\u202e`,
  files: ['shop/price.js'],
  changedPaths: ['shop/cart.js'],
});

type Wish = {
  readonly limits?: Partial<BudgetLimits>;
  readonly deps?: Partial<ExplorerDeps>;
  readonly maxTurns?: number;
};

const stage = (model: Model, { limits, deps: patch, maxTurns = 8 }: Wish = {}) => {
  const saved = new Map<string, Notes>();
  const clock = stillClock();
  const transcripts = memoryTranscripts();
  const ledger = createMemoryLedger({ ...BUDGET_LIMITS, ...limits });
  const price = priceOf(PRICES, 'claude-haiku-5-5');
  if (price === null) throw new Error('no price');
  let calls = 0;
  const deps: ExplorerDeps = {
    mirrors: forge.mirrors,
    checkoutFolder: forge.checkouts,
    cage: null,
    redact: createRedactor([]),
    model: {
      connected: {
        model,
        clock,
        meterOf: () => ({ ledger, account: ACCOUNT, role: 'reviewer', price, newCallId: () => `call-${(calls += 1)}` }),
      },
      agent: Agent.parse({}),
      transcripts,
      redact: createRedactor([]),
      boundaryOf: () => BOUNDARY,
      observe: () => {},
      checkpoint: () => {},
    },
    verifier: null,
    loadBrief: async () => forge.briefOf(RUN),
    loadQuestion: async () => QUESTION,
    loadNotes: async (id) => saved.get(id) ?? null,
    saveNotes: async (id, notes) => void saved.set(id, Notes.parse(notes)),
    isCurrent: async () => true,
    checkpoint: () => {},
    ...patch,
  };
  const job: ExploreJob = {
    v: 1,
    changeRequest: OF,
    runId: RUN,
    head: forge.head,
    questionId: ID,
    budget: { maxTurns, maxRuntimeS: 300 },
  };
  const run = async (): Promise<Notes | undefined> => {
    await createExploreHandler(deps)(job, jobContext(never()));
    return saved.get(ID);
  };
  return { deps, job, run, saved, clock, transcripts };
};

const note = (text: string): Step => reply([call('WriteNotes', { text })]);
const done = reply([say('Done.')]);

describe('an exploration', () => {
  test('ends with what was noted, and what it cost', async () => {
    const model = scriptedModel([
      reply([call('Grep', { pattern: 'priceOf' })]),
      note('## Callers\nshop/cart.js:1'),
      done,
    ]);
    const { run } = stage(model);
    expect(await run()).toEqual({
      v: 1,
      outcome: 'answered',
      text: '## Callers\nshop/cart.js:1',
      spent: {
        ...NOTHING_SPENT,
        turns: 3,
        modelCalls: 3,
        inputTokens: 300,
        outputTokens: 60,
        costUsd: expect.any(Number),
      },
    });
    expect(JSON.stringify(model.requests[1])).toContain('shop/cart.js:1: import { priceOf }');
    expect(await readdir(forge.checkouts)).toEqual([]);
  });

  test('that looked and wrote nothing found nothing, which is an answer', async () => {
    const { run } = stage(scriptedModel([reply([])]));
    expect(await run()).toMatchObject({ outcome: 'nothing_found', text: '' });
  });

  test('that ran out of turns is not complete, and keeps what it had noted', async () => {
    const steps = [note('## Callers\nhalf'), reply([call('WriteNotes', { text: 'more' })])];
    expect(await stage(scriptedModel(steps), { maxTurns: 2 }).run()).toMatchObject({
      outcome: 'budget_exceeded',
      text: '## Callers\nhalf\n\nmore',
    });
  });

  test('that ran out of money is not complete, before its first call too', async () => {
    const model = scriptedModel([]);
    const { run } = stage(model, { limits: { day: { tokens: 1_000, microUsd: 1 } } });
    expect(await run()).toMatchObject({ outcome: 'budget_exceeded', text: '', spent: { modelCalls: 0 } });
    expect(model.requests).toEqual([]);
  });

  test('that the model refuses has failed', async () => {
    const refusal = reply([say('No.')], { stopReason: 'refusal' });
    expect(await stage(scriptedModel([note('## Tests\nnone'), refusal])).run()).toMatchObject({
      outcome: 'failed',
      text: '## Tests\nnone',
    });
  });

  test('of a run that is over makes no call, and is told from one that found nothing', async () => {
    const model = scriptedModel([]);
    const { run } = stage(model, { deps: { isCurrent: async () => false } });
    expect(await run()).toMatchObject({ outcome: 'failed', text: '' });
    expect(model.requests).toEqual([]);
  });

  test('stops within a call when its run is over', async () => {
    let current = true;
    const hung = hangsUntilAborted(() => {
      current = false;
      clock.look();
    });
    const { run, clock } = stage(scriptedModel([hung]), { deps: { isCurrent: async () => current } });
    expect(await run()).toMatchObject({ outcome: 'failed' });
    expect(await readdir(forge.checkouts)).toEqual([]);
  });

  test('whose provider fails for now saves no notes, and goes on from its transcript', async () => {
    const facts = { status: 529, type: 'overloaded_error', requestId: null };
    const overloaded = new ModelOverloadedError({ facts, cause: null, retryAfterMs: null, cost: { kind: 'nothing' } });
    const model = scriptedModel([note('## Callers\nb.js'), ...Array.from({ length: 4 }, () => overloaded), done]);
    const { run, saved } = stage(model);
    await expect(run()).rejects.toThrow(expect.objectContaining({ code: 'MODEL_OVERLOADED' }));
    expect(saved.size).toBe(0);
    expect(await run()).toMatchObject({ outcome: 'answered', text: '## Callers\nb.js', spent: { turns: 2 } });
    expect(model.left()).toBe(0);
  });

  test('that has notes is not made again', async () => {
    const model = scriptedModel([done]);
    const { run, saved } = stage(model);
    const before: Notes = { v: 1, outcome: 'answered', text: 'Before.', spent: NOTHING_SPENT };
    saved.set(ID, before);
    expect(await run()).toEqual(before);
    expect(model.requests).toEqual([]);
  });

  test('has notes of at most 50,000 characters, whatever was written', async () => {
    const page = (at: number): Step => note(`${at} ${'x'.repeat(9_990)}`);
    const notes = await stage(scriptedModel([...[1, 2, 3, 4, 5, 6].map(page), done])).run();
    expect(notes?.text.length).toBeLessThanOrEqual(50_000);
    expect(notes?.text).toMatch(/\(The notes were cut here: they are full\.\)/);
  });
});

describe('an explorer', () => {
  test('has tools to look and to note, none to send others or to hand in a review', async () => {
    const model = scriptedModel([
      reply([
        call('Agent', { question: 'Who calls priceOf instead?' }, 'a'),
        call('submit_review', { findings: [] }, 's'),
      ]),
      done,
    ]);
    await stage(model).run();
    expect(model.requests.map(({ tools }) => tools.map(({ name }) => name))).toEqual([
      ['Read', 'Glob', 'Grep', 'References', 'WriteNotes'],
      ['Read', 'Glob', 'Grep', 'References', 'WriteNotes'],
    ]);
    expect(model.requests[1]?.messages.at(-1)?.blocks.slice(0, 2)).toEqual(
      ['a', 's'].map((callId) => ({
        kind: 'tool_result',
        callId,
        isError: true,
        text: expect.stringContaining('there is no such tool'),
      })),
    );
  });

  test('is asked in a fence, and learns and tells no secret', async () => {
    const model = scriptedModel([reply([call('Read', { path: 'shop/cart.js' })]), note(`## Callers\n${TOKEN}`), done]);
    const { run, transcripts } = stage(model);
    const notes = await run();
    const asked = JSON.stringify(model.requests);
    expect(asked).toContain(`<data-${BOUNDARY} question>\\nWho calls priceOf, and why? [redacted][U+202E]\\n</data-`);
    expect(asked).toContain(`<data-${BOUNDARY} changed-paths>\\nshop/cart.js`);
    // What a model writes itself comes back to it as it was; nothing else does.
    expect(JSON.stringify(model.requests.slice(0, 2))).not.toContain(TOKEN);
    expect(notes).toMatchObject({ outcome: 'answered', text: '## Callers\n[redacted]' });
    expect(JSON.stringify((await transcripts.load(ID))?.start)).not.toContain(TOKEN);
  });
});

describe('a question that nobody can answer', () => {
  test.each<[string, Partial<ExplorerDeps>, Partial<ExploreJob>]>([
    ['without a model', { model: null }, {}],
    ['of a forge that is not configured', { mirrors: new Map() }, {}],
    ['at a head that is gone', {}, { head: sha('gone') }],
  ])('%s is refused in words', async (_why, patch, of) => {
    const model = scriptedModel([]);
    const { deps, job, saved } = stage(model, { deps: patch });
    await createExploreHandler(deps)({ ...job, ...of }, jobContext(never()));
    expect(saved.get(ID)).toMatchObject({ outcome: 'refused', text: expect.stringMatching(/\w/) });
    expect(model.requests).toEqual([]);
  });

  test.each([
    ['brief', { loadBrief: async () => null }],
    ['question', { loadQuestion: async () => null }],
  ] as const)('because its %s is not there any more is dropped', async (_what, deps) => {
    const { run, saved } = stage(scriptedModel([]), { deps });
    await expect(run()).rejects.toThrow(expect.objectContaining({ code: 'STORED_DOCUMENT_MISSING' }));
    expect(saved.size).toBe(0);
  });
});

test('an explorer that will never answer leaves notes that say so, unless there are some', async () => {
  const { deps, job, saved } = stage(scriptedModel([]));
  await reportLostExploration(deps)(job);
  expect(saved.get(ID)).toEqual({ v: 1, outcome: 'failed', text: '', spent: NOTHING_SPENT });
  const found: Notes = { v: 1, outcome: 'answered', text: 'Found.', spent: NOTHING_SPENT };
  saved.set(ID, found);
  await reportLostExploration(deps)(job);
  expect(saved.get(ID)).toEqual(found);
});

describe('Bash', () => {
  const systemOf = (model: ReturnType<typeof scriptedModel>): string => JSON.stringify(model.requests[0]?.system);
  const namesOf = (model: ReturnType<typeof scriptedModel>) => model.requests[0]?.tools.map(({ name }) => name);

  test.skipIf(caged.cage === null)(
    `is on offer in a cage, with what the change is compared with${caged.why}`,
    async () => {
      const checkoutFolder = `${caged.folder}/checkouts`;
      const model = scriptedModel([reply([call('Bash', { command: 'git diff --name-only base HEAD' })]), done]);
      await stage(model, { deps: { cage: caged.cage, checkoutFolder } }).run();
      expect(namesOf(model)).toContain('Bash');
      expect(systemOf(model)).toContain('Bash shows its history');
      expect(JSON.stringify(model.requests[1]?.messages.at(-1))).toContain('\\nshop/cart.js\\n</data-');
      expect(await readdir(checkoutFolder)).toEqual([]);
    },
  );

  test('is not on offer without a cage, and nothing names it', async () => {
    const model = scriptedModel([done]);
    await stage(model).run();
    expect(namesOf(model)).not.toContain('Bash');
    expect(JSON.stringify(model.requests[0])).not.toMatch(/\bBash\b/);
  });
});
