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
