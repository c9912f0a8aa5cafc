import { randomBytes } from 'node:crypto';
import type { Redis } from 'ioredis';
import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import type { NotifyEvent } from '../../../shared/notify/event.ts';
import type { OutageDecision } from '../../../shared/outage/outage.ts';
import { createHookAlarm, createWorkerAlarms } from '../../../shared/queue/alarms.ts';
import { createEpisodes } from '../../../shared/store/episodes.ts';
import { createKeys } from '../../../shared/store/keys.ts';
import type { HookReport } from '../../../shared/store/sweep/sweep-hooks.ts';
import { useRedis } from '../../support/use-redis.ts';

let redis: Redis;
useRedis((connection) => {
  redis = connection;
});

const changeRequest = { forge: 'main', projectId: 42, number: 7 };
const payload = { v: 1, changeRequest };

const stand = () => {
  let nowMs = 1_000_000;
  const raised: NotifyEvent[] = [];
  const lines: string[] = [];
  let isBroken = false;
  const deps = {
    raise: async (event: NotifyEvent) => {
      if (isBroken) throw new Error('Redis is away');
      raised.push(event);
    },
    episodes: createEpisodes(redis, createKeys(`p${randomBytes(6).toString('hex')}`)),
    nowMs: () => nowMs,
    log: pino({}, { write: (line: string) => void lines.push(line) }),
  };
  return {
    raised,
    lines,
    alarms: createWorkerAlarms(deps),
    hookAlarm: createHookAlarm(deps),
    pass: (ms: number) => void (nowMs += ms),
    breakStore: () => void (isBroken = true),
  };
};

const model = { what: 'model', code: 'MODEL_UNAVAILABLE', retryAfterMs: null } as const;
const forge = { what: 'forge', code: 'FORGE_UNAVAILABLE', retryAfterMs: null } as const;
const since = (sinceMs: number): OutageDecision => ({
  kind: 'wait',
  delayMs: 1,
  isNew: false,
  waited: { waitedMs: 1, tries: 1, sinceMs },
});

describe('an outage', () => {
  it('is told once a job has waited for a minute', async () => {
    const { alarms, raised, pass } = stand();
    await alarms.outage(payload, model, since(1_000_000));
    pass(59_999);
    await alarms.outage(payload, model, since(1_000_000));
    expect(raised).toEqual([]);
    pass(1);
    await alarms.outage(payload, model, since(1_000_000));
    expect(raised).toEqual([
      {
        kind: 'outage',
        atMs: 1_060_000,
        what: 'model',
        code: 'MODEL_UNAVAILABLE',
        forge: null,
        needsOperator: false,
        sinceMs: 1_060_000,
      },
    ]);
  });

  it('is told at once where nobody waits any longer', async () => {
    const { alarms, raised } = stand();
    await alarms.outage(payload, model, { kind: 'over' });
    expect(raised).toMatchObject([{ what: 'model' }]);
  });

  it('is one event for all jobs that meet it, and another an hour later', async () => {
    const { alarms, raised, pass } = stand();
    await alarms.outage(payload, model, { kind: 'over' });
    pass(30 * 60_000);
    await alarms.outage({ changeRequest: { ...changeRequest, number: 8 } }, model, { kind: 'over' });
    expect(raised.map((event) => event.kind === 'outage' && event.sinceMs)).toEqual([1_000_000, 1_000_000]);
  });

  it('of a forge names the forge, and is another than that of another forge', async () => {
    const { alarms, raised, pass } = stand();
    await alarms.outage(payload, forge, { kind: 'over' });
    pass(5);
    await alarms.outage({ changeRequest: { ...changeRequest, forge: 'other' } }, forge, { kind: 'over' });
    await alarms.outage({ kind: 'sweep' }, forge, { kind: 'over' });
    await alarms.outage(payload, { ...forge, what: 'git' }, { kind: 'over' });
    expect(raised).toMatchObject([
      { what: 'forge', forge: 'main', sinceMs: 1_000_000 },
      { what: 'forge', forge: 'other', sinceMs: 1_000_005 },
      { what: 'forge', forge: null, sinceMs: 1_000_005 },
      { what: 'git', forge: 'main', sinceMs: 1_000_005 },
    ]);
  });

  it('at one page only is none', async () => {
    const { alarms, raised } = stand();
    await alarms.outage(payload, { ...forge, code: 'FORGE_PENDING_DRAFT' }, { kind: 'over' });
    expect(raised).toEqual([]);
  });
});

describe('a mistake in the configuration', () => {
  it('is told at once, each code by itself', async () => {
    const { alarms, raised } = stand();
    await alarms.mistake(payload, { what: 'forge', code: 'FORGE_UNAUTHORISED' });
    await alarms.mistake(null, { what: 'model', code: 'MODEL_UNAUTHORISED' });
    expect(raised).toMatchObject([
      { kind: 'outage', what: 'forge', forge: 'main', code: 'FORGE_UNAUTHORISED', needsOperator: true },
      { kind: 'outage', what: 'model', forge: null, code: 'MODEL_UNAUTHORISED', needsOperator: true },
    ]);
  });
});

describe('a failed job', () => {
  it('is told with its change request, where it has one', async () => {
    const { alarms, raised } = stand();
    await alarms.failed({ queue: 'post', jobId: 'one', code: 'UNEXPECTED', payload });
    await alarms.failed({ queue: 'guard', jobId: 'x'.repeat(400), code: 'JOB_REFUSED', payload: 'odd' });
    expect(raised).toEqual([
      { kind: 'job_failed', atMs: 1_000_000, queue: 'post', jobId: 'one', code: 'UNEXPECTED', changeRequest },
      {
        kind: 'job_failed',
        atMs: 1_000_000,
        queue: 'guard',
        jobId: 'x'.repeat(300),
        code: 'JOB_REFUSED',
        changeRequest: null,
      },
    ]);
  });
});

it('what cannot be stored is logged and keeps no worker from ending its job', async () => {
  const { alarms, lines, breakStore } = stand();
  breakStore();
  await alarms.outage(payload, model, { kind: 'over' });
  await alarms.mistake(payload, { what: 'disk', code: 'EACCES' });
  await alarms.failed({ queue: 'post', jobId: 'one', code: 'UNEXPECTED', payload });
  expect(lines.filter((line) => line.includes('could not be stored'))).toHaveLength(3);
});

describe('a webhook', () => {
  const report = (health: HookReport['health']): HookReport => ({
    v: 1,
    projectId: 42,
    path: 'a/b',
    health,
    untilMs: null,
    lacks: [],
    atMs: 0,
  });

  it('that does not work is one event until it works again', async () => {
    const { hookAlarm, raised, pass } = stand();
    for (const health of ['disabled', 'missing', 'hidden', 'working', 'partial', 'unfit'] as const) {
      await hookAlarm('main', report(health));
      pass(1_000);
    }
    const project = { forge: 'main', projectId: 42 };
    expect(raised).toEqual([
      { kind: 'webhook_dead', atMs: 1_000_000, project, health: 'disabled', sinceMs: 1_000_000 },
      { kind: 'webhook_dead', atMs: 1_001_000, project, health: 'missing', sinceMs: 1_000_000 },
      { kind: 'webhook_dead', atMs: 1_004_000, project, health: 'partial', sinceMs: 1_004_000 },
      { kind: 'webhook_dead', atMs: 1_005_000, project, health: 'unfit', sinceMs: 1_004_000 },
    ]);
  });

  it('whose event cannot be stored is told with the next look', async () => {
    const { hookAlarm, breakStore } = stand();
    breakStore();
    await expect(hookAlarm('main', report('disabled'))).rejects.toThrow('Redis is away');
  });
});
