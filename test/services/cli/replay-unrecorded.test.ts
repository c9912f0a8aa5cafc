/** Runs whose conversation Fixpoint never had: they are not compared with what the built-in rules would say. */
import { expect, onTestFinished, test } from 'vitest';
import { buildBrief } from '../../../services/guard/build-brief.ts';
import { type Replay, replayRun, type ReplaySettings } from '../../../services/cli/replay/replay-run.ts';
import { loadConfig } from '../../../shared/config/load.ts';
import { ReviewDraft } from '../../../shared/rounds/model/draft.ts';
import { replaySettings } from '../../../services/cli/replay/replay.ts';
import { reviewOnce } from '../../../services/reviewer/review.ts';
import { createRulesRunner } from '../../../services/reviewer/runners/rules.ts';
import { taskOf } from '../../../services/reviewer/task.ts';
import { createReviewWorld, SCOPE } from '../reviewer/review-world.ts';
import { makeSettings } from '../../support/settings.ts';
import * as make from '../../shared/rounds/builders.ts';

const settings = (runner: 'auto' | 'rules' = 'rules'): ReplaySettings => {
  const { toml } = makeSettings({
    forgeUrl: 'http://127.0.0.1:1',
    token: 'unused-token',
    projects: ['acme/shop'],
    dataDir: '/nowhere',
    redisPrefix: 'fixpoint',
  });
  const loaded = loadConfig({ text: toml, folder: '/nowhere', env: {}, needs: [] });
  if (!loaded.ok) throw new Error(loaded.problems.join('\n'));
  const { review } = loaded.config;
  return replaySettings({ ...loaded.config, review: { ...review, runner } });
};

test('without the model key it is unknown which runner `auto` chose, so the rules of the run are not compared', () => {
  expect(settings('auto').rulesUnknown).toBe(true);
  expect(settings('rules').rulesUnknown).toBe(false);
});

const brief = buildBrief({
  run: make.run(),
  facts: make.changeRequest(),
  history: make.history(),
  policy: make.policy(),
  git: { url: 'http://forge.example/shop.git', headRef: 'refs/pull/5/head' },
  comments: [],
  botIds: new Set(),
});

const replayed = async (patch: Partial<ReviewDraft>): Promise<Replay> => {
  const sources = {
    loadBrief: async () => brief,
    loadTranscript: async () => null,
    loadDraft: async () => JSON.stringify(make.draft(patch)),
    loadAnalysis: async () => null,
    mirrorOf: async () => '/nowhere',
  };
  return replayRun({ sources, settings: settings() }, brief.runId, AbortSignal.timeout(10_000));
};

test.each([
  ['messages', 'an external reviewer made the review'],
  ['claude-code', 'the Claude Code CLI made the review'],
])('F-F16: a run by %s cannot be replayed, and the reason is said', async (runner, words) => {
  expect(await replayed({ runner })).toEqual({ kind: 'not_recorded', because: expect.stringContaining(words) });
});

test('F-F16: a run by the rules is reviewed again where its mirror is', async () => {
  expect(await replayed({ runner: 'rules' })).toEqual({
    kind: 'missing',
    what: expect.stringContaining('the git mirror'),
  });
});

test('F-F16: what the validations said of a run does not tell its replay apart', async () => {
  const world = createReviewWorld();
  onTestFinished(() => world.dispose());
  const targetHead = world.commit({ 'a.ts': 'a();\n' });
  const head = world.commit({ 'a.ts': 'a();\nb();\n' });
  const ours = { ...brief, head, targetHead };
  const result = await reviewOnce({
    identity: ours,
    request: ours,
    task: taskOf(ours, null),
    scope: SCOPE,
    source: world.source(settings().limits),
    runner: createRulesRunner(),
    operatorRules: settings().operatorRulesOf(ours),
    redact: settings().redact,
  });
  if (result.kind !== 'draft') throw new Error(result.kind);
  const stored = (patch: Partial<ReviewDraft>): string =>
    JSON.stringify(ReviewDraft.parse({ ...result.draft, ...patch }));
  const ask = async (draft: string): Promise<Replay> => {
    const mirrorOf = async (): Promise<string> => world.repository.gitDir;
    const sources = {
      loadBrief: async () => ours,
      loadTranscript: async () => null,
      loadDraft: async () => draft,
      loadAnalysis: async () => null,
      mirrorOf,
    };
    return replayRun({ sources, settings: settings() }, ours.runId, AbortSignal.timeout(10_000));
  };
  const failed = { name: 'test', result: 'failed', durationMs: 5, output: 'no' } as const;
  expect(await ask(stored({ validations: [failed] }))).toMatchObject({ comparison: { kind: 'identical' } });
  expect(await ask(stored({ validations: [failed], summary: 'Other.' }))).toMatchObject({
    comparison: { kind: 'differs', difference: { at: 'summary' } },
  });
});
