/** Pull requests whose target branch is deleted, as seen on a real Forgejo 16 and Gitea 1.27. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { Flavour } from '../sim/forgejo/traits.ts';
import { payloadOf, type Receiver, startReceiver } from './receiver.ts';
import { openScene, repo, type Scene } from './support.ts';

const Pull = z.object({
  number: z.number(),
  state: z.string(),
  base: z.object({ ref: z.string(), sha: z.string() }),
  merge_base: z.string(),
});

describe.each<Flavour>(['forgejo-15', 'forgejo-16', 'gitea-1.26', 'gitea-1.27'])('on %s', (flavour) => {
  const isGitea = flavour.startsWith('gitea');
  let scene: Scene;
  let receiver: Receiver;
  let tip: string;
  let old: string;
  beforeEach(async () => {
    scene = await openScene({ flavour });
    receiver = await startReceiver();
    const author = 'author';
    tip = Pull.parse((await scene.api(scene.bot, 'GET', `/repos/${repo}/pulls/1`)).json).base.sha;
    await scene.sim.moveBranch({ repo, branch: 'release', to: tip, as: author });
    old = await scene.sim.commitFiles({ repo, branch: 'release', files: { r: 'r\n' }, message: 'r', author });
    await scene.sim.moveBranch({ repo, branch: 'work', to: old, as: author });
    await scene.sim.commitFiles({ repo, branch: 'work', files: { w: 'w\n' }, message: 'w', author });
    await scene.sim.openPullRequest({ repo, head: 'work', base: 'release', title: 'w', author });
    scene.sim.addWebhook({ repo, url: receiver.url });
  });
  afterEach(async () => {
    await scene.end();
    await receiver.close();
  });

  const drop = (): Promise<void> => scene.sim.moveBranch({ repo, branch: 'release', to: null, as: 'author' });
  const read = async () => Pull.parse((await scene.api(scene.bot, 'GET', `/repos/${repo}/pulls/2`)).json);
  const listed = async () => {
    const all = z.array(Pull).parse((await scene.api(scene.bot, 'GET', `/repos/${repo}/pulls?state=all`)).json);
    return all.find(({ number }) => number === 2);
  };
  const actions = async (): Promise<readonly unknown[]> => {
    await scene.sim.settled();
    const ofPull = receiver.received.filter(({ headers }) => headers['x-gitea-event'] === 'pull_request');
    return ofPull.map((delivery) => payloadOf(delivery)['action']);
  };

  it('they are closed by Forgejo, and get the default branch as their target on Gitea, which no webhook tells', async () => {
    await drop();
    const { number, ...now } = await read();
    expect([number, now]).toEqual([
      2,
      isGitea
        ? { state: 'open', base: { ref: 'main', sha: tip }, merge_base: tip }
        : { state: 'closed', base: { ref: 'release', sha: '' }, merge_base: old },
    ]);
    expect(await actions()).toEqual(isGitea ? [] : ['closed']);
  });

  it('they stay open on Gitea where the default branch has such a pull request; only the list still knows the tip', async () => {
    await scene.sim.openPullRequest({ repo, head: 'work', base: 'main', title: 'again', author: 'author' });
    await drop();
    expect(await read()).toMatchObject({ state: isGitea ? 'open' : 'closed', base: { ref: 'release', sha: '' } });
    expect(await listed()).toMatchObject({ base: { ref: 'release', sha: isGitea ? old : '' } });
  });
});
