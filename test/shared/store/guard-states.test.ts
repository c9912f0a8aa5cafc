import type { Redis } from 'ioredis';
import { describe, expect, it } from 'vitest';
import { emptyState, type GuardState } from '../../../shared/rounds/model/state.ts';
import { isCurrentRun } from '../../../shared/store/current-run.ts';
import { createDecisions, type DecisionRecord } from '../../../shared/store/decisions.ts';
import { createGuardStates } from '../../../shared/store/guard-states.ts';
import { createIdentities } from '../../../shared/store/identities.ts';
import { createKeys } from '../../../shared/store/keys.ts';
import { acquireLease, type Lease } from '../../../shared/store/lease.ts';
import { RunId } from '../../../shared/vocabulary/ids.ts';
import { useRedis } from '../../support/use-redis.ts';

let redis: Redis;
useRedis((connection) => {
  redis = connection;
});

const keys = createKeys('x');
const of = { forge: 'sim', projectId: 5, number: 7 };
const stateKey = keys.ofChangeRequest(of, 'state');

const lease = async (): Promise<Lease> => {
  const taken = await acquireLease(redis, {
    key: keys.ofChangeRequest(of, 'lock'),
    fenceKey: keys.ofChangeRequest(of, 'fence'),
    ttlMs: 5_000,
    nonce: 'a',
  });
  if (taken === null) throw new Error('nobody else has it');
  return taken;
};

describe('the state of a change request', () => {
  it('is read as it was saved, for a month', async () => {
    const states = createGuardStates(redis, keys);
    const state = { ...emptyState(), reviewsDone: 2 };
    await states.save(of, state, await lease());
    expect(await states.load(of)).toEqual(state);
    expect(await states.load({ ...of, number: 8 })).toBeNull();
    expect(Math.ceil((await redis.ttl(stateKey)) / (24 * 3_600))).toBe(30);
  });

  it('is not saved without the lease', async () => {
    const states = createGuardStates(redis, keys);
    await states.save(of, emptyState(), await lease());
    const late = { key: keys.ofChangeRequest(of, 'lock'), token: '0:b', fence: 0 };
    await expect(states.save(of, { ...emptyState(), reviewsDone: 9 }, late)).rejects.toMatchObject({
      code: 'LEASE_LOST',
    });
    expect(await states.load(of)).toEqual(emptyState());
  });

  it('is saved with the decisions that led to it, or without the lease neither', async () => {
    const [states, decisions] = [createGuardStates(redis, keys), createDecisions(redis, keys)];
    const decided = (count: number): DecisionRecord[] =>
      Array.from({ length: count }, (_, index) => ({ atMs: index, effect: 'e', reason: 'r', head: null, events: [] }));
    const held = await lease();
    await states.save(of, emptyState(), held, decided(1));
    await states.save(of, emptyState(), held);
    await states.save(of, emptyState(), held, decided(2));
    expect(await decisions.list(of)).toEqual([...decided(1), ...decided(2)]);
    expect(Math.ceil((await redis.ttl(keys.ofChangeRequest(of, 'decisions'))) / (24 * 3_600))).toBe(30);
    await expect(states.save(of, emptyState(), { ...held, token: '0:b' }, decided(1))).rejects.toMatchObject({
      code: 'LEASE_LOST',
    });
    await states.save(of, emptyState(), held, decided(499));
    expect((await decisions.load(of)).olderGone).toBe(true);
    expect(await decisions.list(of)).toEqual([...decided(2).slice(1), ...decided(499)]);
  });

  it('of another version is as none', async () => {
    await redis.set(stateKey, JSON.stringify({ ...emptyState(), v: 99 }));
    expect(await createGuardStates(redis, keys).load(of)).toBeNull();
  });
});

describe('isCurrentRun', () => {
  const [runId, other] = [RunId.parse('0123456789abcdef0123'), RunId.parse('fedcba98765432100123')];
  // A run has more fields; only its id is read here.
  const running = (id: RunId): GuardState => ({ ...emptyState(), running: { runId: id } as GuardState['running'] });

  it.each([
    ['nothing is known', null, true],
    ['guard waits for the run', running(runId), true],
    ['guard waits for another run', running(other), false],
    ['guard waits for no run', emptyState(), false],
  ])('when %s', async (_name, state, is) => {
    expect(await isCurrentRun({ load: async () => state }, of, runId)).toBe(is);
  });
});

describe('the identity of the bot', () => {
  it('is unknown until it is published, for each forge by itself', async () => {
    const identities = createIdentities(redis, keys);
    expect(await identities.load('sim')).toBeNull();
    await identities.publish('sim', { id: 3, login: 'bot' });
    expect(await identities.load('sim')).toEqual({ id: 3, login: 'bot' });
    expect(await identities.load('other')).toBeNull();
  });

  it('is remembered after Redis was wiped, and renewed when it changes', async () => {
    const identities = createIdentities(redis, keys);
    await identities.publish('sim', { id: 3, login: 'bot' });
    await identities.load('sim');
    await redis.flushall();
    expect(await identities.load('sim')).toEqual({ id: 3, login: 'bot' });
    await identities.publish('sim', { id: 4, login: 'robot' });
    expect(await identities.load('sim')).toEqual({ id: 4, login: 'robot' });
  });
});
