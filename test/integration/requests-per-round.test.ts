/** How often one review asks the forge: the same facts are read once and shared. */
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
import { eventually } from '../support/story-world.ts';

const STORY_MS = 180_000;
const MOST = 30;
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
      logTo: { write: () => {} },
      logLevel: 'warn',
    });
    queues = openStoryQueues(redis(), 'fixpoint');
    handsOn(sim).addWebhook({ repo, url: `${services.ingressUrl}/webhooks/sim`, secret: made.webhookSecret });
  }, STORY_MS);
  afterAll(async () => {
    await services?.close();
    await queues?.close();
    await sim?.close();
    await server?.stop();
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  }, STORY_MS);

  const commit = (files: Record<string, string>) =>
    handsOn(sim).commit({ repo, branch: 'parts', files, message: 'Change the parts\n', author: AUTHOR });

  /** Every request until the head has its verdict and nothing is left to do. */
  const asked = async (told: Told, before: number): Promise<number> => {
    await awaitVerdict({ sim }, told);
    await sim.settled();
    await eventually('idle queues', queues.idle);
    const made = sim.requests.slice(before);
    if (process.env['SHOW'] !== undefined) {
      const shown = made.map((r) => `${r.method} ${r.path.replace(/\?.*/, '')} ${r.status}`);
      const counts = new Map<string, number>();
      for (const each of shown) counts.set(each, (counts.get(each) ?? 0) + 1);
      console.log(
        kind,
        made.length,
        [...counts]
          .sort((a, b) => b[1] - a[1])
          .map(([k, v]) => `${v} ${k}`)
          .join('\n'),
      );
      if (process.env['SHOW'] === 'all') console.log(shown.join('\n'));
    }
    return made.length;
  };

  test(
    `F-R13: takes at most ${MOST} requests in a round, with 13 findings and later`,
    async () => {
      await commit(filesWith(FILES, broken));
      let before = sim.requests.length;
      const number = await handsOn(sim).open({ repo, branch: 'parts', title: 'Change the parts', author: AUTHOR });
      const told = { repo, branch: 'parts', number };
      const rounds = [await asked(told, before)];
      expect(findingsIn(readerView({ sim }, told))).toHaveLength(FILES.length);
      for (const names of [FILES.slice(0, 6), FILES.slice(6)]) {
        before = sim.requests.length;
        await commit(filesWith(names, fixed));
        rounds.push(await asked(told, before));
      }
      expect(readerView({ sim }, told).headStatuses['fixpoint']).toBe('success');
      console.log(kind, rounds);
      expect(rounds.filter((requests) => requests > MOST)).toEqual([]);
    },
    STORY_MS,
  );
});
