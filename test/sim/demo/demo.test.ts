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
import { SEEDS } from './seeds.ts';
import { playStory } from './story.ts';
import type { DemoForgeName } from './start-forge.ts';
import { type DemoWorld, startDemoWorld } from './world.ts';

const ROOT = path.resolve(import.meta.dirname, '../../..');
const DEMO_MS = 150_000;

const Report = z.strictObject({
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
        const { rounds } = Report.parse(JSON.parse(stdout));
        expect(rounds.map(({ verdict }) => verdict)).toEqual(['feedback', 'feedback', 'lgtm']);
        expect(new Set(rounds.map(({ head }) => head)).size).toBe(3);
        expect(placesOf(rounds[0]?.comments ?? [])).toEqual(SEEDS.map(placeOfSeed).toSorted());
        expect(rounds.slice(1).flatMap(({ comments }) => comments)).toEqual([]);
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
        `${file}:${line} ${side} ${/found by the rule `([a-z-]+)`/.exec(body)?.[1]}`,
    )
    .toSorted();

const placeOfSeed = ({ path: file, line, rule }: (typeof SEEDS)[number]): string => `${file}:${line} new ${rule}`;

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
  test(
    'ends in lgtm with every comment in its place, and asks the forge nothing that a real one would refuse',
    async () => {
      const lines: string[] = [];
      const log = { logTo: { write: (line: string) => void lines.push(line) }, logLevel: 'debug' } as const;
      const world = await startDemoWorld({ tell: () => {}, embedded: true, forge: name, runner, log });
      try {
        const { rounds } = await playStory(world, () => {});
        await world.forge.settled();
        const { forge: sim, connectRedis: connect, secrets } = world;
        await failOnLeaks({ sim, lines, connect, secrets, modelRequests: world.model?.sim.requests ?? [] });
        expect(rounds.map(({ verdict }) => verdict)).toEqual(['feedback', 'feedback', 'lgtm']);
        expect(placesOf(rounds[0]?.comments ?? [])).toEqual(SEEDS.map(placeOfSeed).toSorted());
        expect(rounds.slice(1).flatMap(({ comments }) => comments)).toEqual([]);
        expect(world.forge.look(1).headStatuses).toEqual({ fixpoint: 'success' });
        const resolved = new Set(world.forge.look(1).inline.map((comment) => comment.resolved));
        expect(resolved).toEqual(new Set([RESOLVES.has(name)]));
        expect(askedOf(world)).toEqual(runner === 'rules' ? null : { explorers: 2, refused: 0, violations: [] });
      } finally {
        await world.close();
      }
    },
    DEMO_MS,
  );
});

/** Proves that the model and both explorers were called, and that the API rejected no request. */
const askedOf = ({ model }: DemoWorld) => {
  if (model === null) return null;
  const { requests, violations } = model.sim;
  const refused = requests.filter(({ outcome }) => outcome === 'refused' || outcome === 'unscripted').length;
  return { explorers: model.explorers(), refused, violations };
};
