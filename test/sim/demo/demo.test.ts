/** Runs the demo as a user starts it, and compares its findings with the seeded defects. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { usually } from '../../support/deep.ts';
import { failOnLeaks } from '../../support/fail-on-leaks.ts';
import { findLocal } from '../../support/programs.ts';
import { startRedis, type TestRedis } from '../../support/redis.ts';
import { OWNER } from './forge.ts';
import { killMidPost, type KillState, reportKill } from './kill.ts';
import { KILL_DEFECTS } from './kill-seeds.ts';
import { EMPTY_LIST, NEGATIVE_SUM, OBJECTIONS } from './model-seeds.ts';
import { SEEDS } from './seeds.ts';
import type { Step } from './step.ts';
import { stepNames } from './story-texts.ts';
import { playStory } from './story.ts';
import type { DemoForgeName } from './start-forge.ts';
import { type DemoWorld, startDemoWorld } from './world.ts';

const ROOT = path.resolve(import.meta.dirname, '../../..');
const DEMO_MS = 150_000;

const Report = z.strictObject({
  steps: z.array(
    z.strictObject({
      name: z.string(),
      verdict: z.string(),
      status: z.string(),
      findings: z.record(z.string().regex(/^F-\d{3}$/), z.string()),
      modelCalls: z.number().int().nonnegative(),
      costUsd: z.number().nonnegative(),
    }),
  ),
  kill: z.strictObject({
    expected: z.number().int(),
    atKill: z.number().int(),
    counts: z.record(z.string(), z.number().int()),
  }),
  rounds: z.array(
    z.strictObject({
      head: z.string().regex(/^[0-9a-f]{40}$/),
      verdict: z.enum(['lgtm', 'feedback', 'inconclusive']),
      comments: z.array(
        z.strictObject({
          path: z.string(),
          line: z.number().int().positive(),
          side: z.enum(['new', 'old']),
          severity: z.enum(['P0', 'P1', 'P2', 'P3']),
          findingId: z.string().regex(/^F-\d{3}$/),
          threadState: z.string(),
          body: z.string().min(1),
        }),
      ),
    }),
  ),
});

/** A machine with only Node, git and a shell. */
const bareMachine = async (): Promise<{ readonly path: string; readonly remove: () => Promise<void> }> => {
  const folder = await mkdtemp(path.join(tmpdir(), 'fixpoint-bare-'));
  await symlink(process.execPath, path.join(folder, 'node'));
  for (const name of ['git', 'sh', 'env']) await symlink(findLocal(name), path.join(folder, name));
  return { path: folder, remove: async () => rm(folder, { recursive: true, force: true }) };
};

const runDemo = async (env: NodeJS.ProcessEnv) => {
  const tsx = path.join(ROOT, 'node_modules', '.bin', 'tsx');
  const child = spawn(tsx, ['test/sim/demo/main.ts', '--once', '--json'], {
    cwd: ROOT,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
  return { stdout, stderr, code: Number(code) };
};

type Machine = { readonly env: NodeJS.ProcessEnv; readonly says: RegExp | null };

let bare: Awaited<ReturnType<typeof bareMachine>>;
let redis: TestRedis;

beforeAll(async () => {
  bare = await bareMachine();
  redis = await startRedis();
});

afterAll(async () => {
  await redis?.stop();
  await bare?.remove();
});

const withoutRedis = (): Machine => ({ env: { PATH: bare.path, HOME: bare.path }, says: /NOT DURABLE/ });
const withRedis = (): Machine => ({ env: { PATH: bare.path, HOME: bare.path, REDIS_URL: redis.url }, says: null });

describe.each(usually(['with nothing but node and git', withoutRedis] as const, ['with a Redis', withRedis] as const))(
  'the demo %s',
  (_name, machine) => {
    test(
      'ends in lgtm, prints one object and comments on the line of every seed',
      async () => {
        const { env, says } = machine();
        const { stdout, stderr, code } = await runDemo(env);
        expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' });
        const { rounds, steps, kill } = Report.parse(JSON.parse(stdout));
        expect(rounds.map(({ verdict }) => verdict)).toEqual(['feedback', 'feedback', 'lgtm']);
        expect(new Set(rounds.map(({ head }) => head)).size).toBe(3);
        expect(placesOf(rounds[0]?.comments ?? [])).toEqual(WITH_MODEL);
        expect(rounds.slice(1).flatMap(({ comments }) => comments)).toEqual([]);
        expect(steps.map(({ name }) => name)).toEqual(stepNames('agent'));
        expect(kill).toEqual({ expected: KILL_DEFECTS, atKill: KILL_DEFECTS / 2, counts: EACH_ONCE });
        // As root, without a sandbox and without a Redis too.
        expect(stderr).not.toMatch(/"level":"(?:warn|error)"/);
        if (says === null) expect(stderr).not.toMatch(/NOT DURABLE/);
        else expect(stderr).toMatch(says);
        expect(stderr).toMatch(/http:\/\/127\.0\.0\.1:\d+\/\S+\/pulls\/\d+/);
      },
      DEMO_MS,
    );
  },
);

type Placed = { readonly path: string; readonly line: number; readonly side: string; readonly body: string };

const placesOf = (comments: readonly Placed[]): readonly string[] =>
  comments
    .map(
      ({ path: file, line, side, body }) =>
        `${file}:${line} ${side} ${/found by (?:the rule `)?((?:the model|[a-z-]+))/.exec(body)?.[1]}`,
    )
    .toSorted();

const placeOfSeed = ({ path: file, line, rule }: (typeof SEEDS)[number]): string => `${file}:${line} new ${rule}`;

const BY_RULES = SEEDS.map(placeOfSeed).toSorted();
const WITH_MODEL = [
  ...BY_RULES,
  'src/discount.js:3 new the model',
  'src/orders.js:2 new the model',
  'src/stock.js:4 new the model',
].toSorted();

const EACH_ONCE = { 'F-001': 1, 'F-002': 1, 'F-003': 1, 'F-004': 1, 'F-005': 1, 'F-006': 1, summary: 1 };

test('the seeds cover all six kinds of places', () => {
  expect(SEEDS.map(({ kind }) => kind).toSorted()).toEqual([
    'CRLF file',
    'added',
    'context',
    'last line without newline',
    'non-ASCII path',
    'renamed file',
  ]);
});

const onForges: readonly DemoForgeName[] = ['forgejo-15', 'forgejo-16', 'gitea-1.26', 'gitlab'];
/** Forges on which everyone can see that a fixed thread is resolved. */
const RESOLVES: ReadonlySet<DemoForgeName> = new Set(['gitea-1.26', 'gitlab']);

const RUNNERS = ['rules', 'agent'] as const;

type Play = readonly [DemoForgeName, (typeof RUNNERS)[number]];

const ALL_PLAYS = onForges.flatMap((name) => RUNNERS.map((runner): Play => [name, runner]));

/** Only one in the usual run, because each is slow; the demo itself runs another. */
const PLAYS = usually<Play>(
  ['gitlab', 'agent'],
  ...ALL_PLAYS.filter(([name, runner]) => name !== 'gitlab' || runner !== 'agent'),
);

describe.each(PLAYS)('the story on %s with %s', (name, runner) => {
  const lines: string[] = [];
  const steps: Step[] = [];
  let world: DemoWorld;
  let told: Awaited<ReturnType<typeof playStory>>;

  beforeAll(async () => {
    const log = { logTo: { write: (line: string) => void lines.push(line) }, logLevel: 'debug' } as const;
    world = await startDemoWorld({ tell: () => {}, embedded: true, forge: name, runner, log });
    told = await playStory(
      world,
      () => {},
      (step) => void steps.push(step),
    );
  }, DEMO_MS);

  afterAll(async () => {
    const { forge: sim, connectRedis: connect, secrets } = world;
    try {
      await failOnLeaks({ sim, lines, connect, secrets, modelRequests: world.model?.sim.requests ?? [] });
    } finally {
      await world.close();
    }
  }, DEMO_MS);

  test('ends in lgtm with every comment in its place, and asks nothing that a real forge or model would refuse', () => {
    const { rounds } = told;
    expect(rounds.map(({ verdict }) => verdict)).toEqual(['feedback', 'feedback', 'lgtm']);
    expect(placesOf(rounds[0]?.comments ?? [])).toEqual(runner === 'rules' ? BY_RULES : WITH_MODEL);
    expect(rounds.slice(1).flatMap(({ comments }) => comments)).toEqual([]);
    expect(world.forge.look(1).headStatuses).toEqual({ fixpoint: 'success' });
    const resolved = new Set(world.forge.look(1).inline.map((comment) => comment.resolved));
    expect(resolved).toEqual(new Set([RESOLVES.has(name)]));
    expect(askedOf(world)).toEqual(runner === 'rules' ? null : { explorers: 2, refused: 0, violations: [] });
  });

  test('has a step for each tab, and each keeps the texts as they were at its end', () => {
    expect(steps.map((step) => step.name)).toEqual(stepNames(runner));
    expect(steps.map(essence)).toEqual(runner === 'rules' ? STORY_BY_RULES : STORY_WITH_MODEL);
    for (const { threads } of steps)
      for (const { code, line } of threads) expect(code.at(-1)?.newLine, 'the code ends with the line').toBe(line);
  });

  test.skipIf(runner === 'rules')('lets the author be right once and wrong once, and calls the owner once', () => {
    const said = (at: number, title: string) =>
      steps[at]?.threads
        .find(({ comments }) => comments[0]?.body.includes(title))
        ?.comments.map(({ author, body }) => `${author}: ${body.split('\n').at(-1)}`) ?? [];
    expect(said(0, NEGATIVE_SUM.title)).toHaveLength(1);
    expect(said(1, EMPTY_LIST.title)).toContain(`author: ${OBJECTIONS.right}`);
    expect(steps[1]?.threads.find(({ path: file }) => file === EMPTY_LIST.path)?.state).toBe('resolved');
    const textsOf = (step: Step | undefined): string => JSON.stringify([step?.threads, step?.comments]);
    expect(textsOf(steps[1])).toContain('A request can be sent without the form.');
    expect(textsOf(steps[1])).not.toContain(`@${OWNER}`);
    expect(textsOf(steps[2])).toContain('The loop ends at the last item now.');
    expect(textsOf(steps[3]).split(`@${OWNER}`)).toHaveLength(2);
    expect(textsOf(steps[4]).split(`@${OWNER}`)).toHaveLength(2);
    expect(textsOf(steps[4])).toContain('Shown fixed and resolved');
  });

  test(
    'a poster that is killed in mid-post leaves half of a review, and the next one completes it without a repetition',
    async () => {
      const seen: KillState[] = [];
      const first = world.poster().pid;
      const end = await killMidPost(world, 1, (state) => void seen.push(state));
      expect(end.events.map(({ text: what }) => what)).toEqual([
        expect.stringMatching(/^author opened change request 2/),
        expect.stringMatching(new RegExp(`^kill -9 of the poster \\(process ${first}\\): 3 of 6`)),
        expect.stringMatching(new RegExp(`^a new poster is running \\(process ${world.poster().pid}\\)`)),
        'the review is complete: 6 comments and the summary, each once',
      ]);
      expect(world.poster().pid).not.toBe(first);
      expect(() => process.kill(first, 0)).toThrow('ESRCH');
      expect(reportKill(end)).toEqual({ expected: 6, atKill: 3, counts: EACH_ONCE });
      const phases = [...new Set(seen.map(({ phase }) => phase))];
      expect(phases).toEqual(['posting', 'killed', 'restarted', 'done']);
      expect(seen.find(({ phase }) => phase === 'killed')?.counts).toHaveLength(3);
      expect(world.forge.look(2).unpublished).toEqual([]);
    },
    DEMO_MS,
  );
});

type Essence = {
  readonly verdict: string;
  readonly status: string;
  readonly threads: Readonly<Record<string, number>>;
  readonly fresh: number;
};

/** Threads by state, and how many of them changed in the step. */
const essence = ({ verdict, status, threads }: Step): Essence => {
  const states: Record<string, number> = {};
  for (const { state } of threads) states[state] = (states[state] ?? 0) + 1;
  return {
    verdict,
    status: status.state.replace('failed', 'failure'),
    threads: states,
    fresh: threads.filter(({ change }) => change !== 'same').length,
  };
};

const red = { verdict: 'feedback', status: 'failure' };
const green = { verdict: 'lgtm', status: 'success' };

const STORY_WITH_MODEL: readonly Essence[] = [
  { ...red, threads: { open: 9 }, fresh: 9 },
  { ...red, threads: { open: 8, resolved: 1 }, fresh: 2 },
  { ...red, threads: { open: 4, resolved: 5 }, fresh: 4 },
  { ...red, threads: { open: 3, vetoed: 1, resolved: 5 }, fresh: 1 },
  { ...green, threads: { resolved: 9 }, fresh: 4 },
];

const STORY_BY_RULES: readonly Essence[] = [
  { ...red, threads: { open: 6 }, fresh: 6 },
  { ...red, threads: { open: 3, resolved: 3 }, fresh: 3 },
  { ...green, threads: { resolved: 6 }, fresh: 3 },
];

/** Proves that the model and both explorers were called, and that the API rejected no request. */
const askedOf = ({ model }: DemoWorld) => {
  if (model === null) return null;
  const { requests, violations } = model.sim;
  const refused = requests.filter(({ outcome }) => outcome === 'refused' || outcome === 'unscripted').length;
  return { explorers: model.explorers(), refused, violations };
};
