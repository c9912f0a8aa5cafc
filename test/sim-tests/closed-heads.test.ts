/** Heads of closed and reopened pull requests, as seen on a real Forgejo 16 and Gitea 1.27. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { Flavour } from '../sim/forgejo/traits.ts';
import { payloadOf, type Receiver, startReceiver } from './receiver.ts';
import { openScene, repo, type Scene } from './support.ts';

const at = { repo, number: 1 };
const Pull = z.object({ state: z.string(), head: z.object({ ref: z.string(), sha: z.string() }) });

describe.each<Flavour>(['forgejo-15', 'forgejo-16', 'gitea-1.26', 'gitea-1.27'])('a head on %s', (flavour) => {
  let scene: Scene;
  let receiver: Receiver;
  beforeEach(async () => {
    scene = await openScene({ flavour });
    receiver = await startReceiver();
    scene.sim.addWebhook({ repo, url: receiver.url });
  });
  afterEach(async () => {
    await scene.end();
    await receiver.close();
  });

  const read = async () => Pull.parse((await scene.api(scene.bot, 'GET', `/repos/${repo}/pulls/1`)).json);
  const push = (content: string): Promise<string> =>
    scene.sim.commitFiles({ repo, branch: 'feature', files: { 'a.txt': content }, message: 'more', author: 'author' });
  const events = async (): Promise<readonly unknown[]> => {
    await scene.sim.settled();
    const ofPull = receiver.received.filter(({ headers }) => headers['x-gitea-event'] === 'pull_request');
    return ofPull.map((delivery) => payloadOf(delivery)['action']);
  };

  it('F-R1: follows the branch while closed, tells no hook, and leaves refs/pull/N/head where it was, also reopened', async () => {
    const before = (await read()).head.sha;
    scene.sim.setState({ ...at, as: 'author' }, 'closed');
    const after = await push('pushed while closed\n');
    expect(await read()).toEqual({ state: 'closed', head: { ref: 'feature', sha: after } });
    expect(scene.sim.pullAt(at).refSha).toBe(before);
    scene.sim.setState({ ...at, as: 'author' }, 'open');
    expect(await read()).toEqual({ state: 'open', head: { ref: 'feature', sha: after } });
    expect(scene.sim.pullAt(at).refSha).toBe(before);
    expect(await events()).toEqual(['closed', 'reopened']);
  });

  it('F-R1: has its ref moved by the next push once it is open again', async () => {
    scene.sim.setState({ ...at, as: 'author' }, 'closed');
    await push('pushed while closed\n');
    scene.sim.setState({ ...at, as: 'author' }, 'open');
    const next = await push('pushed while open\n');
    expect((await read()).head.sha).toBe(next);
    expect(scene.sim.pullAt(at).refSha).toBe(next);
    expect(await events()).toEqual(['closed', 'reopened', 'synchronized']);
  });

  it('F-R1: comes back with its branch', async () => {
    const { sha } = (await read()).head;
    await scene.sim.moveBranch({ repo, branch: 'feature', to: null, as: 'author' });
    expect(await read()).toEqual({ state: 'closed', head: { ref: 'refs/pull/1/head', sha } });
    await scene.sim.moveBranch({ repo, branch: 'feature', to: sha, as: 'author' });
    expect(await read()).toEqual({ state: 'closed', head: { ref: 'feature', sha } });
  });
});
