import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { GuardState } from '../../../shared/rounds/model/state.ts';
import { createDecisions } from '../../../shared/store/decisions.ts';
import { createKeys } from '../../../shared/store/keys.ts';
import { connectRedis } from '../../../shared/store/redis.ts';
import { createKnownPaths } from '../../../shared/store/known-paths.ts';
import { createSlots } from '../../../shared/store/slots.ts';
import { temporaryFolder } from '../../shared/workspace/repository.ts';
import * as make from '../../shared/rounds/builders.ts';
import { startRedis, type TestRedis } from '../../support/redis.ts';
import { makeSettings } from '../../support/settings.ts';
import { runCli } from './run-cli.ts';

const RUN_MS = 60_000;
const HEAD = make.sha('head');
const FAR_MS = Date.now() + 3_600_000;

let folder: ReturnType<typeof temporaryFolder>;
let redis: TestRedis;
let configFile = '';
let sections = '';

const at = (number: number) => ({ forge: 'sim', projectId: 4, number });

const STATES: Readonly<Record<number, Partial<GuardState>>> = {
  7: { running: make.run({ phase: 'waiting_ci', deadlineMs: FAR_MS }), runsUsed: 1 },
  8: { wanted: make.at(HEAD), reviewsDone: 1, roundsUsed: 1, runsUsed: 2 },
  9: { wanted: make.at(HEAD), reportWait: { head: HEAD, untilMs: FAR_MS, nextLookMs: 0 } },
  10: { quiet: { head: HEAD, untilMs: 0 } },
  11: { reviewsDone: 3, roundsUsed: 3, runsUsed: 3 },
  12: { running: make.run({ review: 2, deadlineMs: FAR_MS }), slotHeld: true, granted: 1 },
};

beforeAll(async () => {
  folder = temporaryFolder();
  redis = await startRedis();
  configFile = join(folder.path, 'fixpoint.toml');
  const wish = { forgeUrl: 'http://127.0.0.1:1', token: 'unused-token', projects: ['a/b'], dataDir: folder.path };
  await writeFile(configFile, makeSettings(wish).toml);
  sections = join(folder.path, 'sections.toml');
  const own = '[[project]]\nmatch = ["a/b"]\nrounds = { max = 2, max_runs = 5 }\nlimits.running_per_project = 4\n';
  await writeFile(sections, makeSettings({ ...wish, more: own }).toml);
  const client = connectRedis(redis.url, 'worker');
  const keys = createKeys('fixpoint');
  for (const [number, state] of Object.entries(STATES))
    await client.set(keys.ofChangeRequest(at(Number(number)), 'state'), JSON.stringify(make.state(state)));
  await createSlots(client, keys).acquire(at(12), 1, 0);
  await createDecisions(client, keys).append(at(7), [
    { atMs: 0, effect: 'nothing', reason: 'it is \u001b[31m not over', head: HEAD, events: [] },
  ]);
  await createKnownPaths(client, keys).save(at(12), 'a/b');
  client.disconnect();
});

afterAll(async () => {
  await redis?.stop();
  folder?.dispose();
});

const status = async (...args: readonly string[]) =>
  runCli(['status', ...args, '--config', configFile], { env: { REDIS_URL: redis.url } });

const withoutTime = (text: string): string => text.replaceAll(/\d+ s left/g, 'N s left');

test(
  'lists what is in work, in order, with the reason for which it waits, and who has the slots',
  async () => {
    const { code, stdout } = await status();
    const head = HEAD.slice(0, 10);
    expect([code, withoutTime(stdout).split('\n')]).toEqual([
      0,
      [
        '5 of 6 known change requests in progress',
        `sim/4/7 waiting_ci ${head} rounds 0/3 runs 1/12: review 1 is ready and waits for the CI of its head, attempt 1, N s left`,
        `sim/4/8 wanted ${head} rounds 1/3 runs 2/12: waits for a free slot`,
        `sim/4/9 wanted ${head} rounds 0/3 runs 0/12: waits for a CI job that makes a report, or for a free slot`,
        `sim/4/10 quiet ${head} rounds 0/3 runs 0/12: waits for pushes to settle, N s left`,
        `sim/4/12 running ${head} rounds 0/4 runs 0/14: review 2 is under review, attempt 1, N s left`,
        'project sim/4: 1 of 1 slots taken by 12',
        '',
      ],
    ]);
  },
  RUN_MS,
);

test(
  'tells all that is known about one change request, and nothing that drives a terminal',
  async () => {
    const { stdout } = await status('sim/4/7');
    expect(stdout.split('\n').slice(1)).toEqual([
      'fixes 0, spent 0 tokens and $0.0000',
      'last decision 1970-01-01T00:00:00.000Z nothing: it is [U+001B][31m not over',
      '',
    ]);
    const { stdout: json } = await status('sim/4/11', '--format', 'json');
    expect(JSON.parse(json)).toEqual({
      stored: true,
      changeRequest: 'sim/4/11',
      doing: 'idle',
      why: 'nothing to do',
      head: null,
      secondsLeft: null,
      rounds: { used: 3, max: 3 },
      runs: { used: 3, max: 12 },
      fixes: 0,
      outages: [],
      misconfigurations: [],
      pauses: [],
      paused: false,
      spent: { tokens: 0, usd: 0 },
      last: null,
    });
  },
  RUN_MS,
);

test(
  'has the same fields for a change request of which nothing is stored',
  async () => {
    const why = 'no state is stored for sim/4/99; the next event or sweep reads it from the forge';
    expect((await status('sim/4/99')).stdout).toBe(`${why}\n`);
    const [stored, unstored] = await Promise.all(
      ['sim/4/11', 'sim/4/99'].map(async (of) => JSON.parse((await status(of, '--format', 'json')).stdout)),
    );
    expect(Object.keys(unstored)).toEqual(Object.keys(stored));
    expect(unstored).toMatchObject({ stored: false, changeRequest: 'sim/4/99', doing: 'idle', why, last: null });
  },
  RUN_MS,
);

test(
  'shows the limits of the project and not those of the installation',
  async () => {
    const ask = async (...args: readonly string[]) =>
      (await runCli(['status', ...args, '--config', sections], { env: { REDIS_URL: redis.url } })).stdout;
    const all = await ask();
    expect(all).toContain('rounds 1/2 runs 2/5: waits for a free slot');
    expect(all).toContain('project sim/4: 1 of 4 slots taken by 12');
    expect(await ask('sim/4/8')).toContain('rounds 1/2 runs 2/5');
  },
  RUN_MS,
);

test(
  'refuses what it does not know',
  async () => {
    expect((await status('sim/4')).code).toBe(2);
    expect((await status('--format', 'xml')).code).toBe(2);
  },
  RUN_MS,
);
