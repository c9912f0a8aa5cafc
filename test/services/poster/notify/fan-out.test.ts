/** Who is told of an event, also where the forge cannot be asked for the name of its project. */
import type { Redis } from 'ioredis';
import { afterEach, expect, test } from 'vitest';
import type { NotifyForge } from '../../../../services/poster/notify/deps.ts';
import { ForgeRequestError } from '../../../../shared/forge/errors.ts';
import { useRedis } from '../../../support/use-redis.ts';
import { EVENTS } from '../../../shared/notify/events.ts';
import { type Receiver, startReceiver } from './receiver.ts';
import { FORGE, type HookWish, type NotifyStage, PROJECT, startNotifyStage } from './stage.ts';

let redis: Redis;
let redisUrl: string;
useRedis((connection, url) => {
  redis = connection;
  redisUrl = url;
});

let open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of open.toReversed()) await each.close();
  open = [];
});

type Told = { readonly stage: NotifyStage; readonly receivers: Readonly<Record<string, Receiver>> };

const told = async (
  hooks: Readonly<Record<string, Omit<HookWish, 'name' | 'kind' | 'access'>>>,
  forge: NotifyForge = FORGE,
): Promise<Told> => {
  const receivers: Record<string, Receiver> = {};
  const wishes: HookWish[] = [];
  for (const [name, filters] of Object.entries(hooks)) {
    const receiver = await startReceiver('/x');
    receivers[name] = receiver;
    open.push(receiver);
    wishes.push({ name, kind: 'mattermost', ...filters, access: { url: receiver.url, secret: null } });
  }
  const stage = startNotifyStage({ url: redisUrl, hooks: wishes, forge, attempts: 8 });
  open.push(stage);
  return { stage, receivers };
};

const countsOf = ({ receivers }: Told) =>
  Object.fromEntries(Object.entries(receivers).map(([name, { received }]) => [name, received.length]));

const failing = (times: number): NotifyForge => {
  let left = times;
  const fetchProject: NotifyForge['read']['fetchProject'] = async (id, signal) => {
    left -= 1;
    if (left < 0) return FORGE.read.fetchProject(id, signal);
    const disposition = { kind: 'retry' } as const;
    throw new ForgeRequestError({ code: 'FORGE_UNAVAILABLE', message: 'away', disposition });
  };
  return { ...FORGE, read: { fetchProject } };
};

test('each receiver is told of what its filters match', async () => {
  const everything = await told({
    all: {},
    group: { projects: ['group/*'] },
    stranger: { projects: ['other/*'] },
    elsewhere: { forges: ['other'] },
    outages: { events: ['outage'] },
  });
  await everything.stage.raise(EVENTS.handoff);
  await everything.stage.raise(EVENTS.outage);
  await everything.stage.settled();
  expect(countsOf(everything)).toEqual({ all: 2, group: 1, stranger: 0, elsewhere: 0, outages: 1 });
});

test('one that is down keeps no event from the others', async () => {
  const both = await told({ broken: {}, sound: {} });
  both.receivers['broken']?.script(...Array.from({ length: 8 }, () => ({ kind: 'answer', status: 500 }) as const));
  await both.stage.raise(EVENTS.handoff);
  expect(await both.stage.settled()).toEqual({ 'broken retry': 8, 'sound sent': 1 });
});

test('a forge that is away for a moment is waited for', async () => {
  const group = await told({ all: {}, group: { projects: ['group/*'] } }, failing(3));
  await group.stage.raise(EVENTS.handoff);
  await group.stage.settled();
  expect(countsOf(group)).toEqual({ all: 1, group: 1 });
  expect(group.receivers['all']?.received[0]?.body).toContain('group/app');
});

test('a forge that stays away keeps the event only from those who chose projects, until it is back', async () => {
  const group = await told({ all: {}, group: { projects: ['group/*'] } }, failing(5));
  await group.stage.raise(EVENTS.handoff);
  await group.stage.settled();
  expect(countsOf(group)).toEqual({ all: 1, group: 1 });
  // Sent, or waiting to be sent, when the name became known.
  expect(group.receivers['group']?.received[0]?.body).toContain('group/app');
});

test('a forge that stays away ends the event for those who chose no projects', async () => {
  const all = await told({ all: {} }, failing(100));
  await all.stage.raise(EVENTS.handoff);
  expect(await all.stage.settled()).toEqual({ 'all sent': 1 });
  expect((await all.stage.jobs()).toSorted()).toEqual(['delivery completed', 'event completed']);
});

test('a forge that stays away for all tries leaves those who chose projects without the event', async () => {
  const group = await told({ group: { projects: ['group/*'] } }, failing(100));
  await group.stage.raise(EVENTS.handoff);
  expect(await group.stage.settled()).toEqual({});
  expect(await group.stage.jobs()).toEqual(['event failed']);
});

test('an event whose project is gone reaches those who chose none', async () => {
  const gone = { ...FORGE, read: { fetchProject: async () => null } };
  const group = await told({ all: {}, group: { projects: ['group/*'] } }, gone);
  await group.stage.raise(EVENTS.handoff);
  await group.stage.settled();
  expect(countsOf(group)).toEqual({ all: 1, group: 0 });
  expect(group.receivers['all']?.received[0]?.body).toContain('project 42 of main');
});

test('a project with a name of unbelievable length is named by its number', async () => {
  const long = { ...PROJECT, path: 'x'.repeat(1_001), unusable: null };
  const all = await told({ all: {} }, { ...FORGE, read: { fetchProject: async () => long } });
  await all.stage.raise(EVENTS.handoff);
  await all.stage.settled();
  expect(all.receivers['all']?.received[0]?.body).toContain('project 42 of main');
});

test('a receiver that is no longer configured gets nothing', async () => {
  const all = await told({ all: {} });
  const job = { v: 1, kind: 'delivery', hook: 'former', event: EVENTS.handoff } as const;
  await all.stage.queues.enqueue('notify', job, { jobId: 'former' });
  expect(await all.stage.settled()).toEqual({});
  expect(all.stage.logged.join()).toContain('its hook is no longer configured');
  expect(await redis.keys('*sending*')).toEqual([]);
});
