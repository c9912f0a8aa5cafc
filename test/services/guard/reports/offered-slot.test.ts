/** What becomes of a free slot of a project that is offered to a change request, on a real Redis. */
import type { Redis } from 'ioredis';
import { describe, expect, test } from 'vitest';
import type { GuardDeps } from '../../../../services/guard/deps.ts';
import { releaseSlot } from '../../../../services/guard/wake.ts';
import { AnalyzerSettings, isFromCi } from '../../../../shared/config/analyzer-settings.ts';
import type { GuardState } from '../../../../shared/rounds/model/state.ts';
import { useRedis } from '../../../support/use-redis.ts';
import * as make from '../../../shared/rounds/builders.ts';
import { JOB } from '../model-forge.ts';
import { createPassStage, HEAD, OF, type Wish } from '../pass-stage.ts';

let redis: Redis;
useRedis((connection) => {
  redis = connection;
});

describe('a free slot that was offered', () => {
  const FULL = { ...OF, number: OF.number + 1 };
  const NEXT = { ...OF, number: OF.number + 2 };
  const ANALYZERS = AnalyzerSettings.parse([
    { name: 'sast', from: 'ci-artifact', job: JOB, artifact: 'report.sarif' },
  ]).filter(isFromCi);

  const RESTARTED = { name: JOB, id: 1, projectId: 1, createdAtMs: make.NOW, mergedWith: null };

  /** The change request waits first, and is offered the slot that the other one frees. */
  const offered = async (wish: Wish = {}) => {
    const made = await createPassStage(redis, wish);
    const { deps } = made;
    expect(await deps.slots.acquire(FULL, 1, 1)).toBe(true);
    expect(await deps.slots.acquire(OF, 1, 2)).toBe(false);
    expect(await deps.slots.acquire(NEXT, 1, 3)).toBe(false);
    await releaseSlot(deps, FULL);
    return made;
  };
  const wokenNext = async ({ inbox }: GuardDeps) => (await inbox.read(NEXT)).events.map(({ source }) => source);
  const waiting = async (deps: GuardDeps) =>
    redis.zrange(deps.keys.ofProject(OF.forge, OF.projectId, 'waiting'), '0', '-1');
  const WANTED = make.state({ wanted: make.at(HEAD), firstSeen: { head: HEAD, atMs: make.NOW } });

  test('is taken, and nobody else is woken', async () => {
    const { attend, deps, keep } = await offered();
    await keep(WANTED);
    await attend();
    expect(await deps.slots.running(OF.forge, OF.projectId)).toEqual([OF.number]);
    expect([await wokenNext(deps), await waiting(deps)]).toEqual([[], [`${NEXT.number}`]]);
  });

  test.each<[what: string, wish: Wish, state: GuardState]>([
    ['by a change request that was closed', { facts: { state: 'closed' } }, WANTED],
    ['by a change request without a head to review', {}, make.state({ reviewed: [make.at(HEAD)] })],
    ['by a review that now waits for a report of CI', { deps: { ciAnalyzers: ANALYZERS }, job: 'running' }, WANTED],
  ])('and is not taken %s is offered to the next one', async (_, wish, state) => {
    const { attend, deps, keep } = await offered(wish);
    await keep(state);
    await attend();
    expect(await deps.slots.running(OF.forge, OF.projectId)).toEqual([]);
    expect([await wokenNext(deps), await waiting(deps)]).toEqual([['wake'], [`${NEXT.number}`]]);
  });

  test('is given back by a review whose job starts again in the moment in which it gets the slot', async () => {
    const states = ['passed', 'open'] as const;
    let looks = 0;
    const jobNow = () => ({ ...RESTARTED, state: states[looks++] ?? 'open' });
    const ciReports = {
      fetchCiJobs: async () => ({ jobs: [jobNow()], hidden: false }),
      fetchArtifact: async () => ({ kind: 'absent' }) as const,
    };
    const { attend, deps, keep } = await offered({ deps: { ciAnalyzers: ANALYZERS }, forge: { ciReports } });
    await keep(WANTED);
    await attend();
    expect(await deps.slots.running(OF.forge, OF.projectId)).toEqual([]);
    expect(looks).toBe(2);
    expect(await deps.states.load(OF)).toMatchObject({ slotHeld: false, running: null, wanted: { head: HEAD } });
    expect(await wokenNext(deps)).toEqual(['wake']);
  });

  test('and was taken by somebody else in the meantime is waited for', async () => {
    const { attend, deps, keep } = await offered();
    await keep(WANTED);
    expect(await deps.slots.acquire({ ...OF, number: 99 }, 1, 5)).toBe(true);
    await attend();
    expect([await wokenNext(deps), (await waiting(deps)).toSorted()]).toEqual([
      [],
      [`${OF.number}`, `${NEXT.number}`].toSorted(),
    ]);
  });

  test('is offered again if guard ends before it has woken the next one', async () => {
    let ends = true;
    const { attend, deps, keep } = await offered({ facts: { state: 'closed' } });
    await keep(WANTED);
    const doomed: GuardDeps = {
      ...deps,
      inbox: {
        ...deps.inbox,
        notify: async (of, ...asked) => {
          if (ends && of.number === NEXT.number) throw new Error('killed');
          return deps.inbox.notify(of, ...asked);
        },
      },
    };
    await expect(attend(undefined, doomed)).rejects.toThrow('killed');
    ends = false;
    await attend(undefined, doomed);
    expect([await wokenNext(deps), await waiting(deps)]).toEqual([['wake'], [`${NEXT.number}`]]);
  });
});
