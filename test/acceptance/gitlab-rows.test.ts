/** Rows of the acceptance matrix that differ on GitLab, played through all services. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type OneProcess, startOneProcess } from '../../services/cli/one-process.ts';
import { connectRedis } from '../../shared/store/redis.ts';
import { type GitlabSim, startGitlabSim } from '../sim/gitlab/start.ts';
import { startRedis, type TestRedis } from '../support/redis.ts';
import { makeSettings, type Settings } from '../support/settings.ts';
import { textOf } from '../support/story.ts';
import { failOnLeaks } from '../support/fail-on-leaks.ts';

const PROJECT = 'shop-team/shop';
const [OWNER, AUTHOR, BOT] = ['owner', 'author', 'fixpoint'];
const CLEAN = textOf('export const one = 1;');
const BAD = textOf('export const run = (text) => eval(text);');
const TEST_MS = 120_000;

let folder: string;
let redis: TestRedis;
let sim: GitlabSim;
let settings: Settings;
let services: OneProcess;
const lines: string[] = [];

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'fixpoint-gitlab-rows-'));
  redis = await startRedis();
  sim = await startGitlabSim({ dataDir: path.join(folder, 'forge') });
  for (const login of [OWNER, AUTHOR]) sim.createUser({ login });
  const bot = sim.createUser({ login: BOT });
  sim.createGroup('shop-team');
  await sim.createProject(PROJECT);
  sim.addMember(PROJECT, OWNER, 50);
  for (const login of [AUTHOR, BOT]) sim.addMember(PROJECT, login, 30);
  settings = makeSettings({
    kind: 'gitlab',
    forgeUrl: sim.url,
    token: bot.token,
    projects: [PROJECT],
    dataDir: path.join(folder, 'data'),
    more: '[sweep]\ninterval_seconds = 3600\n[queues]\nbackoff_ms = 100',
  });
  services = await startOneProcess({
    settings: settings.toml,
    folder,
    env: settings.env,
    connectRedis: () => connectRedis(redis.url, 'worker'),
    logTo: { write: (line) => void lines.push(line) },
    logLevel: 'debug',
  });
  sim.addProjectHook({ project: PROJECT, url: `${services.ingressUrl}/webhooks/sim`, token: settings.webhookSecret });
  await commit('main', { 'README.md': '# Shop\n' }, OWNER);
}, TEST_MS);

afterAll(async () => {
  await sim?.settled();
  await services?.close();
  const { SIM_TOKEN = '' } = settings.env;
  const secrets = [SIM_TOKEN, settings.webhookSecret, settings.markerSecret];
  try {
    await failOnLeaks({ sim, lines, connect: () => connectRedis(redis.url, 'worker'), secrets });
  } finally {
    await sim.close();
    await redis.stop();
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}, TEST_MS);

const commit = async (branch: string, files: Readonly<Record<string, string>>, author = AUTHOR): Promise<void> => {
  await sim.commitFiles({ project: PROJECT, branch, files, message: `Change ${branch}\n`, author });
};

const open = async (branch: string, content: string): Promise<number> => {
  await commit(branch, { [`${branch}.js`]: content });
  const wish = { project: PROJECT, sourceBranch: branch, title: `Change ${branch}`, author: AUTHOR };
  return (await sim.openMergeRequest(wish)).iid;
};

const verdictOf = async (iid: number): Promise<string> => {
  const state = (): string => sim.snapshot(PROJECT, iid).headStatuses['fixpoint'] ?? 'none';
  await sim.until(() => !['none', 'pending', 'running'].includes(state()), 60_000);
  return state();
};

/** Writes that the bot's account may make: comments, replies, drafts of both, reactions and statuses. */
const WRITES: readonly RegExp[] = [
  /^POST \/merge_requests\/N\/(?:notes|discussions|draft_notes|draft_notes\/bulk_publish)$/,
  /^POST \/merge_requests\/N\/discussions\/SHA\/notes$/,
  /^PUT \/merge_requests\/N\/(?:notes\/N|discussions\/SHA|discussions\/SHA\/notes\/N)$/,
  /^PUT \/merge_requests\/N\/draft_notes\/N\/publish$/,
  /^DELETE \/merge_requests\/N\/(?:notes\/N|draft_notes\/N|discussions\/SHA\/notes\/N)$/,
  /^POST \/merge_requests\/N\/notes\/N\/award_emoji$/,
  /^POST \/statuses\/SHA$/,
  /^POST git-upload-pack$/,
];

const nameOf = (method: string, of: string): string => {
  if (of.includes('.git/')) return `${method} ${of.slice(of.lastIndexOf('/') + 1)}`;
  const [bare = ''] = of.replace(/^\/api\/v4\/projects\/[^/]+/, '').split('?');
  return `${method} ${bare.replace(/[0-9a-f]{40}/, 'SHA').replaceAll(/\/\d+(?=\/|$)/g, '/N')}`;
};

describe.sequential('the bot on GitLab', () => {
  test(
    'P3: comments and sets statuses, and never approves, merges, labels, assigns or edits the merge request',
    async () => {
      const iid = await open('rounds', BAD);
      expect(await verdictOf(iid)).toBe('failed');
      await commit('rounds', { 'rounds.js': CLEAN });
      expect(await verdictOf(iid)).toBe('success');
      const called = await open('called', CLEAN);
      await sim.comment({ project: PROJECT, iid: called, as: AUTHOR, body: `@${BOT} review` });
      expect(await verdictOf(called)).toBe('success');
      await sim.settled();
      const written = sim.requests.filter(({ user, method }) => user === BOT && method !== 'GET');
      const names = [...new Set(written.map(({ method, path: of }) => nameOf(method, of)))].toSorted();
      expect(names.filter((name) => !WRITES.some((allowed) => allowed.test(name)))).toEqual([]);
      expect(names).toEqual(expect.arrayContaining(['POST /merge_requests/N/notes', 'POST /statuses/SHA']));
      const { state, title, approvedBy } = sim.snapshot(PROJECT, iid);
      expect({ state, title, approvedBy }).toEqual({ state: 'opened', title: 'Change rounds', approvedBy: [] });
    },
    TEST_MS,
  );

  test(
    'P14: a text that the forge takes for nothing but commands is an alarm and costs an attempt, and is not repeated',
    async () => {
      const answer = { commands_changes: {}, summary: ['Commands applied'] };
      const note = { method: 'POST', path: /\/merge_requests\/\d+\/notes$/, user: BOT } as const;
      const fault = sim.fault(note, { kind: 'status', status: 202, body: JSON.stringify(answer) });
      const from = { lines: lines.length, requests: sim.requests.length };
      const iid = await open('commands', CLEAN);
      expect(await verdictOf(iid)).toBe('success');
      const alarms = lines
        .slice(from.lines)
        .map((line) => JSON.parse(line))
        .filter(({ code }) => code === 'FORGE_COMMANDS_ONLY')
        .map(({ level, msg }) => `${level}: ${msg}`);
      expect(alarms).toEqual(['warn: job execution failed', 'error: job ended without success']);
      const notes = sim.requests
        .slice(from.requests)
        .filter(({ method, path: of }) => method === note.method && note.path.test(of));
      expect({ left: fault.remaining(), answers: notes.map(({ status }) => status) }).toEqual({
        left: 0,
        answers: [202, 201],
      });
    },
    TEST_MS,
  );
});
