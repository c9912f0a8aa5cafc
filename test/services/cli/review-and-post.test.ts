/** `reviewAndPost` against a simulated forge: no ingress, no webhook, no sweep, only what the program asks for. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { reviewAndPost } from '../../../services/cli/api.ts';
import { startOneProcess } from '../../../services/cli/one-process.ts';
import { connectRedis } from '../../../shared/store/redis.ts';
import { failOnLeaks } from '../../support/fail-on-leaks.ts';
import { type ForgejoSim, startForgejoSim } from '../../sim/forgejo/start.ts';
import { startRedis, type TestRedis } from '../../support/redis.ts';
import { makeSettings } from '../../support/settings.ts';

const RUN_MS = 120_000;
const OWNER = 'shop-team';
const REPO = `${OWNER}/shop`;
const BOT = 'fixpoint';
const EVAL = 'export const run = (words) => eval(words);\n';

let folder = '';
let redis: TestRedis;
let sim: ForgejoSim;
let projectId = 0;
let settings: ReturnType<typeof makeSettings>;
const lines: string[] = [];

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'fixpoint-api-'));
  redis = await startRedis();
  sim = await startForgejoSim({ dataDir: path.join(folder, 'forge') });
  for (const login of [OWNER, 'author']) sim.createUser({ login });
  const bot = sim.createUser({ login: BOT });
  ({ id: projectId } = await sim.createRepo(OWNER, 'shop'));
  for (const login of ['author', BOT]) sim.addCollaborator(REPO, login, 'write');
  await sim.commitFiles({
    repo: REPO,
    branch: 'main',
    files: { 'README.md': '# Shop\n' },
    message: 'Begin\n',
    author: OWNER,
  });
  settings = makeSettings({
    forgeUrl: sim.url,
    token: bot.token,
    projects: [REPO],
    dataDir: path.join(folder, 'data'),
    redisUrl: redis.url,
    runner: 'rules',
    more: '[rounds]\nmax = 1\nmax_silent = 1\n',
  });
});

afterAll(async () => {
  const secrets = [settings.webhookSecret, settings.markerSecret, settings.env['SIM_TOKEN'] ?? ''];
  await failOnLeaks({ sim, lines, connect: () => connectRedis(redis.url, 'worker'), secrets });
  await sim?.close();
  await redis?.stop();
  await rm(folder, { recursive: true, force: true, maxRetries: 3 });
});

const push = async (branch: string, files: Readonly<Record<string, string>>) =>
  sim.commitFiles({ repo: REPO, branch, files, message: `Change ${branch}\n`, author: 'author' });

const open = async (branch: string, files: Readonly<Record<string, string>>, title = branch): Promise<number> => {
  await push(branch, files);
  return (await sim.openPullRequest({ repo: REPO, head: branch, title, author: 'author' })).number;
};

const post = async (number: number, wish: Partial<Parameters<typeof reviewAndPost>[0]> = {}) =>
  reviewAndPost({
    reference: `sim/${projectId}/${number}`,
    config: settings.toml,
    env: { ...settings.env, PATH: process.env['PATH'] },
    log: { write: (line) => void lines.push(line) },
    ...wish,
  });

const wordsOf = (number: number): number => {
  const { comments, reviews } = sim.snapshot(REPO, number);
  const said = reviews.map(({ body, inline }) => (body === '' ? 0 : 1) + inline.length);
  return comments.length + said.reduce((sum, count) => sum + count, 0);
};

test(
  'reviews one change request, posts, and says what stands there; the others stay as they are',
  async () => {
    const other = await open('other', { 'other.js': EVAL });
    const number = await open('eval', { 'src/run.js': EVAL });
    const posted = await post(number);
    expect(posted).toMatchObject({
      changeRequest: { forge: 'sim', projectId, number },
      verdict: 'feedback',
      review: 1,
      isNew: true,
      findings: [
        { id: 'F-001', severity: 'P1', state: 'open', blocking: true, review: 1, path: 'src/run.js', line: 1 },
      ],
    });
    const { headStatuses } = sim.snapshot(REPO, number);
    expect(headStatuses['fixpoint']).toBe('failure');
    expect(posted.findings[0]?.url).toContain(`/pulls/${number}`);
    expect(wordsOf(other)).toBe(0);
  },
  RUN_MS,
);

test(
  'says the same again without another word on the forge',
  async () => {
    const number = await open('twice', { 'src/two.js': EVAL });
    const { isNew, ...first } = await post(number);
    const words = wordsOf(number);
    expect(words).toBe(3);
    expect(isNew).toBe(true);
    expect(await post(number)).toEqual({ ...first, isNew: false });
    expect(wordsOf(number)).toBe(words);
  },
  RUN_MS,
);

test(
  'is a request by a commander: a draft is reviewed, and the cap of silent reviews holds',
  async () => {
    const number = await open('draft', { 'src/clean.js': 'export const a = 1;\n' }, 'WIP: draft');
    expect(await post(number)).toMatchObject({ verdict: 'lgtm', review: 1, findings: [] });
    // Guard has nothing left to do long before the forge has taken the notice about the cap.
    sim.fault({ method: 'POST', path: '/comments' }, { kind: 'meanwhile', task: async () => delay(3_000) });
    await push('draft', { 'src/clean.js': 'export const a = 2;\n' });
    expect(await post(number)).toMatchObject({ verdict: 'inconclusive', review: null, isNew: true });
  },
  RUN_MS,
);

test(
  'beside a running installation that sweeps the same change request nothing is said twice',
  async () => {
    const number = await open('beside', { 'src/beside.js': EVAL });
    const config = settings.toml.replace('prefix = "fixpoint"', 'prefix = "beside"');
    const installation = await startOneProcess({
      settings: config,
      folder,
      env: settings.env,
      connectRedis: () => connectRedis(redis.url, 'worker'),
      logTo: { write: (line) => void lines.push(line) },
      logLevel: 'debug',
    });
    try {
      const asked = await Promise.all([post(number, { config }), post(number, { config })]);
      expect(asked.map(({ verdict, review, findings }) => [verdict, review, findings.length])).toEqual([
        ['feedback', 1, 1],
        ['feedback', 1, 1],
      ]);
      // The summary, one finding, and the call for a human after the only round.
      expect(wordsOf(number)).toBe(3);
    } finally {
      await installation.close();
    }
  },
  RUN_MS,
);

test(
  "says guard's reason when no review begins",
  async () => {
    const number = await open('off', { 'src/off.js': EVAL });
    const toml = settings.toml.replace('[review]\n', '[review]\ntriggers = ["opened"]\n');
    await expect(post(number, { config: toml })).rejects.toMatchObject({
      code: 'REVIEW_NOT_POSTED',
      message: expect.stringContaining('the trigger review_requested is off'),
    });
    expect(wordsOf(number)).toBe(0);
  },
  RUN_MS,
);

test(
  'gives up when the time is over, and obeys its caller',
  async () => {
    const number = await open('late', { 'src/late.js': EVAL });
    await expect(post(number, { timeoutMs: 1 })).rejects.toMatchObject({ code: 'REVIEW_NOT_POSTED' });
    const reason = new Error('changed my mind');
    await expect(post(number, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
  },
  RUN_MS,
);

test(
  'refuses what it could not do',
  async () => {
    const number = await open('refused', { 'src/refused.js': EVAL });
    const scope = (text: string): string => text.replace(`projects = ["${REPO}"]`, 'projects = ["shop-team/other"]');
    const dry = settings.toml.replace('[review]\n', '[review]\ndry_run = true\n');
    const file = path.join(folder, 'broken.toml');
    await writeFile(file, 'nonsense = 1\n');
    const wishes: readonly [Partial<Parameters<typeof reviewAndPost>[0]>, RegExp][] = [
      [{ reference: 'sim/1' }, /FORGE\/PROJECT_ID\/NUMBER/],
      [{ reference: `else/${projectId}/1` }, /no forge "else"/],
      [{ reference: `sim/${projectId}/999` }, /change request not found/],
      [{ config: scope(settings.toml) }, /does not serve the project/],
      [{ config: dry }, /dry_run/],
      [{ config: `${settings.toml}\n[[project]]\nmatch = ["${REPO}"]\nreview.dry_run = true\n` }, /dry_run/],
      [{ config: undefined, configPath: file }, /nonsense/],
      [{ config: undefined, configPath: path.join(folder, 'nowhere.toml') }, /no configuration found at/],
      [{ env: { ...settings.env, REDIS_URL: undefined } }, /REDIS_URL is not set/],
    ];
    for (const [wish, words] of wishes)
      await expect(post(number, wish)).rejects.toMatchObject({ code: 'USAGE', message: expect.stringMatching(words) });
  },
  RUN_MS,
);
