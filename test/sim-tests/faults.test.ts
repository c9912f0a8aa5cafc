import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openScene, repo, type Scene } from './support.ts';

const path = '/repos/acme/shop/issues/1/comments';

let scene: Scene;
beforeEach(async () => {
  scene = await openScene();
});
afterEach(() => scene.end());

const post = (body = 'x') => scene.api(scene.bot, 'POST', path, { body });
const written = () => scene.sim.snapshot(repo, 1).comments.length;
const outcome = (attempt: Promise<unknown>) =>
  attempt.then(
    () => 'answered',
    () => 'broken',
  );

describe('faults on purpose', () => {
  it('answer a status in place of the effect, with its headers', async () => {
    scene.sim.fault({ method: 'POST', path }, { kind: 'status', status: 429, headers: { 'retry-after': '2' } });
    const answer = await post();
    expect([answer.status, answer.headers.get('retry-after'), written()]).toEqual([429, '2', 0]);
    expect([(await post()).status, written()]).toEqual([201, 1]);
  });

  it.each([
    ['status', 'before', 0],
    ['status', 'after', 1],
    ['reset', 'before', 0],
    ['reset', 'after', 1],
  ] as const)('%s %s the effect leaves %i comments', async (kind, when, count) => {
    scene.sim.fault({ method: 'POST' }, kind === 'status' ? { kind, status: 502, when } : { kind, when });
    expect(await outcome(post())).toBe(kind === 'status' ? 'answered' : 'broken');
    expect(written()).toBe(count);
  });

  it('never answer, with the effect done', async () => {
    scene.sim.fault({ method: 'POST' }, { kind: 'timeout', when: 'after' });
    const control = new AbortController();
    const attempt = fetch(`${scene.sim.url}/api/v1${path}`, {
      method: 'POST',
      headers: { authorization: `token ${scene.bot.token}` },
      body: '{"body":"x"}',
      signal: control.signal,
    });
    await scene.sim.until(() => scene.sim.effects.some((effect) => effect.kind === 'comment.create'));
    control.abort();
    expect([await outcome(attempt), written(), scene.sim.requests.at(-1)?.status]).toEqual(['broken', 1, 0]);
  });

  it('cut an answer in half', async () => {
    scene.sim.fault({ method: 'GET', path }, { kind: 'truncate' });
    await post();
    expect(await outcome(scene.api(scene.bot, 'GET', path))).toBe('broken');
    expect(await outcome(scene.api(scene.bot, 'GET', path))).toBe('answered');
  });

  it('do something in between', async () => {
    const before = scene.sim.pullAt({ repo, number: 1 }).headSha;
    const push = { repo, branch: 'feature', files: { b: 'x' }, message: 'b', author: 'author' };
    scene.sim.fault(
      { path: '/pulls/1' },
      { kind: 'meanwhile', task: () => scene.sim.commitFiles(push), when: 'after' },
    );
    const answer = await scene.api(scene.bot, 'GET', '/repos/acme/shop/pulls/1');
    expect(answer.json).toMatchObject({ head: { sha: before } });
    expect(scene.sim.pullAt({ repo, number: 1 }).headSha).not.toBe(before);
  });

  it('follow their script as often as asked, and only for what they match', async () => {
    const script = [{ kind: 'status', status: 500 }, { kind: 'pass' }] as const;
    const fault = scene.sim.fault({ user: 'fixpoint', body: /:"y"/, times: 2 }, script);
    const statuses = [];
    for (const body of ['x', 'y', 'y', 'y', 'y', 'y']) statuses.push((await post(body)).status);
    expect(statuses).toEqual([201, 500, 201, 500, 201, 201]);
    expect([fault.remaining(), (await scene.api(scene.author, 'POST', path, { body: 'y' })).status]).toEqual([0, 201]);
  });
});

describe('the logs', () => {
  it('tell who asked for what and what came of it', async () => {
    await post('first\n/merge');
    const [request] = scene.sim.requests.slice(-1);
    expect(request).toMatchObject({ method: 'POST', path: `/api/v1${path}`, user: 'fixpoint', status: 201 });
    const [effect] = scene.sim.effects.slice(-1);
    expect(effect).toMatchObject({ actor: 'fixpoint', kind: 'comment.create', repo, number: 1 });
    expect(scene.sim.quickActions).toEqual([{ actor: 'fixpoint', where: `${repo}#1`, line: '/merge' }]);
  });

  it('let a test wait for something, but not for ever', async () => {
    await expect(scene.sim.until(() => false, 20)).rejects.toThrow(/did not hold/);
  });

  it('are the same for two runs of the same story', async () => {
    const other = await openScene();
    const story = async ({ sim, api, bot }: Scene) => {
      await sim.review({
        repo,
        number: 1,
        as: 'fixpoint',
        event: 'COMMENT',
        body: 'x',
        comments: [{ path: 'a.txt', line: 4, body: 'y' }],
      });
      await api(bot, 'POST', path, { body: 'z' });
      return [sim.effects, sim.snapshot(repo, 1)];
    };
    const [first, second] = [await story(scene), await story(other)];
    await other.end();
    expect(first).toEqual(second);
  });
});
