/** Recorded runs of the real services over both wires, replayed from Redis and the mirror after model and forge have gone. */
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { replaySettings, replaySources } from '../../../../services/cli/replay/replay.ts';
import { type Replay, replayRun } from '../../../../services/cli/replay/replay-run.ts';
import { replayText } from '../../../../services/cli/replay/replay-text.ts';
import { explorationIds } from '../../../../shared/overview/turn-lines.ts';
import { type Config, loadConfig } from '../../../../shared/config/load.ts';
import { createKeys } from '../../../../shared/store/keys.ts';
import type { Exchange } from '../../../sim/messages/exchange.ts';
import { reply, type Step, text, toolUse } from '../../../sim/messages/reply.ts';
import { seededReviewer, type SeededReviewerOptions } from '../../../sim/messages/seeded-reviewer.ts';
import type { ChatSim } from '../../../sim/chat/start.ts';
import { makeSettings } from '../../../support/settings.ts';
import { commitBase, kindsOf, open, push, statusOf, textOf, verdictOf } from '../../../support/story.ts';
import { REPO, startStoryWorld, type StoryWorld } from '../../../support/story-world.ts';
import { stageOf, WIRES } from '../../../support/wires.ts';
import { runCli } from '../run-cli.ts';
import { MANY_FILES } from '../../../support/many-files.ts';

const STORY_MS = 240_000;
const RUN_MS = 60_000;
const PREFIX = 'fixpoint';
const ESCAPE = '\u001b';
const REVIEWER = 'max_turns = 4\n';

type Answer = (exchange: Exchange) => Step | null | Promise<Step | null>;

type Case = {
  readonly name: string;
  readonly files: Readonly<Record<string, string>>;
  readonly script: Answer;
  readonly verdict: string;
};

const seeded = (options: SeededReviewerOptions = {}): Answer => {
  const script = seededReviewer(3, options);
  return async (exchange) => (typeof script === 'function' ? script(exchange) : null);
};

const submit = (findings: readonly object[]) =>
  reply([toolUse('submit_review', { summary: 'Looked at it.', findings, not_reviewed: [] })]);

const claim = (path: string, evidence: string) => ({
  path,
  line: 1,
  severity: 'P1',
  title: 'Rounds the wrong way',
  body: 'It rounds the wrong way.',
  evidence,
});

const QUESTIONS = ['Who calls total() of the price list, and how?', 'Which tests cover the price list at all?'];
const EVAL = 'export const run = (words) => eval(words);\n';
const planted = (severity: string, title: string): string => `export const x = 1; // DEFECT(${severity}: ${title})\n`;

/** Its first review breaks a rule, the second one does not. */
const corrected: Answer = (exchange) =>
  exchange.turn === 0 ? submit([claim('fix.js', 'not there')]) : submit([claim('fix.js', 'const fix = 1')]);

const CASES: readonly Case[] = [
  { name: 'clean', files: { 'clean.js': 'export const a = 1;\n' }, script: seeded(), verdict: 'lgtm' },
  { name: 'defect', files: { 'defect.js': planted('P1', 'forgets a case') }, script: seeded(), verdict: 'feedback' },
  {
    name: 'explored',
    files: { 'one.js': planted('P2', 'is slow'), 'two.js': 'export const two = 2;\n', ...MANY_FILES },
    script: seeded({ explore: QUESTIONS, reads: 2, greps: ['export'] }),
    verdict: 'feedback',
  },
  {
    name: 'asking',
    files: { 'ask.js': EVAL, ...MANY_FILES },
    script: seeded({ explore: QUESTIONS.slice(0, 1) }),
    verdict: 'feedback',
  },
  { name: 'corrected', files: { 'fix.js': 'export const fix = 1;\n' }, script: corrected, verdict: 'feedback' },
  {
    name: 'stubborn',
    files: { 'stub.js': 'export const stub = 1;\n' },
    script: () => submit([claim('stub.js', 'never there')]),
    verdict: 'inconclusive',
  },
  {
    name: 'endless',
    files: { 'end.js': EVAL },
    script: () => reply([toolUse('Glob', { pattern: '*.js' })]),
    verdict: 'inconclusive',
  },
  { name: 'rules', files: { 'rules.js': EVAL }, script: seeded({ notices: 0 }), verdict: 'feedback' },
  {
    name: 'colours',
    files: { [`red${ESCAPE}[31m.js`]: 'export const red = 1;\n', 'plain.js': 'export const p = 1;\n' },
    script: ({ turn }) =>
      turn > 0
        ? submit([])
        : reply([
            toolUse('Read', { path: `red${ESCAPE}[31m.js` }),
            toolUse('Grep', { pattern: `${ESCAPE}[2J\u202e` }),
            toolUse('Paint', { colour: `${ESCAPE}[2J` }),
          ]),
    verdict: 'lgtm',
  },
  { name: 'renamed', files: { 'src/shop.js': planted('P2', 'waits for ever') }, script: seeded(), verdict: 'feedback' },
];

/** Those that give no draft, beside the ten: each is given up with a hand-off and without a summary. */
const LOST: readonly (Omit<Case, 'verdict'> & { readonly kinds: readonly string[] })[] = [
  {
    name: 'prose',
    files: { 'prose.js': EVAL },
    script: () => reply([text(`No.${ESCAPE}[2J`)]),
    // What it said instead of a review is shown.
    kinds: ['handoff', 'raw'],
  },
  {
    name: 'refused',
    files: { 'no.js': EVAL },
    script: () => ({ ...reply([]), stopReason: 'refusal' as const }),
    kinds: ['handoff'],
  },
];

const explorer = seeded();

const answerAll: Answer = (exchange) => {
  const isReviewer = exchange.firstUserText.includes('title: ');
  const found = [...CASES, ...LOST].find(({ name }) => exchange.firstUserText.includes(`title: Change ${name}\n`));
  return isReviewer && found !== undefined ? found.script(exchange) : explorer(exchange);
};

describe.each(WIRES)('recorded over $kind:', (wire) => {
  let world: StoryWorld;
  let model: ChatSim;
  let config: Config;
  let toml = '';

  beforeAll(async () => {
    model = await wire.start();
    model.script(answerAll);
    world = await startStoryWorld({ model: stageOf(wire, model, REVIEWER) });
    // Neither forge nor model is where these settings say.
    toml = makeSettings({
      forgeUrl: 'http://127.0.0.1:1',
      token: 'unused-token',
      projects: [REPO],
      dataDir: world.dataDir,
      redisPrefix: PREFIX,
      more: stageOf(wire, model, REVIEWER).toml ?? '',
    }).toml;
    const loaded = loadConfig({ text: toml, folder: world.dataDir, env: {}, needs: [] });
    if (!loaded.ok) throw new Error(loaded.problems.join('\n'));
    config = loaded.config;
    await commitBase(world, {
      'README.md': '# Shop\n',
      'prices.js': textOf('export const total = (list) => list.length;'),
    });
  });

  afterAll(async () => {
    await world?.finish();
    await model?.close();
  });

  const runIds = async (): Promise<readonly string[]> => {
    const keys = await world.redis.keys(`{${PREFIX}}:run:*:brief`);
    return keys.map((key) => key.split(':').at(-2) ?? '');
  };

  const replayed = async (runId: string): Promise<Replay> =>
    replayRun(
      { sources: replaySources(world.redis, config), settings: replaySettings(config) },
      runId,
      AbortSignal.timeout(RUN_MS),
    );

  type Told = Replay & { readonly kind: 'replayed' };

  const all = async (): Promise<readonly Told[]> => {
    const found: Told[] = [];
    for (const runId of await runIds()) {
      const one = await replayed(runId);
      if (one.kind !== 'replayed') throw new Error(`not replayed: ${one.kind}`);
      found.push(one);
    }
    return found;
  };

  /** Its first round. */
  const runOf = async (name: string): Promise<Told> => {
    const runs = (await all()).filter(({ brief }) => brief.title === `Change ${name}`);
    // Redis gives keys in any order.
    const [found] = runs.toSorted((one, other) => one.brief.review - other.brief.review);
    if (found === undefined) throw new Error(`no run of ${name}`);
    return found;
  };

  const HIDDEN = /(?!\n)\p{Cc}|\p{Bidi_Control}/u;

  describe('ten recorded reviews and some that came to nothing', () => {
    test(
      'are made by the real services',
      async () => {
        for (const { name, files, verdict } of CASES) {
          const number = await open(world, { branch: name, files });
          expect({ name, verdict: await verdictOf(world, number) }).toEqual({ name, verdict });
        }
        for (const { name, files, kinds } of LOST) {
          const number = await open(world, { branch: name, files });
          await world.sim.until(() => kindsOf(world, number).includes('handoff'), RUN_MS);
          await world.calm();
          const said = { kinds: kindsOf(world, number).toSorted(), status: statusOf(world, number) };
          expect({ name, ...said }).toEqual({ name, kinds, status: 'error' });
        }
        // A second round, with an open thread to answer.
        await push(world, 'defect', { 'defect.js': 'export const x = 2;\n' });
        expect(await verdictOf(world, 2)).toBe('lgtm');
        expect(model.violations).toEqual([]);
      },
      STORY_MS,
    );

    test(
      'Replay of ten recorded reviews gives identical drafts',
      async () => {
        const asked = model.requests.length;
        const runs = await all();
        const drafts = runs.filter(({ draft }) => draft !== null);
        expect(drafts.length).toBeGreaterThanOrEqual(CASES.length + 1);
        expect(drafts.map(({ brief, comparison }) => [brief.title, comparison])).toEqual(
          drafts.map(({ brief }) => [brief.title, { kind: 'identical' }]),
        );
        expect(model.requests.length).toBe(asked);
        // Without these the ten would say little.
        expect(drafts.some(({ draft }) => draft?.exceeded !== null)).toBe(true);
        expect(drafts.some(({ draft }) => (draft?.answers.length ?? 0) > 0)).toBe(true);
        expect(drafts.some(({ transcript }) => transcript?.inputs.some(({ kind }) => kind === 'explored'))).toBe(true);
      },
      STORY_MS,
    );

    test.each(LOST)(
      'tell how $name ended, with no draft on either side',
      async ({ name }) => {
        const run = await runOf(name);
        expect({ draft: run.draft, comparison: run.comparison }).toEqual({
          draft: null,
          comparison: { kind: 'no_draft' },
        });
        expect(replayText(run, [])).toMatch(/^outcome: failed, /m);
      },
      RUN_MS,
    );

    test(
      'show every turn with its stop reason, calls and cost, and nothing that drives a terminal',
      async () => {
        const run = await runOf('colours');
        const shown = replayText(run, []);
        expect(shown).toMatch(/^turn 1: tool_use, \d+ tokens in \(\d+ cached\), \d+ out, \$\d+\.\d{4}$/m);
        expect(shown).toContain('  Read {"path":');
        expect(shown).toMatch(/^turn 2: tool_use/m);
        expect(shown).toMatch(/^outcome: a review was submitted; /m);
        for (const one of await all()) expect(HIDDEN.exec(replayText(one, []))?.[0]).toBeUndefined();
      },
      RUN_MS,
    );

    test(
      'know the conversations of their explorers and verifiers',
      async () => {
        const { brief, transcript } = await runOf('explored');
        if (transcript === null) throw new Error('no conversation');
        const ids = explorationIds(brief.runId, transcript);
        const { loadTranscript } = replaySources(world.redis, config);
        const roles = await Promise.all(ids.map(async (id) => (await loadTranscript(id))?.start.role));
        expect(roles.slice(0, 2)).toEqual(['explorer', 'explorer']);
        expect(new Set(roles.slice(2))).toEqual(new Set(['verifier']));
      },
      RUN_MS,
    );

    test(
      'say at which phase a run stood that never ended',
      async () => {
        const { brief, transcript } = await runOf('clean');
        const key = createKeys(PREFIX).transcript(brief.runId);
        const last = String((transcript?.inputs.length ?? 0) - 1);
        const taken = await world.redis.hget(key, last);
        await world.redis.hdel(key, last);
        const run = await replayed(brief.runId);
        await world.redis.hset(key, last, taken ?? '');
        if (run.kind !== 'replayed') throw new Error(run.kind);
        expect(run.comparison.kind).toBe('differs');
        expect(replayText(run, [])).toContain('outcome: unfinished, in phase "tools"');
      },
      RUN_MS,
    );

    test(
      'differ from a stored draft that somebody changed, and name the field',
      async () => {
        const { brief, draft } = await runOf('defect');
        const key = createKeys(PREFIX).ofRun(brief.runId, 'draft');
        const stored = (await world.redis.get(key)) ?? '';
        const [first, ...others] = draft?.findings ?? [];
        const changed = { ...draft, findings: [{ ...first, claim: { ...first?.claim, severity: 'P3' } }, ...others] };
        await world.redis.set(key, JSON.stringify(changed), 'KEEPTTL');
        const run = await replayed(brief.runId);
        await world.redis.set(key, stored, 'KEEPTTL');
        if (run.kind !== 'replayed') throw new Error(run.kind);
        expect(run.comparison).toEqual({
          kind: 'differs',
          difference: { at: 'findings[0].claim.severity', stored: '"P3"', replayed: '"P1"' },
        });
      },
      RUN_MS,
    );

    test(
      'are compared without the content of sources of rules, which is not stored',
      async () => {
        const { brief } = await runOf('clean');
        const sources = replaySources(world.redis, config);
        const ask = async (rulesUnknown: boolean) => {
          const settings = { ...replaySettings(config), operatorRulesOf: () => 'with sources', rulesUnknown };
          return replayRun({ sources, settings }, brief.runId, AbortSignal.timeout(RUN_MS));
        };
        expect(await ask(false)).toMatchObject({ comparison: { kind: 'differs', difference: { at: 'rules' } } });
        expect(await ask(true)).toMatchObject({ comparison: { kind: 'identical' } });
      },
      RUN_MS,
    );

    test(
      'say what is gone: the run, its conversation, its draft, its mirror',
      async () => {
        const { brief } = await runOf('clean');
        const sources = replaySources(world.redis, config);
        const settings = replaySettings(config);
        const ask = async (changed: Partial<typeof sources>, runId: string = brief.runId) =>
          replayRun({ sources: { ...sources, ...changed }, settings }, runId, AbortSignal.timeout(RUN_MS));
        expect(await ask({}, '0'.repeat(20))).toMatchObject({
          kind: 'missing',
          what: expect.stringContaining('the run'),
        });
        expect(await ask({ loadTranscript: async () => null })).toEqual({
          kind: 'missing',
          what: 'the conversation of the run',
        });
        expect(await ask({ loadDraft: async () => null })).toMatchObject({ comparison: { kind: 'nothing_stored' } });
        expect(await ask({ mirrorOf: async () => path.join(world.dataDir, 'nowhere') })).toMatchObject({
          kind: 'missing',
          what: expect.stringContaining('the git mirror'),
        });
      },
      RUN_MS,
    );

    test.runIf(process.env['FIXPOINT_DEEP'] === '1')(
      'replay from the command line with nothing but Redis and the disk',
      async () => {
        const file = path.join(world.dataDir, 'replay.toml');
        await writeFile(file, toml);
        const { brief, draft } = await runOf('explored');
        const env = { REDIS_URL: `redis://127.0.0.1:${world.redis.options.port ?? 0}` };
        const shown = await runCli(['replay', brief.runId, '--config', file], { env });
        expect({ code: shown.code, stderr: shown.stderr }).toEqual({ code: 0, stderr: '' });
        expect(shown.stdout).toMatch(/^ {2}-> explorer: found, /m);
        expect(shown.stdout).toContain(`explorer ${brief.runId}-1-1, by claude-haiku-5-5:\n  turn 1: tool_use`);
        expect(shown.stdout.endsWith('replay: identical to the stored draft\n')).toBe(true);
        const json = await runCli(['replay', `review-${brief.runId}`, '--json', '--config', file], { env });
        expect(JSON.parse(json.stdout)).toEqual(draft);
        const gone = await runCli(['replay', '0'.repeat(20), '--config', file], { env });
        expect({ code: gone.code, stdout: gone.stdout }).toEqual({ code: 2, stdout: '' });
        expect(gone.stderr).toContain('not found: the run');
      },
      STORY_MS,
    );
  });

  test(
    'a review by the rules alone is replayed too, without a conversation',
    async () => {
      const rules = await startStoryWorld();
      try {
        await commitBase(rules, { 'README.md': '# Shop\n' });
        const number = await open(rules, { branch: 'rules', files: { 'run.js': EVAL } });
        expect(await verdictOf(rules, number)).toBe('feedback');
        const [key = ''] = await rules.redis.keys(`{${PREFIX}}:run:*:brief`);
        const sources = replaySources(rules.redis, { ...config, dataDir: rules.dataDir });
        const runId = key.split(':').at(-2) ?? '';
        // Its services have the models of the short form, of which they use none.
        const plain = loadConfig({
          text: makeSettings({ forgeUrl: 'http://127.0.0.1:1', token: '', projects: [REPO], dataDir: rules.dataDir })
            .toml,
          env: {},
          needs: [],
        });
        if (!plain.ok) throw new Error(plain.problems.join('\n'));
        const settings = replaySettings({ ...config, agent: plain.config.agent });
        const run = await replayRun({ sources, settings }, runId, AbortSignal.timeout(RUN_MS));
        if (run.kind !== 'replayed') throw new Error(run.kind);
        expect(run.comparison).toEqual({ kind: 'identical' });
        expect(replayText(run, [])).toContain('outcome: reviewed by the built-in rules only');
        const file = path.join(rules.dataDir, 'replay.toml');
        const wish = { forgeUrl: 'http://127.0.0.1:1', token: '', projects: [REPO], redisPrefix: PREFIX };
        await writeFile(file, makeSettings({ ...wish, dataDir: rules.dataDir }).toml);
        const { forge, projectId } = run.brief.changeRequest;
        const env = { REDIS_URL: `redis://127.0.0.1:${rules.redis.options.port ?? 0}` };
        const shown = await runCli(['replay', `${forge}/${projectId}/${number}`, '--config', file], { env });
        expect({ code: shown.code, stderr: shown.stderr }).toEqual({
          code: 0,
          stderr: `fixpoint: replaying the run ${runId}, the last one of ${forge}/${projectId}/${number}\n`,
        });
        expect(shown.stdout.endsWith('replay: identical to the stored draft\n')).toBe(true);
      } finally {
        await rules.finish();
      }
    },
    STORY_MS,
  );
});
