import { modelLook } from '../../../services/reviewer/packet/looked.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ReviewerDeps } from '../../../services/reviewer/deps.ts';
import { NO_EXPLORERS } from '../../../services/reviewer/run/explorers.ts';
import { createReviewHandler, reportLostRun } from '../../../services/reviewer/handle.ts';
import type { Runner, RunnerInput, RunnerResult } from '../../../services/reviewer/run/runner.ts';
import { createRulesRunner } from '../../../services/reviewer/runners/rules.ts';
import type { HeadToAnalyze } from '../../../shared/analyzers/connect.ts';
import { ModelOverloadedError } from '../../../shared/agent/model/model-errors.ts';
import type { ReviewJob } from '../../../shared/queue/contracts.ts';
import type { Brief } from '../../../shared/rounds/model/brief.ts';
import { ReviewDraft } from '../../../shared/rounds/model/draft.ts';
import type { InboxEvent } from '../../../shared/rounds/model/events.ts';
import type { RuleFound } from '../../../shared/rounds/model/posting/rules-told.ts';
import type { Analysis } from '../../../shared/rules/model/analysis.ts';
import { NOTHING_SPENT } from '../../../shared/vocabulary/spent.ts';
import { createRedactor } from '../../../shared/text/redact.ts';
import { createFileForge, type FileForge, jobContext, OF } from '../../support/file-forge.ts';
import { at, runId, sha } from '../../shared/rounds/builders.ts';
import { never } from '../../shared/workspace/repository.ts';
import { LIMITS } from './review-world.ts';

const RUN = runId('run');

let forge: FileForge;
beforeAll(() => {
  forge = createFileForge({ 'a.js': 'a();\n' }, { 'a.js': 'b();\n' });
});
afterAll(() => forge.dispose());

const LOOKED = { rules: { parsed: new Map(), scanned: new Set(['a.js']) }, model: modelLook([]) };

const DRAFT: RunnerResult = {
  kind: 'draft',
  draft: {
    summary: 'Seen.',
    findings: [],
    answers: [],
    omitted: [],
    looked: LOOKED,
    spent: NOTHING_SPENT,
    exceeded: null,
  },
};

const stage = (result: RunnerResult | Error, patch: Partial<ReviewerDeps> = {}) => {
  const told: InboxEvent[] = [];
  const drafts: ReviewDraft[] = [];
  const raws: (readonly [string, string])[] = [];
  const rules: (readonly [string, readonly RuleFound[]])[] = [];
  const inputs: RunnerInput[] = [];
  const deps: ReviewerDeps = {
    mirrors: forge.mirrors,
    limits: LIMITS,
    runner: {
      name: 'scripted',
      run: async (input) => {
        inputs.push(input);
        if (result instanceof Error) throw result;
        return result;
      },
    },
    explorersOf: () => NO_EXPLORERS,
    validate: async () => [],
    validationS: 0,
    analyses: { load: async () => null, save: async () => {} },
    redact: createRedactor([]),
    loadBrief: async () => forge.briefOf(RUN),
    saveDraft: async (draft) => void drafts.push(ReviewDraft.parse(draft)),
    loadNotes: async () => '## Tests\nnone',
    saveRulesFound: async (id, found) => void rules.push([id, found]),
    saveRawText: async (id, text) => {
      expect(told).toEqual([]);
      raws.push([id, text]);
    },
    wantedInput: async () => null,
    operatorRulesOf: () => '',
    isCurrent: async () => true,
    deliver: async (of, event) => {
      expect(of).toEqual(OF);
      told.push(event);
    },
    nowMs: () => 42,
    checkpoint: () => {},
    ...patch,
  };
  const job: ReviewJob = {
    v: 1,
    changeRequest: OF,
    runId: RUN,
    head: forge.head,
    review: 1,
    attempt: 1,
    mustFinish: false,
    budget: { maxTurns: 8, maxRuntimeS: 600 },
  };
  const handle = async (more: Partial<ReviewJob> = {}) =>
    createReviewHandler(deps)({ ...job, ...more }, jobContext(never()));
  return { deps, job, handle, told, drafts, raws, rules, inputs };
};

const report = (kind: 'drafted' | 'superseded' | 'failed', code: string | null = null): InboxEvent => ({
  source: 'run',
  kind,
  id: `${kind}-${RUN}`,
  atMs: 42,
  runId: RUN,
  code,
});

describe('the analyzers of a run', () => {
  const FOUND: Analysis = { v: 1, ran: [], hits: [], failed: [{ name: 'lint', reason: 'ended with exit code 2' }] };

  const analyzed = (kind: Brief['kind']) => {
    const kept = new Map<string, Analysis>();
    const asked: HeadToAnalyze[] = [];
    const analyzers: NonNullable<ReviewerDeps['analyzers']> = {
      analysisS: 60,
      analyze: async (head) => {
        asked.push(head);
        return FOUND;
      },
    };
    const analyses: ReviewerDeps['analyses'] = {
      load: async (id) => kept.get(id) ?? null,
      save: async (id, analysis) => void kept.set(id, analysis),
    };
    const loadBrief = async () => ({ ...forge.briefOf(RUN), kind });
    return { asked, kept, ...stage(DRAFT, { analyzers, analyses, loadBrief, runner: createRulesRunner() }) };
  };

  test('run once, on the changed files, however often the run is executed', async () => {
    const { handle, asked, kept, drafts } = analyzed('review');
    await handle();
    await handle();
    expect(asked).toMatchObject([{ head: forge.head, changeRequest: OF, files: [{ path: 'a.js', rule: null }] }]);
    expect(kept).toEqual(new Map([[RUN, FOUND]]));
    expect(drafts.map(({ coverage }) => coverage.analyzers)).toEqual([FOUND.failed, FOUND.failed]);
  });

  test('look only at files of threads when the run answers people', async () => {
    const { handle, asked } = analyzed('reply');
    await handle();
    expect(asked.map(({ files }) => files)).toEqual([[]]);
  });
});

describe('a run', () => {
  test('that drafts saves the draft before it says so', async () => {
    const { handle, told, drafts, inputs } = stage(DRAFT, {
      deliver: async (_of, event) => {
        expect(drafts).toHaveLength(1);
        told.push(event);
      },
    });
    expect(await handle()).toEqual({ kind: 'done' });
    expect(told).toEqual([report('drafted')]);
    expect(drafts).toMatchObject([{ runId: RUN, head: forge.head, coverage: { complete: true }, summary: 'Seen.' }]);
    expect(inputs).toMatchObject([
      {
        task: { title: 'A change', author: 'ada', earlierNotes: '## Tests\nnone' },
        scope: { runId: RUN, changeRequest: OF, maxTurns: 8, maxRuntimeS: 600 },
      },
    ]);
  });

  test.each([
    ['MODEL_OUTPUT_UNREADABLE', 'Looks good to me.', [[RUN, 'Looks good to me.']]],
    ['MODEL_OUTPUT_UNREADABLE', null, []],
    ['PROTOCOL_VIOLATION', null, []],
    ['MODEL_REFUSED', null, []],
    ['MODEL_UNAUTHORISED', null, []],
  ])(
    'that failed with %s and the words %j reports the code, and keeps the words before',
    async (code, rawText, kept) => {
      const { handle, told, raws, drafts } = stage({ kind: 'failed', code, rawText });
      expect(await handle()).toEqual({ kind: 'done' });
      expect({ told, raws, drafts }).toEqual({ told: [report('failed', code)], raws: kept, drafts: [] });
    },
  );

  test('that an operator has to put right is noted, whether or not a call was answered', async () => {
    const noted: unknown[] = [];
    const noteMistake: ReviewerDeps['noteMistake'] = async (mistake) => void noted.push(mistake);
    for (const code of ['MODEL_UNAUTHORISED', 'PROTOCOL_VIOLATION'])
      for (const answered of [true, false]) {
        const wasAnswered = async (): Promise<boolean> => answered;
        await stage({ kind: 'failed', code, rawText: null }, { noteMistake, wasAnswered }).handle();
      }
    const mistake = { what: 'model', code: 'MODEL_UNAUTHORISED' };
    expect(noted).toEqual([mistake, mistake]);
  });

  test('takes what the operator has validated at its head into the draft, and stops for a head that nobody wants', async () => {
    const passed = { name: 'types', result: 'passed', durationMs: 7, output: '' } as const;
    const asked: unknown[] = [];
    const validated = stage(DRAFT, {
      validate: async ({ changeRequest, head, isWanted, gitUrl }) => {
        asked.push({ changeRequest, head, wanted: await isWanted(), gitUrl });
        return [passed];
      },
    });
    await validated.handle();
    expect(validated.drafts.map(({ validations }) => validations)).toEqual([[passed]]);
    expect(asked).toEqual([{ changeRequest: OF, head: forge.head, wanted: true, gitUrl: forge.briefOf(RUN).git.url }]);
    const unwanted = stage(DRAFT, { validate: async () => null });
    await unwanted.handle();
    expect({ told: unwanted.told, drafts: unwanted.drafts }).toEqual({ told: [report('superseded')], drafts: [] });
  });

  test('that waits for explorers reports nothing and gives up its slot', async () => {
    const { handle, told, drafts } = stage({ kind: 'waits' });
    expect(await handle()).toEqual({ kind: 'wait_for_children' });
    expect({ told, drafts }).toEqual({ told: [], drafts: [] });
  });

  test('that waits for somebody outside reports nothing, fetches nothing more, and comes back', async () => {
    const { handle, told } = stage({ kind: 'sleeps', delayMs: 700 });
    expect(await handle()).toEqual({ kind: 'defer', delayMs: 700 });
    const asleep: Runner = {
      name: 'asleep',
      run: async () => Promise.reject(new Error('it sleeps')),
      sleepsFor: async () => 900,
    };
    const sleeping = stage(DRAFT, { runner: asleep, mirrors: new Map() });
    expect(await sleeping.handle()).toEqual({ kind: 'defer', delayMs: 900 });
    expect([told, sleeping.told]).toEqual([[], []]);
  });

  test.each([
    ['drafted', DRAFT, true],
    ['failed', { kind: 'failed', code: 'X', rawText: null }, true],
    ['superseded', DRAFT, false],
  ] as const)('that ends as %s says so first, then nobody outside is waited for', async (kind, result, current) => {
    const left: string[] = [];
    const { deps, job, told } = stage(result, { isCurrent: async () => current });
    const leave = async (_of: unknown, id: string): Promise<void> => {
      expect(told).toHaveLength(1);
      left.push(id);
    };
    const runner = { ...deps.runner, sleepsFor: async () => null, leave };
    await createReviewHandler({ ...deps, runner })(job, jobContext(never()));
    expect([told.map((event) => 'kind' in event && event.kind), left]).toEqual([[kind], [RUN]]);
  });

  test('whose runner breaks reports nothing: the queue tries again', async () => {
    const { handle, told } = stage(new Error('broken'));
    await expect(handle()).rejects.toThrow('broken');
    expect(told).toEqual([]);
  });

  test('F-C11: whose model gives no review keeps what the rules found before it says so', async () => {
    const secret = ['gh', 'p_', 'A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8'].join('');
    const bad = createFileForge({ 'a.js': 'a();\n' }, { 'a.js': `eval(a);\nconst token = '${secret}';\n` });
    const patch = {
      mirrors: bad.mirrors,
      loadBrief: async () => bad.briefOf(RUN),
      deliver: async () => {
        throw new Error('told');
      },
    };
    const overloaded = new ModelOverloadedError({
      facts: { status: 529, type: null, requestId: null },
      retryAfterMs: null,
      cost: { kind: 'nothing' },
      cause: null,
    });
    const ends = ['MODEL_REFUSED', 'PROTOCOL_VIOLATION', 'MODEL_UNAUTHORISED', 'MODEL_REQUEST_TOO_LONG'].map(
      (code) => [{ kind: 'failed', code, rawText: null }, 'told'] as const,
    );
    try {
      for (const [result, thrown] of [...ends, [overloaded, overloaded.message] as const]) {
        const { handle, rules } = stage(result, patch);
        await expect(handle({ head: bad.head })).rejects.toThrow(thrown);
        const kept = rules.map(([id, found]) => [id, found.map(({ path, line, severity }) => [path, line, severity])]);
        expect(kept).toEqual([
          [
            RUN,
            [
              ['a.js', 2, expect.any(String)],
              ['a.js', 1, expect.any(String)],
            ],
          ],
        ]);
        expect(JSON.stringify(rules)).not.toContain(secret);
      }
      const { handle, rules } = stage(DRAFT, { ...patch, deliver: async () => {} });
      await handle({ head: bad.head });
      expect(rules).toEqual([]);
    } finally {
      bad.dispose();
    }
  });

  test('that is lost for good is reported as failed with the code of its last error', async () => {
    const { deps, job, told } = stage(DRAFT);
    await reportLostRun(deps)(job, 'MODEL_OVERLOADED');
    expect(told).toEqual([report('failed', 'MODEL_OVERLOADED')]);
  });

  test('without its brief is an error of the store', async () => {
    const { handle } = stage(DRAFT, { loadBrief: async () => null });
    await expect(handle()).rejects.toThrow(expect.objectContaining({ code: 'STORED_DOCUMENT_MISSING' }));
  });

  test('of a forge that is not configured cannot be laid down', async () => {
    const { handle, inputs } = stage(DRAFT, { mirrors: new Map() });
    await expect(handle()).rejects.toThrow(expect.objectContaining({ code: 'WORKSPACE_UNAVAILABLE' }));
    expect(inputs).toEqual([]);
  });
});

describe('a run that nobody waits for any more', () => {
  const newer = sha('newer');
  const newerInput = at(newer);
  test.each<[string, Partial<ReviewerDeps>, Partial<ReviewJob>, 'superseded' | 'drafted', number]>([
    ['because guard gave it up', { isCurrent: async () => false }, {}, 'superseded', 0],
    [
      'because guard gave it up, although it must finish',
      { isCurrent: async () => false },
      { mustFinish: true },
      'superseded',
      0,
    ],
    ['because a newer head is wanted', { wantedInput: async () => newerInput }, {}, 'superseded', 0],
    ['but must finish, goes on', { wantedInput: async () => newerInput }, { mustFinish: true }, 'drafted', 1],
    ['because its head has left the forge', {}, { head: newer }, 'superseded', 0],
  ])('%s', async (_why, patch, job, kind, runs) => {
    const { handle, told, inputs } = stage(DRAFT, patch);
    await handle(job);
    expect(told).toEqual([report(kind)]);
    expect(inputs).toHaveLength(runs);
  });

  test('since its runner came to an end leaves no draft', async () => {
    let asked = 0;
    const { handle, told, drafts } = stage(DRAFT, { wantedInput: async () => ((asked += 1) > 1 ? newerInput : null) });
    await handle();
    expect({ told, drafts }).toEqual({ told: [report('superseded')], drafts: [] });
  });

  test('is told to its runner within the run', async () => {
    let wanted: typeof newerInput | null = null;
    const { handle, inputs } = stage(DRAFT, { wantedInput: async () => wanted });
    await handle();
    const [input] = inputs;
    expect(await input?.scope.isSuperseded()).toBe(false);
    wanted = newerInput;
    expect(await input?.scope.isSuperseded()).toBe(true);
  });
});
