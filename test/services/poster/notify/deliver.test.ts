/** "Done when" 6 of the notifications: receivers that fail, hang and repeat; real Redis, real HTTP. */
import { createHmac, randomBytes } from 'node:crypto';
import type { Redis } from 'ioredis';
import { afterEach, describe, expect, it } from 'vitest';
import type { ReceiverKind } from '../../../../shared/vocabulary/notify.ts';
import { eventId } from '../../../../shared/notify/event-id.ts';
import { findLeaks, readRedis } from '../../../support/leaks.ts';
import { freePort } from '../../../support/redis.ts';
import { useRedis } from '../../../support/use-redis.ts';
import { EVENTS } from '../../../shared/notify/events.ts';
import { type Deed, type Receiver, startReceiver } from './receiver.ts';
import { type NotifyStage, type NotifyWish, startNotifyStage } from './stage.ts';

let redis: Redis;
let redisUrl: string;
useRedis((connection, url) => {
  redis = connection;
  redisUrl = url;
});

const CHATS = ['slack', 'mattermost', 'matrix'] as const;
const KEY = randomBytes(32);
const SECRET = ['whsec', KEY.toString('base64')].join('_');
const PATH = `/hooks/${randomBytes(12).toString('hex')}`;

const { handoff } = EVENTS;
const ID = eventId(handoff);

let open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of open.toReversed()) await each.close();
  open = [];
});

const receiving = async (...deeds: readonly Deed[]): Promise<Receiver> => {
  const receiver = await startReceiver(PATH);
  open.push(receiver);
  receiver.script(...deeds);
  return receiver;
};

const staged = (kind: ReceiverKind, url: string, more: Partial<NotifyWish> = {}): NotifyStage => {
  const access = { url, secret: kind === 'json' ? SECRET : null };
  const secrets = [url, new URL(url).pathname, SECRET];
  const stage = startNotifyStage({ url: redisUrl, hooks: [{ name: 'on-call', kind, access }], secrets, ...more });
  open.push(stage);
  return stage;
};

const FAIL: Deed = { kind: 'answer', status: 500 };

describe('a program', () => {
  it('gets an event once it answers, with the same id and bytes in each try, and each try signed anew', async () => {
    const receiver = await receiving(FAIL, { kind: 'hang' }, { kind: 'reset' });
    let nowMs = 5_000;
    const { raise, settled, jobs } = staged('json', receiver.url, { nowMs: () => (nowMs += 1_000) });
    await raise(handoff);
    expect(await settled()).toEqual({ 'on-call retry': 3, 'on-call sent': 1 });
    expect(receiver.received).toHaveLength(4);
    const [first] = receiver.received;
    for (const { path, headers, body } of receiver.received) {
      const at = String(headers['webhook-timestamp']);
      const sign = createHmac('sha256', KEY).update(`${ID}.${at}.${body}`).digest('base64');
      expect([path, headers['webhook-id'], headers['webhook-signature'], body]).toEqual([
        PATH,
        ID,
        `v1,${sign}`,
        first?.body,
      ]);
    }
    expect(new Set(receiver.received.map(({ headers }) => headers['webhook-timestamp'])).size).toBe(4);
    expect(JSON.parse(first?.body ?? '')).toMatchObject({
      type: 'fixpoint.handoff',
      data: { project: 'group/app', changeRequest: 12, url: 'https://forge.example/group/app/-/merge_requests/12' },
    });
    expect((await jobs()).toSorted()).toEqual(['delivery completed', 'event completed']);
  });

  it('that never answers is tried as often as the queue allows, and then given up', async () => {
    const receiver = await receiving(...Array.from({ length: 9 }, () => FAIL));
    const { raise, settled, jobs } = staged('json', receiver.url);
    await raise(handoff);
    expect(await settled()).toEqual({ 'on-call retry': 4 });
    expect(await jobs()).toContain('delivery failed');
  });

  it('is sent to no other address by a redirect', async () => {
    const elsewhere = await receiving();
    const receiver = await receiving({ kind: 'answer', status: 302, headers: { location: elsewhere.url } });
    const { raise, settled } = staged('json', receiver.url);
    await raise(handoff);
    expect(await settled()).toEqual({ 'on-call retry': 1, 'on-call sent': 1 });
    expect(elsewhere.received).toEqual([]);
  });
});

describe.each(CHATS)('%s', (kind) => {
  it.each<[string, Deed]>([
    ['fails', FAIL],
    ['limits the rate', { kind: 'answer', status: 429, headers: { 'retry-after': '0' } }],
    ['limits the rate and names no time', { kind: 'answer', status: 429 }],
  ])('that %s gets the message in the next try', async (_what, deed) => {
    const receiver = await receiving(deed);
    const { raise, settled } = staged(kind, receiver.url);
    await raise(handoff);
    expect(await settled()).toEqual({ 'on-call retry': 1, 'on-call sent': 1 });
    expect(receiver.received).toHaveLength(2);
  });

  it.each<[string, Deed]>([
    ['hangs', { kind: 'hang' }],
    ['resets the connection', { kind: 'reset' }],
    ['has a gateway that gave up', { kind: 'answer', status: 504 }],
  ])('that %s gets no second message, and the log says that nobody knows', async (_what, deed) => {
    const receiver = await receiving(deed);
    const { raise, settled, jobs, logged } = staged(kind, receiver.url);
    await raise(handoff);
    expect(await settled()).toEqual({ 'on-call unknown': 1 });
    expect(receiver.received).toHaveLength(1);
    expect(await jobs()).toEqual(expect.arrayContaining(['delivery completed', 'event completed']));
    expect(logged.filter((line) => line.includes('the outcome of a notification is unknown'))).toHaveLength(1);
  });

  it('that refuses the message is not asked again', async () => {
    const receiver = await receiving({ kind: 'answer', status: 404 });
    const { raise, settled, jobs } = staged(kind, receiver.url);
    await raise(handoff);
    expect(await settled()).toEqual({ 'on-call refused': 1 });
    expect(receiver.received).toHaveLength(1);
    expect(await jobs()).toContain('delivery failed');
  });

  it('that is not there yet gets the message later', async () => {
    const port = await freePort();
    const stage = staged(kind, `http://127.0.0.1:${port}${PATH}`, { attempts: 3 });
    await stage.raise(handoff);
    expect(await stage.settled()).toEqual({ 'on-call retry': 3 });
    expect(stage.logged.filter((line) => line.includes('ECONNREFUSED'))).not.toEqual([]);
  });

  it('gets no message of an earlier process whose end is not known', async () => {
    const receiver = await receiving();
    const prefix = `p${randomBytes(6).toString('hex')}`;
    const { raise, settled, logged } = staged(kind, receiver.url, { prefix });
    await redis.set(`{${prefix}}:sending:on-call.${ID}`, 'begun');
    await raise(handoff);
    expect(await settled()).toEqual({ 'on-call unknown': 1 });
    expect(receiver.received).toEqual([]);
    expect(logged.join()).toContain('NOTIFY_INTERRUPTED');
  });

  it('gets nothing twice where the end of a job was lost', async () => {
    const receiver = await receiving();
    const { raise, settled, queues } = staged(kind, receiver.url);
    await raise(handoff);
    await settled();
    await (await queues.queue('notify').getJob(`on-call.${ID}`))?.remove();
    await (await queues.queue('notify').getJob(ID))?.remove();
    await raise(handoff);
    expect(await settled()).toEqual({ 'on-call sent': 1 });
    expect(receiver.received).toHaveLength(1);
  });
});

describe('an event', () => {
  it('that is raised again by whomever is one message', async () => {
    const receiver = await receiving();
    const { raise, settled } = staged('slack', receiver.url);
    await Promise.all([raise(handoff), raise({ ...handoff, atMs: 2_000 })]);
    await settled();
    await raise({ ...handoff, atMs: 3_000 });
    expect(await settled()).toEqual({ 'on-call sent': 1 });
  });

  it('that nobody wants is not stored', async () => {
    const access = { url: 'http://127.0.0.1:1/x', secret: null };
    const hooks = [{ name: 'on-call', kind: 'slack', events: ['outage'], access }] as const;
    const { raise, jobs } = staged('slack', access.url, {
      hooks: hooks.map((hook) => ({ ...hook, events: [...hook.events] })),
    });
    await raise(handoff);
    expect(await jobs()).toEqual([]);
  });

  it('older than three days is no news', async () => {
    const receiver = await receiving();
    const { raise, settled } = staged('json', receiver.url, { nowMs: () => handoff.atMs + 3 * 24 * 3_600_000 + 1 });
    await raise(handoff);
    expect(await settled()).toEqual({ 'on-call refused': 1 });
    expect(receiver.received).toEqual([]);
  });

  it('three days old is sent', async () => {
    const receiver = await receiving();
    const { raise, settled } = staged('json', receiver.url, { nowMs: () => handoff.atMs + 3 * 24 * 3_600_000 });
    await raise(handoff);
    expect(await settled()).toEqual({ 'on-call sent': 1 });
  });
});

describe('the address of a receiver and its secret', () => {
  it.each(['json', ...CHATS] as const)('stand in no log line, metric, message or key of Redis: %s', async (kind) => {
    const receiver = await receiving(FAIL, { kind: 'answer', status: 404 }, { kind: 'reset' }, { kind: 'hang' });
    const stage = staged(kind, receiver.url, { attempts: 6, secrets: [] });
    await stage.raise(handoff);
    await stage.raise(EVENTS.outage);
    await stage.settled();
    const texts = [
      ...stage.logged.map((text, n) => ({ where: `line ${n}`, text })),
      ...receiver.received.map(({ body }, n) => ({ where: `message ${n}`, text: body })),
      { where: 'metrics', text: await stage.metrics.registry.metrics() },
      ...(await readRedis(redis)),
    ];
    expect(receiver.received.length).toBeGreaterThan(1);
    expect(
      findLeaks(texts, [receiver.url, PATH, `127.0.0.1:${receiver.port}`, SECRET, KEY.toString('base64')]),
    ).toEqual([]);
  });

  it('stand in no log line when the address cannot be reached', async () => {
    const host = ['no-such-host', randomBytes(6).toString('hex'), 'invalid'].join('.');
    const stage = staged('slack', `https://${host}${PATH}`, { secrets: [], attempts: 2, totalMs: 5_000 });
    await stage.raise(handoff);
    expect(Object.keys(await stage.settled())).toEqual(['on-call retry']);
    const texts = [{ where: 'log', text: stage.logged.join('\n') }, ...(await readRedis(redis))];
    expect(findLeaks(texts, [host, PATH])).toEqual([]);
  });
});
