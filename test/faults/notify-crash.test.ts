/** The poster's process is killed between the storing of an event and the end of its messages. */
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { eventId } from '../../shared/notify/event-id.ts';
import type { NotifyEvent } from '../../shared/notify/event.ts';
import { createQueues } from '../../shared/queue/enqueue.ts';
import { createRaise } from '../../shared/queue/raise.ts';
import { loadConfig } from '../../shared/config/load.ts';
import { createKeys } from '../../shared/store/keys.ts';
import { connectRedis } from '../../shared/store/redis.ts';
import { type Receiver, startReceiver } from '../services/poster/notify/receiver.ts';
import { type ForgejoSim, startForgejoSim } from '../sim/forgejo/start.ts';
import { builtScript } from '../support/built.ts';
import { failOnLeaks } from '../support/fail-on-leaks.ts';
import { startRedis, type TestRedis } from '../support/redis.ts';
import { type ServiceProcess, startServiceProcess } from '../support/service-process.ts';
import { makeSettings } from '../support/settings.ts';

const START_MS = 240_000;
const TEST_MS = 90_000;
const PATH = `/hooks/${randomBytes(12).toString('hex')}`;
const SECRET = ['whsec', randomBytes(32).toString('base64')].join('_');

let folder: string;
let forge: ForgejoSim;
let redis: TestRedis;
let token: string;
let projectId: number;
const lines: string[] = [];
let runs = 0;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'fixpoint-notify-'));
  [forge, redis] = await Promise.all([startForgejoSim({ dataDir: path.join(folder, 'forge') }), startRedis()]);
  forge.createUser({ login: 'shop-team' });
  token = forge.createUser({ login: 'fixpoint' }).token;
  projectId = (await forge.createRepo('shop-team', 'shop')).id;
  await builtScript('services/poster/main.js');
}, START_MS);

afterAll(async () => {
  const connect = () => connectRedis(redis.url, 'worker');
  try {
    await failOnLeaks({ sim: forge, lines, connect, secrets: [token, SECRET, PATH, program.url, chat.url] });
  } finally {
    await Promise.all([forge.close(), redis.stop(), program.close(), chat.close()]);
    await rm(folder, { recursive: true, force: true });
  }
});

let program: Receiver;
let chat: Receiver;
beforeAll(async () => {
  [program, chat] = await Promise.all([startReceiver(`${PATH}-program`), startReceiver(`${PATH}-chat`)]);
});

let running: ServiceProcess[] = [];
beforeEach(() => {
  runs += 1;
  running = [];
});
afterEach(async () => {
  for (const each of running) {
    await each.kill();
    await each.drained;
    lines.push(...each.output);
  }
});

type Told = { readonly program: boolean; readonly chat: boolean };

const settingsFor = ({ program: toProgram, chat: toChat }: Told) =>
  makeSettings({
    forgeUrl: forge.url,
    token,
    projects: ['shop-team/shop'],
    dataDir: path.join(folder, 'data'),
    redisUrl: redis.url,
    redisPrefix: `run-${runs}`,
    more: `
[queues]
lock_ms = 1000
stalled_ms = 300
backoff_ms = 50
${toProgram ? '[[notify]]\nname = "program"\nkind = "json"\nurl_env = "PROGRAM_URL"\nsecret_env = "PROGRAM_SECRET"' : ''}
${toChat ? '[[notify]]\nname = "chat"\nkind = "slack"\nurl_env = "CHAT_URL"' : ''}
`,
  });

const startPosterProcess = async (told: Told, crashAt: string | null): Promise<ServiceProcess> => {
  const { toml, env } = settingsFor(told);
  const configFile = path.join(folder, `poster-${runs}.toml`);
  await writeFile(configFile, toml);
  const defined = Object.fromEntries(Object.entries(env).flatMap(([name, value]) => (value ? [[name, value]] : [])));
  const service = await startServiceProcess({
    name: 'poster',
    script: await builtScript('services/poster/main.js'),
    configFile,
    env: {
      PATH: process.env['PATH'] ?? '',
      HOME: folder,
      ...defined,
      PROGRAM_URL: program.url,
      PROGRAM_SECRET: SECRET,
      CHAT_URL: chat.url,
      ...(crashAt === null ? {} : { FIXPOINT_CRASH_AT: `poster:${crashAt}` }),
    },
    logFile: path.join(folder, `poster-${runs}.log`),
  });
  running.push(service);
  return service;
};

const eventOf = (): NotifyEvent => ({
  kind: 'handoff',
  atMs: Date.now(),
  changeRequest: { forge: 'sim', projectId, number: runs },
  reason: 'max_rounds_exceeded',
  episode: 3,
});

/** As another process would: it has ended when the poster starts. */
const store = async (told: Told, event: NotifyEvent): Promise<void> => {
  const loaded = loadConfig({ text: settingsFor(told).toml, folder, env: {}, needs: [] });
  if (!loaded.ok) throw new Error(loaded.problems.join('\n'));
  const connection = connectRedis(redis.url, 'worker');
  const queues = createQueues(connection, createKeys(loaded.config.redis.prefix).queues);
  await createRaise(queues.enqueue, loaded.config.notify)(event);
  await queues.close();
  connection.disconnect();
};

/** Ids of what arrived since: of a program by its header. */
const arrivedAt = (receiver: Receiver, before: number): readonly unknown[] =>
  receiver.received.slice(before).map(({ headers }) => headers['webhook-id'] ?? 'a message');

const playCrash = async (told: Told, crashAt: string) => {
  const event = eventOf();
  const before = { program: program.received.length, chat: chat.received.length };
  await store(told, event);
  // It may die before it says that it runs.
  const doomed = await startPosterProcess(told, crashAt).catch(() => null);
  if (doomed !== null) expect(await doomed.exited).toEqual({ code: null, signal: 'SIGKILL' });
  const survivor = await startPosterProcess(told, null);
  const seen = () => ({ program: arrivedAt(program, before.program), chat: arrivedAt(chat, before.chat) });
  return { survivor, seen, id: eventId(event) };
};

const both: Told = { program: true, chat: true };
const onlyProgram: Told = { program: true, chat: false };
const onlyChat: Told = { program: false, chat: true };
const patient = { timeout: 20_000, interval: 50 };
const isUnknown = ({ msg }: { msg: string }): boolean => msg.startsWith('the outcome of a notification is unknown');

describe('a poster that is killed', () => {
  it('between the first and the second receiver tells both, once', { timeout: TEST_MS }, async () => {
    const { seen, id } = await playCrash(both, 'after-fan-out');
    await expect.poll(seen, patient).toEqual({ program: [id], chat: ['a message'] });
  });

  it('before it sends to a program sends it after its restart', { timeout: TEST_MS }, async () => {
    const { seen, id } = await playCrash(onlyProgram, 'before-send');
    await expect.poll(seen, patient).toEqual({ program: [id], chat: [] });
  });

  it('after it sent to a program repeats the same id', { timeout: TEST_MS }, async () => {
    const { seen, id } = await playCrash(onlyProgram, 'after-send');
    await expect.poll(seen, patient).toEqual({ program: [id, id], chat: [] });
  });

  it('after it sent to a chat does not say it twice, and logs that nobody knows', { timeout: TEST_MS }, async () => {
    const { survivor, seen } = await playCrash(onlyChat, 'after-send');
    await survivor.logged(isUnknown, 20_000);
    expect(seen()).toEqual({ program: [], chat: ['a message'] });
  });

  it('just before it sends to a chat logs that nobody knows', { timeout: TEST_MS }, async () => {
    const { survivor, seen } = await playCrash(onlyChat, 'before-send');
    await survivor.logged(isUnknown, 20_000);
    expect(seen()).toEqual({ program: [], chat: [] });
  });
});
