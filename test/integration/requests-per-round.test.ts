/** The number of forge requests per review: facts are read once and shared. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type OneProcess, startOneProcess } from '../../services/cli/one-process.ts';
import { connectRedis } from '../../shared/store/redis.ts';
import { type FleetSim, FORGE_KINDS, handsOn, startSim } from '../support/fleet-forge.ts';
import { AUTHOR, BOT, OWNER } from '../support/fleet.ts';
import { awaitVerdict, findingsIn, readerView, type Told } from '../support/fleet-story.ts';
import { startRedis, type TestRedis } from '../support/redis.ts';
import { makeSettings } from '../support/settings.ts';
import { openStoryQueues, type StoryQueues } from '../support/story-queues.ts';
import { failOnLeaks } from '../support/fail-on-leaks.ts';
import { eventually } from '../support/story-world.ts';

const STORY_MS = 180_000;
/**
 * What a round may cost: with git's requests, also those that git makes without its credential first, and without the
 * writes of which there are as many as findings: drafts, answers in threads, closed comments, resolved threads. Where the
 * summary is the body of a review, a reading asks for its present text, too.
 */
const MOST = { forgejo: 32, gitea: 32, gitlab: 32 } as const;
/** In the first round, in one that closes 6 findings and answers 7 threads, and in one that closes 7 and passes. */
const ONE_BY_ONE = { forgejo: [0, 13, 7], gitea: [0, 19, 14], gitlab: [13, 19, 14] } as const;
const FILES = Array.from({ length: 13 }, (_, index) => `part-${index + 1}.js`);
const broken = (file: string): string => `export const run = (text) => eval(text); // ${file}\n`;
const fixed = (file: string): string => `export const run = (text) => Number(text); // ${file}\n`;
const filesWith = (names: readonly string[], content: (file: string) => string): Record<string, string> =>
  Object.fromEntries(names.map((file) => [file, content(file)]));

describe.each(FORGE_KINDS)('a review on %s', (kind) => {
  let folder: string;
  let server: TestRedis;
  let sim: FleetSim;
  let services: OneProcess;
  let queues: StoryQueues;
  let repo = '';
  let secrets: readonly string[] = [];
  const lines: string[] = [];
  const redis = () => connectRedis(server.url, 'worker');

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'fixpoint-requests-'));
    server = await startRedis();
    sim = await startSim(kind, { dataDir: path.join(folder, 'forge') });
    const { repos, tokens } = await handsOn(sim).furnish({ owner: OWNER, author: AUTHOR, bot: BOT, names: ['shop'] });
    repo = repos[0] ?? '';
    await handsOn(sim).commit({
      repo,
      branch: 'main',
      files: { 'README.md': '# Shop\n' },
      message: 'a',
      author: OWNER,
    });
    const dataDir = path.join(folder, 'data');
    const made = makeSettings({ kind, forgeUrl: sim.url, token: tokens.post, projects: [repo], dataDir });
    services = await startOneProcess({
      settings: made.toml,
      folder,
      env: made.env,
      connectRedis: redis,
      logTo: { write: (line) => void lines.push(line) },
      logLevel: 'warn',
    });
    secrets = [tokens.post, made.webhookSecret, made.markerSecret];
    queues = openStoryQueues(redis(), 'fixpoint');
    handsOn(sim).addWebhook({ repo, url: `${services.ingressUrl}/webhooks/sim`, secret: made.webhookSecret });
  }, STORY_MS);
  afterAll(async () => {
    await failOnLeaks({ sim, lines, connect: redis, secrets, modelRequests: [] });
    await services?.close();
    await queues?.close();
    await sim?.close();
    await server?.stop();
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  }, STORY_MS);

  const commit = (branch: string, files: Record<string, string>) =>
    handsOn(sim).commit({ repo, branch, files, message: 'Change the parts\n', author: AUTHOR });

  const open = async (branch: string): Promise<Told> => {
    const number = await handsOn(sim).open({ repo, branch, title: `Change ${branch}`, author: AUTHOR });
    return { repo, branch, number };
  };

  /** Number of requests until the head has its verdict and no work is left. */
  const countDuring = async (told: () => Promise<Told>): Promise<number> => {
    const before = sim.requests.length;
    await awaitVerdict({ sim }, await told());
    await sim.settled();
    await eventually('idle queues', queues.idle);
    return sim.requests.length - before;
  };

  test(
    'F-R13: asks at most 32 times in a round, beside what it writes finding by finding',
    async () => {
      // Warm-up, for requests that are made once per process or minute.
      await commit('warm', { 'warm.js': fixed('warm.js') });
      await countDuring(() => open('warm'));
      await commit('parts', filesWith(FILES, broken));
      let told: Told = { repo, branch: 'parts', number: 0 };
      const rounds = [
        await countDuring(async () => {
          told = await open('parts');
          return told;
        }),
      ];
      expect(findingsIn(readerView({ sim }, told))).toHaveLength(FILES.length);
      for (const names of [FILES.slice(0, 6), FILES.slice(6)]) {
        const pushed = async (): Promise<Told> => {
          await commit('parts', filesWith(names, fixed));
          return told;
        };
        rounds.push(await countDuring(pushed));
      }
      expect(readerView({ sim }, told).headStatuses['fixpoint']).toBe('success');
      const others = rounds.map((count, review) => count - (ONE_BY_ONE[kind][review] ?? 0));
      const beside = `${others.join(', ')} beside what is written by finding`;
      process.stdout.write(`${kind}: requests per round ${rounds.join(', ')}; ${beside}\n`);
      expect(others.filter((count) => count > MOST[kind])).toEqual([]);
    },
    STORY_MS,
  );
});
