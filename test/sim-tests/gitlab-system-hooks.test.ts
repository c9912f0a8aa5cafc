/** GL app/models/hooks/system_hook.rb, app/services/system_hooks_service.rb. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openScene, project, type Scene } from './gitlab-support.ts';
import { payloadOf, type Receiver, startReceiver } from './receiver.ts';

let scene: Scene;
let receiver: Receiver;
beforeEach(async () => {
  receiver = await startReceiver();
  scene = await openScene();
});
afterEach(async () => {
  await scene.end();
  await receiver.close();
});

const at = { project, iid: 1 };
const payloads = () => scene.sim.deliveries.map(({ body }) => payloadOf({ headers: {}, body }));

describe('system hooks', () => {
  const named = () =>
    payloads().map((payload, index) => [
      scene.sim.deliveries[index]?.event,
      payload['object_kind'] ?? payload['event_name'],
    ]);

  it('send the events of every project under one name, with the body of the project hook', async () => {
    scene.sim.addProjectHook({ project, url: receiver.url, events: ['push_events', 'merge_requests_events'] });
    scene.sim.addSystemHook({ url: receiver.url, events: ['push_events', 'merge_requests_events'] });
    const files = { b: 'b' };
    await scene.sim.commitFiles({ project, branch: 'feature', files, message: 'more', author: 'author' });
    await scene.sim.settled();
    expect(named()).toEqual([
      ['Push Hook', 'push'],
      ['System Hook', 'push'],
      ['Merge Request Hook', 'merge_request'],
      ['System Hook', 'merge_request'],
    ]);
    const bodies = scene.sim.deliveries.map(({ body }) => body);
    expect([bodies[1], bodies[3]]).toEqual([bodies[0], bodies[2]]);
    expect(new Set(scene.sim.deliveries.map(({ uuid }) => uuid)).size).toBe(4);
  });

  it('tell of updated repositories when nothing else is asked for, once for a push of any number of branches', async () => {
    scene.sim.addSystemHook({ url: receiver.url });
    const moves = ['one', 'two', 'three', 'four'].map((branch) => ({ branch, to: 'main' }));
    await scene.sim.moveBranches({ project, moves, as: 'author' });
    await scene.sim.settled();
    expect(named()).toEqual([['System Hook', 'repository_update']]);
    expect(payloads()[0]).toMatchObject({ refs: moves.map(({ branch }) => `refs/heads/${branch}`) });
  });

  it('have no comments, reactions or pipelines, and are never disabled', async () => {
    scene.sim.addSystemHook({ url: receiver.url, events: ['push_events', 'merge_requests_events'] });
    scene.sim.setAutoDisable(true);
    receiver.answer = 500;
    const note = (await scene.sim.comment({ ...at, as: 'author', body: 'hello' })) ?? 0;
    await scene.sim.award({ ...at, as: 'author', name: 'eyes', note });
    expect(scene.sim.deliveries).toEqual([]);
    for (let count = 0; count < 5; count += 1) {
      await scene.sim.editMergeRequest({ ...at, as: 'author', title: `Title ${count}` });
      await scene.sim.settled();
    }
    expect(receiver.received).toHaveLength(5);
  });
});
