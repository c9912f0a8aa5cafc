/** What the sweep keeps of each forge between its executions. */
import type { Redis } from 'ioredis';
import { describe, expect, it } from 'vitest';
import { createKeys } from '../../../shared/store/keys.ts';
import { createHookReports, HookHealth, type HookReport, isAmiss } from '../../../shared/store/sweep/sweep-hooks.ts';
import { EMPTY_MEMORY, ProjectMemory } from '../../../shared/store/sweep/sweep-memory.ts';
import { createKnownProjects, type KnownProject } from '../../../shared/store/sweep/sweep-projects.ts';
import { createSweepProgress, type SweepProgress } from '../../../shared/store/sweep/sweep-progress.ts';
import { useRedis } from '../../support/use-redis.ts';

let redis: Redis;
useRedis((connection) => {
  redis = connection;
});

const keys = createKeys('x');
const daysLeft = async (key: string): Promise<number> => Math.ceil((await redis.ttl(key)) / (24 * 3_600));

describe('the progress of a sweep', () => {
  const progress: SweepProgress = { v: 1, jobId: 'j', startedAtMs: 1, resumeAtMs: 2, aliveUntilMs: 3 };
  const projects = [
    { id: 5, path: 'a/b' },
    { id: null, path: 'c/d' },
  ];

  it('is read as it was saved until it is cleared, for a week, for each forge by itself', async () => {
    const sweeps = createSweepProgress(redis, keys);
    expect(await sweeps.load('sim')).toBeNull();
    await sweeps.save('sim', progress);
    expect([await sweeps.load('sim'), await sweeps.load('other')]).toEqual([progress, null]);
    expect(await daysLeft(keys.ofForge('sim', 'sweep-progress'))).toBe(7);
    await sweeps.clear('sim');
    expect(await sweeps.load('sim')).toBeNull();
  });

  it('of another version is as none', async () => {
    await redis.set(keys.ofForge('sim', 'sweep-progress'), JSON.stringify({ ...progress, v: 2 }));
    expect(await createSweepProgress(redis, keys).load('sim')).toBeNull();
  });

  it('takes the projects one by one, in their order', async () => {
    const sweeps = createSweepProgress(redis, keys);
    await sweeps.replacePending('sim', [{ id: 1, path: 'old' }]);
    await sweeps.replacePending('sim', projects);
    expect(await sweeps.pending('sim')).toEqual(projects);
    expect(await daysLeft(keys.ofForge('sim', 'sweep-pending'))).toBe(7);
    for (const project of projects) {
      expect(await sweeps.nextPending('sim')).toEqual(project);
      await sweeps.dropNext('sim');
    }
    expect([await sweeps.nextPending('sim'), await sweeps.pending('sim')]).toEqual([null, []]);
  });

  it('keeps the projects that wait when somebody else takes over, and steps over what it cannot read', async () => {
    const sweeps = createSweepProgress(redis, keys);
    await sweeps.replacePending('sim', projects);
    await redis.rpush(keys.ofForge('sim', 'sweep-pending'), '{"id":0}');
    await sweeps.clear('sim');
    expect(await sweeps.pending('sim')).toEqual(projects);
  });
});

describe('the reports about webhooks', () => {
  const report: HookReport = {
    v: 1,
    projectId: 5,
    path: 'a/b',
    health: 'partial',
    untilMs: null,
    lacks: ['note'],
    atMs: 1,
  };

  it('are one for each project of a forge, the newest', async () => {
    const reports = createHookReports(redis, keys);
    expect([await reports.load('sim', 5), await reports.all('sim')]).toEqual([null, []]);
    await reports.save('sim', report);
    await reports.save('sim', { ...report, health: 'working' });
    await reports.save('sim', { ...report, projectId: 6 });
    expect(await reports.load('sim', 5)).toEqual({ ...report, health: 'working' });
    expect(new Set((await reports.all('sim')).map(({ projectId }) => projectId))).toEqual(new Set([5, 6]));
    expect(await reports.all('other')).toEqual([]);
  });

  it('of another version are as none', async () => {
    await redis.hset(keys.ofForge('sim', 'hooks'), '5', JSON.stringify({ ...report, v: 2 }));
    const reports = createHookReports(redis, keys);
    expect([await reports.load('sim', 5), await reports.all('sim')]).toEqual([null, []]);
  });

  it('are amiss unless the hook works or nobody may ask', () => {
    const amiss = HookHealth.options.filter((health) => isAmiss({ health }));
    expect(amiss).toEqual(['partial', 'unfit', 'disabled', 'missing']);
  });
});

describe('the projects behind the configured paths', () => {
  const project: KnownProject = { id: 5, foundAtMs: 1, activeAtMs: 0 };

  it('are known by their path in any case until they are forgotten, for each forge by itself', async () => {
    const known = createKnownProjects(redis, keys);
    expect(await known.all('sim')).toEqual(new Map());
    await known.save('sim', 'A/b', project);
    await known.save('sim', 'a/B', { ...project, activeAtMs: 9 });
    await known.save('sim', 'c/d', { ...project, id: 6 });
    const both = new Map([
      ['a/b', { ...project, activeAtMs: 9 }],
      ['c/d', { ...project, id: 6 }],
    ]);
    expect([await known.all('sim'), await known.all('other')]).toEqual([both, new Map()]);
    await known.forget('sim', 'C/D');
    expect([...(await known.all('sim')).keys()]).toEqual(['a/b']);
  });

  it('are looked up again when another version stored them', async () => {
    await redis.hset(keys.ofForge('sim', 'project-ids'), 'a/b', JSON.stringify({ id: 5 }));
    expect(await createKnownProjects(redis, keys).all('sim')).toEqual(new Map());
  });
});

describe('the memory of a project', () => {
  it('begins with nothing', () => {
    expect(ProjectMemory.parse(EMPTY_MEMORY)).toEqual({ v: 1, tag: null, nextPage: null, open: [] });
  });

  it('takes what a list and a look have told', () => {
    const [head, tip] = ['a'.repeat(40), 'b'.repeat(40)];
    const look = { head, target: 'main', mergeBase: null, updatedAtMs: 1, atMs: 2, sinceMs: 3 };
    const compared = { tip, sinceMs: 1, atMs: 2 };
    const seen = { number: 7, head, target: 'main', mergeBase: tip, compared, updatedAtMs: 1, seenAtMs: 2, look };
    const memory = { ...EMPTY_MEMORY, tag: 't', nextPage: 2, open: [seen] };
    expect(ProjectMemory.parse(memory)).toEqual(memory);
    expect(ProjectMemory.safeParse({ ...memory, open: [{ ...seen, head: '--x' }] }).success).toBe(false);
    expect(ProjectMemory.safeParse({ ...memory, nextPage: 0 }).success).toBe(false);
  });
});
