import { describe, expect, it } from 'vitest';
import { isIgnoredBot, type OtherBots } from '../../../shared/forge/other-bots.ts';
import { signal } from './conformance-bench.ts';
import { useGitlab } from './gitlab-bench.ts';

describe('GitLab', () => {
  const bench = useGitlab();
  const isBot = async (id: number) => bench.world.forge.botMarks?.isMarkedBot(id, signal);

  it('marks the account behind a token of a project or group, and no person', async () => {
    const { sim, project } = bench.world;
    const ofProject = sim.createProjectAccessToken(project, { level: 30 });
    sim.createGroup('robots');
    const ofGroup = sim.createGroupAccessToken('robots');
    const person = sim.createUser({ login: 'renovate-bot' });
    expect(await Promise.all([ofProject, ofGroup, person].map(({ id }) => isBot(id)))).toEqual([true, true, false]);
  });

  it('marks nobody whom it does not show', async () => {
    const gone = bench.world.sim.createUser({ login: 'gone' });
    bench.world.sim.removeUser('gone');
    bench.fault({ path: '/users/4711' }, { kind: 'status', status: 403 });
    expect([await isBot(gone.id), await isBot(4711)]).toEqual([false, false]);
  });

  it('GL8: is asked once about each account, and stays within the limit of that request', async () => {
    const { sim } = bench.world;
    const people = Array.from({ length: 100 }, (_, index) => sim.createUser({ login: `talker-${index}` }).id);
    const robot = sim.createProjectAccessToken(bench.world.project).id;
    for (let wake = 1; wake <= 4; wake += 1) {
      for (const id of people) expect(await isBot(id)).toBe(false);
      expect(await isBot(robot)).toBe(true);
    }
    expect(bench.requests().filter(({ path }) => path.includes('/users/'))).toHaveLength(101);
  });

  it('GL8: that limits the requests is believed about how long to wait', async () => {
    const { sim } = bench.world;
    const ids = Array.from({ length: 301 }, (_, index) => sim.createUser({ login: `visitor-${index}` }).id);
    const asking = async () => {
      for (const id of ids) await isBot(id);
    };
    await expect(asking()).rejects.toMatchObject({
      code: 'FORGE_RATE_LIMITED',
      disposition: { kind: 'retry_after', delayMs: 600_000 },
    });
    bench.world.tick(600_000);
  });

  it('GL8: is asked again about an account that it did not show', async () => {
    const { id } = bench.world.sim.createUser({ login: 'shy' });
    bench.fault({ path: `/users/${id}` }, { kind: 'status', status: 404 });
    expect([await isBot(id), await isBot(id)]).toEqual([false, false]);
    expect(bench.requests().filter(({ path }) => path.endsWith(`/users/${id}`))).toHaveLength(2);
  });

  it('is asked again rather than believed when it fails', async () => {
    bench.fault({ path: '/users/4712', times: 50 }, { kind: 'status', status: 500 });
    await expect(isBot(4712)).rejects.toMatchObject({ code: 'FORGE_UNAVAILABLE' });
  });
});

describe('whether an account is a bot that may not command', () => {
  const asked: number[] = [];
  const marks = { isMarkedBot: async (id: number) => asked.push(id) > 0 && id > 10 };
  const bots: OtherBots = { ignored: new Set([1]), allowed: new Set([2, 12]), marks };

  it.each([
    ['one that the operator named', 1, true, []],
    ['one that the operator allows', 2, false, []],
    ['one that the operator allows and the forge marks', 12, false, []],
    ['one that only the forge marks', 11, true, [11]],
    ['a person', 3, false, [3]],
  ])('is known of %s', async (_name, id, expected, questions) => {
    asked.length = 0;
    expect({ bot: await isIgnoredBot(bots, id, signal), asked }).toEqual({ bot: expected, asked: questions });
  });

  it('is the operator’s word alone where the forge marks nobody', async () => {
    const silent = { ...bots, marks: null };
    expect([await isIgnoredBot(silent, 1, signal), await isIgnoredBot(silent, 11, signal)]).toEqual([true, false]);
  });
});
