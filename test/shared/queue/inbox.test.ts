import { fork } from 'node:child_process';
import { once } from 'node:events';
import { setImmediate as endOfTurn } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { createQueues } from '../../../shared/queue/enqueue.ts';
import type { Redis } from 'ioredis';
import { type Enqueue, OVERTAKEN } from '../../../shared/queue/enqueue.ts';
import type { InboxEvent } from '../../../shared/rounds/model/events.ts';
import { MAX_WAKE_UPS } from '../../../shared/queue/contracts.ts';
import { createInbox, deliverTo, type InboxDelivery } from '../../../shared/queue/inbox.ts';
import { changeRequestKey, CommitSha } from '../../../shared/vocabulary/ids.ts';
import { createKeys } from '../../../shared/store/keys.ts';
import { acquireLease } from '../../../shared/store/lease.ts';
import { useAsProcessTracing } from '../../../shared/tracing/tracing.ts';
import { countWrites } from '../../support/count-writes.ts';
import { useRedis } from '../../support/use-redis.ts';

let redis: Redis;
useRedis((connection) => {
  redis = connection;
});

const keys = createKeys('test');
const of = { forge: 'main', projectId: 1, number: 2 };
const event = (id: string): InboxEvent => ({ source: 'wake', id, atMs: 1 });
const delivery = (dedupKey: string, deliveryId: string | null = null): InboxDelivery => ({
  changeRequest: of,
  event: event(dedupKey),
  dedupKey,
  deliveryId,
});

type Added = { readonly name: string; readonly payload: unknown; readonly delayMs: number | undefined };

/** Without the part of the process. */
const plain = (jobId: string): string => jobId.replace(/\.by-[0-9a-f]{8}/, '');

const recorder = (): { readonly enqueue: Enqueue; readonly jobs: string[]; readonly added: Added[] } => {
  const jobs: string[] = [];
  const added: Added[] = [];
  const enqueue: Enqueue = async (name, payload, { jobId, delayMs }) => {
    jobs.push(plain(jobId));
    added.push({ name, payload, delayMs });
  };
  return { enqueue, jobs, added };
};

describe('the inbox', () => {
  it('I5, I6: stores one meaning once, whatever the delivery id', async () => {
    const { enqueue, jobs } = recorder();
    const inbox = createInbox(redis, keys, enqueue);
    expect(await inbox.deliver(delivery('m1', 'd1'))).toBe('stored');
    expect(await inbox.deliver(delivery('m1', 'd1'))).toBe('duplicate');
    expect(await inbox.deliver(delivery('m1', 'd2'))).toBe('duplicate');
    expect(await inbox.deliver(delivery('m2', 'd1'))).toBe('duplicate');
    expect(await inbox.deliver(delivery('m2', 'd3'))).toBe('stored');
    expect(jobs).toEqual(['wake-m1', 'wake-m2']);
    expect((await inbox.read(of)).events).toEqual([event('m1'), event('m2')]);
  });

  it.each([
    ['a delivery', 'd1'],
    ['an event without a delivery', null],
  ])('remembers %s only after its job is stored: the second try stores it', async (_name, deliveryId) => {
    const { enqueue, jobs } = recorder();
    const broken = createInbox(redis, keys, async () => {
      throw new Error('the queue is away');
    });
    await expect(broken.deliver(delivery('m1', deliveryId))).rejects.toThrow('the queue is away');
    const inbox = createInbox(redis, keys, enqueue);
    expect(await inbox.deliver(delivery('m1', deliveryId))).toBe('stored');
    expect(jobs).toEqual(['wake-m1']);
    expect((await inbox.read(of)).events).toEqual([event('m1')]);
  });

  it('F-E11: lets every other event overtake those of the sweep', async () => {
    const priorities: unknown[] = [];
    const inbox = createInbox(redis, keys, async (_name, _payload, { priority }) => void priorities.push(priority));
    await inbox.notify(of, { source: 'sweep', id: 'swept', atMs: 1, head: CommitSha.parse('a'.repeat(40)) });
    await inbox.notify(of, { source: 'wake', id: 'woken', atMs: 1 });
    expect(priorities).toEqual([OVERTAKEN, undefined]);
  });

  it('trims what was read and keeps what came meanwhile', async () => {
    const inbox = createInbox(redis, keys, recorder().enqueue);
    await inbox.deliver(delivery('m1'));
    const { entries } = await inbox.read(of);
    await inbox.deliver(delivery('m2'));
    const lease = await acquireLease(redis, {
      key: keys.ofChangeRequest(of, 'lock'),
      fenceKey: keys.ofChangeRequest(of, 'fence'),
      ttlMs: 5_000,
      nonce: 'a',
    });
    if (lease === null) throw new Error('it must get it');
    await inbox.trim(of, entries, lease);
    expect((await inbox.read(of)).events).toEqual([event('m2')]);
    await expect(inbox.trim(of, 1, { ...lease, token: '0:b' })).rejects.toMatchObject({ code: 'LEASE_LOST' });
  });

  it('steps over what it cannot read', async () => {
    const inbox = createInbox(redis, keys, recorder().enqueue);
    await redis.rpush(keys.ofChangeRequest(of, 'inbox'), 'no json', '{"source":"martian"}');
    await inbox.deliver(delivery('m1'));
    expect(await inbox.read(of)).toEqual({ events: [event('m1')], entries: 3, unreadable: 2 });
  });

  it('keeps an event for later in the queue, not in the list', async () => {
    const { enqueue, jobs, added } = recorder();
    const inbox = createInbox(redis, keys, enqueue);
    await inbox.notify(of, event('m1'), 1_000);
    expect(jobs).toEqual([`later-${changeRequestKey(of)}-m1`]);
    const payload = { v: 1, kind: 'event', changeRequest: of, event: event('m1') };
    expect(added).toEqual([{ name: 'guard', payload, delayMs: 1_000 }]);
    expect((await inbox.read(of)).entries).toBe(0);
  });

  it('stores an event of our own at once, once by its id, and wakes guard', async () => {
    const { enqueue, jobs, added } = recorder();
    const inbox = createInbox(redis, keys, enqueue);
    await inbox.notify(of, event('m1'));
    await deliverTo(inbox)(of, event('m1'));
    await deliverTo(inbox)({ ...of, number: 3 }, event('m1'));
    expect(jobs).toEqual([`wake-${changeRequestKey(of)}-m1`, `wake-${changeRequestKey({ ...of, number: 3 })}-m1`]);
    expect(added[0]).toEqual({
      name: 'guard',
      payload: { v: 1, kind: 'wake', changeRequest: of },
      delayMs: undefined,
    });
    expect((await inbox.read(of)).events).toEqual([event('m1')]);
  });

  it('remembers what it was told for a day, and keeps what waits for a month', async () => {
    const inbox = createInbox(redis, keys, recorder().enqueue);
    await inbox.deliver(delivery('m1', 'd1'));
    await inbox.deliver(delivery('m2'));
    const hoursLeft = async (key: string): Promise<number> => Math.ceil((await redis.ttl(key)) / 3_600);
    const remembered = [keys.dedupKey('m1'), keys.dedupKey('m2'), keys.delivery(of.forge, 'd1')];
    expect(await Promise.all(remembered.map(hoursLeft))).toEqual([24, 24, 24]);
    expect(await hoursLeft(keys.ofChangeRequest(of, 'inbox'))).toBe(30 * 24);
    expect(await redis.keys('*')).toHaveLength(4);
  });

  it('remembers for a day what it could not finish', async () => {
    const broken = createInbox(redis, keys, async () => {
      throw new Error('the queue is away');
    });
    await expect(broken.deliver(delivery('m1', 'd1'))).rejects.toThrow('the queue is away');
    expect(Math.ceil((await redis.ttl(keys.dedupKey('m1'))) / 3_600)).toBe(24);
    expect(await redis.exists(keys.delivery(of.forge, 'd1'))).toBe(0);
  });

  it('tells the one delivery from another by the forge, too', async () => {
    const inbox = createInbox(redis, keys, recorder().enqueue);
    expect(await inbox.deliver(delivery('m1', 'd1'))).toBe('stored');
    const other = { ...delivery('m2', 'd1'), changeRequest: { ...of, forge: 'other' } };
    expect(await inbox.deliver(other)).toBe('stored');
  });

  it('can be stopped between its steps', async () => {
    const steps: string[] = [];
    const inbox = createInbox(
      redis,
      keys,
      async () => void steps.push('job'),
      (step) => void steps.push(step),
    );
    await inbox.deliver(delivery('m1'));
    await inbox.deliver(delivery('m1'));
    expect(steps).toEqual(['after-push', 'job', 'after-wake-up']);
  });

  describe('with a script that Redis already has', () => {
    const warm = async (enqueue: Enqueue) => {
      const inbox = createInbox(redis, keys, enqueue);
      await inbox.deliver(delivery('m0', 'd0'));
      return inbox;
    };

    it('has stored an event when its wake-up is added, although both are sent at once', async () => {
      const lengths: number[] = [];
      const inboxKey = keys.ofChangeRequest(of, 'inbox');
      const inbox = await warm(async () => void lengths.push(await redis.llen(inboxKey)));
      await Promise.all(['m1', 'm2'].map(async (key) => inbox.deliver(delivery(key, key))));
      await inbox.deliver(delivery('m3', 'm3'));
      expect(lengths).toEqual([1, 3, 4]);
    });

    it('sends the event and its wake-up in one write, and does not wait for the marks', async () => {
      const answers: unknown[] = [];
      const inbox = await warm(async () => void answers.push(await redis.echo('wake-up')));
      const send = async (_: unknown, index: number) => inbox.deliver(delivery(`n${index}`, null));
      expect(await countWrites(redis, async () => Promise.all(Array.from({ length: MAX_WAKE_UPS }, send)))).toBe(1);
      expect(answers).toHaveLength(2);
      await endOfTurn();
      expect(await redis.get(keys.dedupKey('n63'))).toBe('done');
    });

    it('wakes guard once for all events of a turn, with the ids that their own jobs would have', async () => {
      const { enqueue, jobs, added } = recorder();
      const inbox = await warm(enqueue);
      const others = [3, 4].map((number) => ({ ...delivery(`m${number}`), changeRequest: { ...of, number } }));
      expect(await Promise.all(others.map(async (each) => inbox.deliver(each)))).toEqual(['stored', 'stored']);
      expect(jobs).toEqual(['wake-m0', expect.stringMatching(/^wake-all-/)]);
      const wakeUps = others.map(({ changeRequest, dedupKey }) => ({
        changeRequest,
        jobId: expect.stringMatching(new RegExp(`^wake-${dedupKey}\\.by-[0-9a-f]{8}$`)),
      }));
      expect(added[1]).toEqual({ name: 'guard', payload: { v: 1, kind: 'wake_all', wakeUps }, delayMs: undefined });
    });

    it('stores the events of a turn beside one that cannot be stored', async () => {
      const { enqueue, jobs } = recorder();
      const inbox = await warm(enqueue);
      const broken = { ...delivery('m1', 'd1'), changeRequest: { ...of, number: 3 } };
      const brokenKey = keys.ofChangeRequest(broken.changeRequest, 'inbox');
      await redis.set(brokenKey, 'not a list');
      const [before, failed, after] = await Promise.allSettled(
        [delivery('m2', 'd2'), broken, delivery('m3', 'd3')].map(async (each) => inbox.deliver(each)),
      );
      const stored = { status: 'fulfilled', value: 'stored' };
      expect([before, after]).toEqual([stored, stored]);
      expect(failed).toMatchObject({ status: 'rejected', reason: { message: expect.stringContaining('WRONGTYPE') } });
      expect((await inbox.read(of)).events).toEqual(['m0', 'm2', 'm3'].map(event));
      await redis.del(brokenKey);
      expect(await inbox.deliver(broken)).toBe('stored');
      expect(jobs.at(-1)).toBe('wake-m1-again');
    });

    it('stores the events of a turn one by one if Redis has lost the script', async () => {
      const { enqueue, jobs } = recorder();
      const inbox = await warm(enqueue);
      await redis.script('FLUSH');
      const states = await Promise.all(['m1', 'm2'].map(async (key) => inbox.deliver(delivery(key, key))));
      expect(states).toEqual(['stored', 'stored']);
      expect(jobs).toEqual(['wake-m0', expect.stringMatching(/^wake-all-/), 'wake-m1-again', 'wake-m2-again']);
      expect((await inbox.read(of)).events).toEqual(['m0', 'm1', 'm2'].map(event));
    });

    it('rejects all events of a turn whose wake-up could not be added', async () => {
      let isAway = false;
      const inbox = await warm(async () => {
        if (isAway) throw new Error('the queue is away');
      });
      isAway = true;
      const results = await Promise.allSettled(['m1', 'm2'].map(async (key) => inbox.deliver(delivery(key, key))));
      expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
      isAway = false;
      expect(await inbox.deliver(delivery('m1', 'm1'))).toBe('stored');
    });

    it('adds a job for each event of a sweep and of a trace', async () => {
      const { enqueue, jobs } = recorder();
      const inbox = await warm(enqueue);
      const swept = ['s1', 's2'].map(async (id) =>
        inbox.notify(of, { source: 'sweep', id, atMs: 1, head: CommitSha.parse('a'.repeat(40)) }),
      );
      await Promise.all(swept);
      useAsProcessTracing({
        inSpan: async (_wish, work) => work({ set: () => {}, fail: () => {} }),
        current: () => ({ traceId: '1', spanId: '2', carrier: '00-1-2-01' }),
        close: async () => {},
      });
      try {
        await Promise.all(['m1', 'm2'].map(async (key) => inbox.deliver(delivery(key, key))));
      } finally {
        useAsProcessTracing(null);
      }
      const names = ['m0', 'main.1.2-s1', 'main.1.2-s2', 'm1', 'm2'];
      expect(jobs).toEqual(names.map((name) => `wake-${name}`));
    });

    it('stores the event first, and adds another wake-up, if Redis has lost the script', async () => {
      const { enqueue, jobs } = recorder();
      const inbox = await warm(enqueue);
      await redis.script('FLUSH');
      expect(await inbox.deliver(delivery('m1', 'd1'))).toBe('stored');
      expect(await inbox.deliver(delivery('m2', 'd2'))).toBe('stored');
      expect(jobs).toEqual(['wake-m0', 'wake-m1', 'wake-m1-again', 'wake-m2']);
      expect((await inbox.read(of)).events).toEqual(['m0', 'm1', 'm2'].map(event));
    });

    it('adds another wake-up if the event could not be stored the first time', async () => {
      const { enqueue, jobs } = recorder();
      const inbox = await warm(enqueue);
      const inboxKey = keys.ofChangeRequest(of, 'inbox');
      await redis.set(inboxKey, 'not a list');
      await expect(inbox.deliver(delivery('m1', 'd1'))).rejects.toThrow(/WRONGTYPE/);
      await redis.del(inboxKey);
      expect(await inbox.deliver(delivery('m1', 'd1'))).toBe('stored');
      expect(jobs).toEqual(['wake-m0', 'wake-m1', 'wake-m1-again']);
      expect((await inbox.read(of)).events).toEqual([event('m1')]);
    });

    it('adds a wake-up of its own if another process had one that came before the event', async () => {
      const ids: string[] = [];
      const enqueue: Enqueue = async (_name, _payload, { jobId }) => void ids.push(jobId);
      const first = await warm(enqueue);
      const second = createInbox(redis, keys, enqueue);
      const inboxKey = keys.ofChangeRequest(of, 'inbox');
      await redis.set(inboxKey, 'not a list');
      await expect(first.deliver(delivery('m1', 'd1'))).rejects.toThrow(/WRONGTYPE/);
      await redis.del(inboxKey);
      expect(await second.deliver(delivery('m1', 'd1'))).toBe('stored');
      expect(ids.map(plain)).toEqual(['wake-m0', 'wake-m1', 'wake-m1']);
      expect(new Set(ids).size).toBe(3);
    });

    it('rejects if the wake-up could not be added, and a repeated delivery adds it', async () => {
      const jobs: string[] = [];
      let isAway = false;
      const inbox = await warm(async (_name, _payload, { jobId }) => {
        if (isAway) throw new Error('the queue is away');
        jobs.push(plain(jobId));
      });
      isAway = true;
      await expect(inbox.deliver(delivery('m1', 'd1'))).rejects.toThrow('the queue is away');
      isAway = false;
      expect(await inbox.deliver(delivery('m1', 'd1'))).toBe('stored');
      expect(jobs).toEqual(['wake-m0', 'wake-m1']);
    });

    it.each(['after-push', 'after-wake-up'])('loses nothing of a process that is killed at %s', async (step) => {
      const { host, port, db } = redis.options;
      const script = fileURLToPath(new URL('./deliver-killed.ts', import.meta.url));
      const url = `redis://${host}:${port}/${db}`;
      const child = fork(script, [url, step], {
        execArgv: ['--import', 'tsx'],
        stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      });
      expect(await once(child, 'exit')).toEqual([null, 'SIGKILL']);
      const queues = createQueues(redis, keys.queues);
      const inbox = createInbox(redis, keys, queues.enqueue);
      expect(await inbox.deliver(delivery('m2', 'm2'))).toMatch(/stored|duplicate/);
      expect((await inbox.read(of)).events).toEqual(['m1', 'm2'].map(event));
      expect((await queues.queue('guard').getJobs()).map(({ id }) => plain(id ?? ''))).toEqual(
        expect.arrayContaining(['wake-m1', 'wake-m2']),
      );
      // This process does not know that the other one has added its wake-up.
      expect(await queues.queue('guard').getJobCountByTypes('waiting')).toBe(step === 'after-push' ? 2 : 3);
      await queues.close();
    });
  });

  it('reads the oldest 500 at once', async () => {
    const inbox = createInbox(redis, keys, recorder().enqueue);
    const all = Array.from({ length: 501 }, (_, index) => event(`m${index}`));
    await redis.rpush(keys.ofChangeRequest(of, 'inbox'), ...all.map((each) => JSON.stringify(each)));
    expect(await inbox.read(of)).toEqual({ events: all.slice(0, 500), entries: 500, unreadable: 0, isPart: true });
  });
});
