/** GL app/services/web_hook_service.rb, app/models/concerns/web_hooks/auto_disabling.rb; forges.md 2. */
import { createHmac } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { verifyGitlab } from '../../shared/forge/gitlab/webhooks/verify-gitlab.ts';
import { startGitlabSim } from '../sim/gitlab/start.ts';
import { mrPath, openScene, postThread, project, rowOf, type Scene } from './gitlab-support.ts';
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

/** No clock injected: what waits does so for real. */
const startInRealTime = async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'fixpoint-gitlab-'));
  const sim = await startGitlabSim({ dataDir });
  sim.createUser({ login: 'owner' });
  await sim.createProject('owner/shop');
  const dispose = async () => {
    await sim.close();
    await rm(dataDir, { recursive: true, force: true });
  };
  return { sim, dispose };
};

const at = { project, iid: 1 };
const secret = ['a', 'shared', 'word'].join('-');
const key = Buffer.alloc(32, 7);
const signingToken = `whsec_${key.toString('base64')}`;
const hook = (more: object = {}) => scene.sim.addProjectHook({ project, url: receiver.url, token: secret, ...more });
const say = (body = 'hello') => scene.sim.comment({ ...at, as: 'author', body });
const push = (message = 'more', files: Record<string, string> = { b: message }) =>
  scene.sim.commitFiles({ project, branch: 'feature', files, message, author: 'author' });
const payloads = () => scene.sim.deliveries.map((delivery) => payloadOf({ headers: {}, body: delivery.body }));
const attributes = () =>
  payloads().map((payload) => z.record(z.string(), z.unknown()).parse(payload['object_attributes'] ?? {}));
const headersAt = (index: number) => receiver.received[index]?.headers ?? {};

describe('the headers of a delivery (forges.md 2.1)', () => {
  it('name event, instance and program, and carry the secret in clear', async () => {
    hook();
    await say();
    await scene.sim.settled();
    expect(headersAt(0)).toMatchObject({
      'x-gitlab-event': 'Note Hook',
      'x-gitlab-token': secret,
      'x-gitlab-instance': scene.sim.url,
      'user-agent': 'GitLab/18.9.0-ee',
      'content-type': 'application/json',
      'idempotency-key': scene.sim.deliveries[0]?.uuid,
    });
    expect(Object.keys(headersAt(0))).not.toContain('webhook-signature');
  });

  it('have no token at all without a secret, and none of its line breaks with one', async () => {
    hook({ token: '' });
    await say();
    await scene.sim.settled();
    hook({ token: 'a\r\nb' });
    scene.sim.setDeliveryFilter((delivery) => (delivery.hookId === 1 ? 'drop' : 'send'));
    await say();
    await scene.sim.settled();
    expect(receiver.received.map(({ headers }) => headers['x-gitlab-token'])).toEqual([undefined, 'ab']);
  });

  it('keep the idempotency key when a delivery is sent again, and never the request UUID', async () => {
    hook();
    await say();
    await scene.sim.settled();
    scene.sim.replay(scene.sim.deliveries[0]?.uuid ?? '');
    await scene.sim.settled();
    const [first, second] = [headersAt(0), headersAt(1)];
    expect(second['idempotency-key']).toBe(first['idempotency-key']);
    expect(second['x-gitlab-webhook-uuid']).not.toBe(first['x-gitlab-webhook-uuid']);
    expect(receiver.received[1]?.body).toBe(receiver.received[0]?.body);
  });

  it('are signed as Standard Webhooks say when the hook has a signing token', async () => {
    hook({ token: '', signingToken });
    await say('héllo');
    await scene.sim.settled();
    const [{ headers, body } = { headers: {}, body: '' }] = receiver.received;
    const id = String(headers['webhook-id']);
    const timestamp = String(headers['webhook-timestamp']);
    const expected = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64');
    expect([headers['webhook-signature'], id]).toEqual([`v1,${expected}`, headers['idempotency-key']]);
    const secrets = { tokens: [], signingTokens: [signingToken] };
    const nowMs = scene.sim.world.clock();
    const rawBody = Buffer.from(body);
    expect(verifyGitlab({ headers, rawBody, secrets, nowMs })).toEqual({ ok: true });
    expect(verifyGitlab({ headers, rawBody: Buffer.from(`${body} `), secrets, nowMs })).toMatchObject({ ok: false });
  });
});

describe('delivery (forges.md 2.3)', () => {
  it('goes to project and group hooks, each under a key of its own', async () => {
    hook();
    scene.sim.addGroupHook({ group: 'acme', url: receiver.url });
    scene.sim.addGroupHook({ group: 'acme/web', url: receiver.url });
    await say();
    await scene.sim.settled();
    expect([receiver.received.length, new Set(scene.sim.deliveries.map((delivery) => delivery.uuid)).size]).toEqual([
      3, 3,
    ]);
    expect(new Set(receiver.received.map(({ body }) => body)).size).toBe(1);
  });

  it('has no group hooks in CE', async () => {
    const ce = await openScene({ edition: 'ce' });
    expect(() => ce.sim.addGroupHook({ group: 'acme', url: receiver.url })).toThrow(/404/);
    expect((await ce.api(ce.owner, 'GET', '/groups/1/hooks')).status).toBe(404);
    await ce.end('expected');
  });

  it('is tried once, whatever the answer', async () => {
    hook();
    receiver.answer = 500;
    await say();
    await scene.sim.settled();
    expect([receiver.received.length, scene.sim.deliveries.map((delivery) => delivery.status)]).toEqual([1, [500]]);
  });

  it('never disables a hook unless the flag is on', async () => {
    const { id } = hook();
    receiver.answer = 500;
    for (let count = 0; count < 6; count += 1) {
      await say();
      await scene.sim.settled();
    }
    expect(receiver.received.length).toBe(6);
    const shown = rowOf(await scene.api(scene.owner, 'GET', `/projects/1/hooks/${id}`));
    expect(shown).toMatchObject({ alert_status: 'executable', disabled_until: null });
  });

  it('backs off for a minute at the fourth failure in a row, then for two, and starts afresh with a success', async () => {
    const { id } = hook();
    scene.sim.setAutoDisable(true);
    const status = async () => rowOf(await scene.api(scene.owner, 'GET', `/projects/1/hooks/${id}`))['alert_status'];
    const sayAll = async (count: number) => {
      for (let at = 0; at < count; at += 1) {
        await say();
        await scene.sim.settled();
      }
      return receiver.received.length;
    };
    receiver.answer = 500;
    expect([await sayAll(3), await status()]).toEqual([3, 'executable']);
    expect([await sayAll(2), await status()]).toEqual([4, 'temporarily_disabled']);
    scene.advance(60_001);
    expect([await sayAll(2), await status()]).toEqual([5, 'temporarily_disabled']);
    scene.advance(60_001);
    expect(await sayAll(1)).toBe(5);
    scene.advance(60_001);
    receiver.answer = 302;
    expect([await sayAll(2), await status()]).toEqual([7, 'executable']);
  });

  it('ends at forty failures, until a test request is answered well', async () => {
    const made = hook();
    scene.sim.setAutoDisable(true);
    receiver.answer = 500;
    Object.assign(made, { recentFailures: 39 });
    await say();
    await scene.sim.settled();
    scene.advance(90_000_000);
    await say();
    await scene.sim.settled();
    const shown = rowOf(await scene.api(scene.owner, 'GET', `/projects/1/hooks/${made.id}`));
    expect([receiver.received.length, shown['alert_status']]).toEqual([1, 'disabled']);
    const test = () => scene.api(scene.owner, 'POST', `/projects/1/hooks/${made.id}/test/note_events`);
    const status = async () =>
      rowOf(await scene.api(scene.owner, 'GET', `/projects/1/hooks/${made.id}`))['alert_status'];
    expect([(await test()).status, await status()]).toEqual([422, 'disabled']);
    receiver.answer = 200;
    expect([(await test()).status, await status()]).toEqual([201, 'executable']);
  });

  it('can be dropped and mixed up on purpose', async () => {
    hook();
    scene.sim.setDeliveryFilter((delivery) => (delivery.body.includes('lost') ? 'drop' : 'send'));
    await say('lost');
    await say('sent');
    await scene.sim.settled();
    expect(scene.sim.deliveries.map((delivery) => delivery.outcome)).toEqual(['dropped', 'answered']);
    scene.sim.setHookJitter(30);
    for (let count = 0; count < 8; count += 1) await say(`note ${count}`);
    await scene.sim.settled();
    const order = (bodies: readonly string[]) => bodies.map((body) => /note \d/.exec(body)?.[0]).filter(Boolean);
    const sent = order(scene.sim.deliveries.map((delivery) => delivery.body));
    const received = order(receiver.received.map(({ body }) => body));
    expect(new Set(received)).toEqual(new Set(sent));
    expect(received).not.toEqual(sent);
  });

  it('does not call a hook again for what a request with its event UUID has caused', async () => {
    hook();
    await say();
    await scene.sim.settled();
    const uuid = String(headersAt(0)['x-gitlab-event-uuid']);
    const post = (headers: Record<string, string>) =>
      fetch(`${scene.sim.url}/api/v4${mrPath}/notes`, {
        method: 'POST',
        headers: { 'private-token': scene.bot.token, 'content-type': 'application/json', ...headers },
        body: '{"body":"answer"}',
      });
    await post({ 'x-gitlab-event-uuid': uuid });
    await scene.sim.settled();
    expect(receiver.received.length).toBe(1);
    await post({});
    await scene.sim.settled();
    expect(receiver.received.length).toBe(2);
  });

  it('has an event UUID of its own for each hook and each time', async () => {
    hook();
    hook();
    await say();
    await scene.sim.settled();
    scene.sim.replay(scene.sim.deliveries[0]?.uuid ?? '');
    await scene.sim.settled();
    const uuids = scene.sim.deliveries.map(({ headers }) => headers['x-gitlab-event-uuid']);
    expect(new Set(uuids).size).toBe(3);
  });

  it('is not sent when it would be larger than 25 MiB', async () => {
    hook();
    scene.sim.mergeRequestAt(at).description = 'x'.repeat(25 * 1024 * 1024);
    await say();
    expect(scene.sim.deliveries).toEqual([]);
  });

  it('of pushes is left out altogether for more than three branches at once', async () => {
    hook({ events: ['push_events', 'merge_requests_events'] });
    const moves = ['feature', 'x', 'y', 'z'].map((branch) => ({ branch, to: 'refs/heads/main' }));
    await scene.sim.moveBranches({ project, as: 'owner', moves });
    expect(scene.sim.deliveries.map((delivery) => delivery.event)).toEqual(['Merge Request Hook']);
    await scene.sim.moveBranches({ project, as: 'owner', moves: [{ branch: 'x', to: null }] });
    expect(payloads()[1]).toMatchObject({ object_kind: 'push', ref: 'refs/heads/x', after: '0'.repeat(40) });
  });
});

describe('merge request events (forges.md 2.4)', () => {
  const last = () => ({ payload: payloads().at(-1) ?? {}, attributes: attributes().at(-1) ?? {} });
  const edit = (wish: object) => scene.sim.editMergeRequest({ ...at, as: 'author', ...wish });
  beforeEach(() => void hook({ events: ['merge_requests_events'] }));

  it('tell a push by oldrev, the new head being the last commit', async () => {
    const before = scene.sim.mergeRequestAt(at).headSha;
    const after = await push();
    expect(last().attributes).toMatchObject({ action: 'update', oldrev: before, last_commit: { id: after } });
    expect(last().payload['changes']).toEqual({});
  });

  it('have no oldrev for anything else, and tell what changed as previous and current', async () => {
    await edit({ title: 'Other' });
    expect(last().payload['changes']).toMatchObject({ title: { previous: 'Change a', current: 'Other' } });
    expect(last().attributes).not.toHaveProperty('oldrev');
    await edit({ description: 'text' });
    expect(last().payload['changes']).toMatchObject({ description: { previous: '', current: 'text' } });
    await edit({ labels: ['bug'] });
    expect(last().payload['changes']).toMatchObject({ labels: { previous: [], current: [{ title: 'bug' }] } });
  });

  it.each(['Draft: x', 'draft:x', '[Draft] x', '[DRAFT]x', '(Draft) x', '(draft)x'])(
    'call a merge request named %s a draft',
    async (title) => {
      await edit({ title });
      expect(last().attributes).toMatchObject({ draft: true, work_in_progress: true });
      expect(last().payload['changes']).toMatchObject({ draft: { previous: false, current: true }, title: {} });
      await edit({ title: 'x' });
      expect(last().payload['changes']).toMatchObject({ draft: { previous: true, current: false } });
    },
  );

  it.each(['WIP: x', 'Drafty x', 'x Draft:', '[ Draft ] x'])('do not call one named %s a draft', async (title) => {
    await edit({ title });
    expect(last().attributes).toMatchObject({ draft: false });
  });

  it('tell a new target and make a new version for it', async () => {
    await scene.sim.commitFiles({ project, branch: 'next', files: { n: 'n' }, message: 'n', author: 'owner' });
    await edit({ targetBranch: 'next' });
    expect(last().payload['changes']).toMatchObject({ target_branch: { previous: 'main', current: 'next' } });
    expect(scene.sim.mergeRequestAt(at).versions).toHaveLength(2);
  });

  it('tell a new target that does not exist, which leaves the diff as it was; the quick action refuses it', async () => {
    await edit({ targetBranch: 'gone' });
    expect(last().payload['changes']).toMatchObject({ target_branch: { previous: 'main', current: 'gone' } });
    expect(scene.sim.mergeRequestAt(at).versions).toHaveLength(1);
    await say('/target_branch nowhere');
    expect(scene.sim.mergeRequestAt(at).targetBranch).toBe('gone');
    await say('/target_branch main');
    expect(scene.sim.mergeRequestAt(at).targetBranch).toBe('main');
  });

  it('tell reviewers as objects with their state, and a new request by re_requested', async () => {
    await edit({ reviewers: [scene.bot.login] });
    const reviewer = { username: scene.bot.login, state: 'unreviewed', re_requested: false };
    expect(last().payload).toMatchObject({
      changes: { reviewers: { previous: [], current: [reviewer] } },
      reviewers: [reviewer],
    });
    await scene.sim.approve({ ...at, as: scene.bot.login });
    await scene.sim.reRequest({ ...at, as: 'author', reviewer: scene.bot.login });
    expect(last().payload).toMatchObject({
      changes: {
        reviewers: {
          previous: [{ state: 'approved', re_requested: false }],
          current: [{ state: 'unreviewed', re_requested: true }],
        },
      },
      reviewers: [{ re_requested: true }],
    });
  });

  it('leave out assignees and reviewers when there are none', async () => {
    await push();
    expect(Object.keys(last().payload)).not.toContain('reviewers');
    expect(Object.keys(last().payload)).not.toContain('assignees');
    await edit({ assignees: ['author'], reviewers: ['owner'] });
    expect(last().payload).toMatchObject({ assignees: [{ username: 'author' }], reviewers: [{ username: 'owner' }] });
  });

  it('tell closing, reopening and merging', async () => {
    await scene.sim.closeMergeRequest({ ...at, as: 'author' });
    await scene.sim.reopenMergeRequest({ ...at, as: 'author' });
    await scene.sim.mergeMergeRequest({ ...at, as: 'owner' });
    const told = attributes().filter((one) => 'action' in one);
    expect(told.map((one) => [one['action'], one['state']])).toEqual([
      ['close', 'closed'],
      ['reopen', 'opened'],
      ['merge', 'merged'],
    ]);
  });

  it('close a merge request whose branch is deleted', async () => {
    await scene.sim.moveBranch({ project, as: 'author', branch: 'feature', to: null });
    expect(last().attributes).toMatchObject({ action: 'close' });
  });

  it('turn one into a draft by a commit that is a fixup, told by the event of the push alone', async () => {
    const before = payloads().length;
    await push('fixup! change');
    expect(payloads()).toHaveLength(before + 1);
    expect(last().attributes).toMatchObject({ action: 'update', draft: true, oldrev: expect.any(String) });
    expect(last().payload['changes']).not.toHaveProperty('draft');
    expect(scene.sim.mergeRequestAt(at).title).toBe('Draft: Change a');
  });

  it('have no source when the fork is gone, and tell forks by the ids of both projects', async () => {
    scene.sim.addMember(project, 'outsider', 20);
    const fork = await scene.sim.forkProject(project, 'outsider');
    const wish = { project: 'outsider/shop', branch: 'f', files: { f: 'f' }, message: 'f', author: 'outsider' };
    await scene.sim.commitFiles(wish);
    const mr = { project, sourceProject: 'outsider/shop', sourceBranch: 'f', title: 'f', author: 'outsider' };
    await scene.sim.openMergeRequest(mr);
    expect(last().attributes).toMatchObject({
      source_project_id: fork.id,
      target_project_id: 1,
      source: { id: fork.id },
    });
    await scene.sim.deleteProject('outsider/shop');
    await scene.sim.closeMergeRequest({ project, iid: 2, as: 'author' });
    expect(last().attributes).toMatchObject({ source: null, source_project_id: fork.id });
  });
});

describe('the open event', () => {
  it('is held back until the diff is prepared, as are diff_refs and versions', async () => {
    hook({ events: ['merge_requests_events'] });
    scene.sim.setPrepareDelay(30_000);
    const path = '/projects/1/merge_requests/2';
    await scene.sim.openMergeRequest({ project, sourceBranch: 'feature', title: 'Second', author: 'author' });
    const fresh = rowOf(await scene.api(scene.bot, 'GET', path));
    expect(fresh).toMatchObject({
      diff_refs: null,
      prepared_at: null,
      detailed_merge_status: 'preparing',
      changes_count: null,
    });
    expect([(await scene.api(scene.bot, 'GET', `${path}/versions`)).json, scene.sim.deliveries.length]).toEqual([
      [],
      0,
    ]);
    scene.advance(30_000);
    const ready = rowOf(await scene.api(scene.bot, 'GET', path));
    expect(ready).toMatchObject({
      diff_refs: { head_sha: ready['sha'] },
      detailed_merge_status: 'mergeable',
      changes_count: '2',
    });
    expect(attributes().map((one) => one['action'])).toEqual(['open']);
  });

  it('comes by itself with the clock of the machine', async () => {
    const { sim, dispose } = await startInRealTime();
    const commit = { project: 'owner/shop', message: 'm', author: 'owner' };
    await sim.commitFiles({ ...commit, branch: 'main', files: { a: 'a' } });
    await sim.commitFiles({ ...commit, branch: 'b', files: { b: 'b' } });
    sim.addProjectHook({ project: 'owner/shop', url: receiver.url, events: ['merge_requests_events'] });
    sim.setPrepareDelay(20);
    await sim.openMergeRequest({ project: 'owner/shop', sourceBranch: 'b', title: 'b', author: 'owner' });
    const before = sim.deliveries.length;
    await sim.until(() => sim.deliveries.length === 1);
    expect([before, sim.mergeRequestAt({ project: 'owner/shop', iid: 1 }).versions.length]).toEqual([0, 1]);
    await dispose();
  });
});

describe('note events (forges.md 2.5)', () => {
  it('tell type, thread and place of an answer on a line', async () => {
    hook({ events: ['note_events'] });
    await postThread(scene, { new: 4 });
    const { discussion_id: id } = attributes()[0] ?? {};
    await scene.sim.replyToDiscussion({ ...at, as: 'author', discussion: String(id), body: 'why?' });
    expect(attributes()[1]).toMatchObject({
      action: 'create',
      note: 'why?',
      type: 'DiffNote',
      discussion_id: id,
      noteable_type: 'MergeRequest',
      internal: false,
      system: false,
      position: { new_line: 4, new_path: 'a.txt' },
    });
    expect(payloads()[1]).toMatchObject({ object_kind: 'note', event_type: 'note', merge_request: { iid: 1 } });
  });

  it('of internal notes have a name and a checkbox of their own', async () => {
    hook({ events: ['note_events'] });
    const confidential = hook({ events: ['confidential_note_events'] });
    await scene.sim.comment({ ...at, as: 'author', body: 'between us', internal: true });
    expect(scene.sim.deliveries).toMatchObject([{ hookId: confidential.id, event: 'Confidential Note Hook' }]);
    expect([payloads()[0]?.['event_type'], attributes()[0]?.['internal']]).toEqual(['confidential_note', true]);
  });

  it('are not sent for system notes, for resolving, and for deletions', async () => {
    hook({ events: ['note_events'] });
    const id = await scene.sim.startDiscussion({ ...at, as: 'author', body: 'x' });
    await scene.sim.settled();
    await scene.sim.editMergeRequest({ ...at, as: 'author', title: 'Other' });
    await scene.sim.resolveDiscussion({ ...at, as: 'author', discussion: id });
    const note = scene.sim.mergeRequestAt(at).notes[0]?.id ?? 0;
    await scene.sim.changeNote({ ...at, as: 'author', note, body: null });
    expect(scene.sim.deliveries).toHaveLength(1);
  });
});

it('emoji events tell what was awarded and taken back (forges.md 2.6)', async () => {
  hook({ events: ['emoji_events'] });
  const note = (await say()) ?? 0;
  await scene.sim.award({ ...at, as: 'author', name: 'thumbsup', note });
  await scene.sim.award({ ...at, as: 'author', name: 'thumbsup', note, revoke: true });
  await scene.sim.award({ ...at, as: 'author', name: 'eyes' });
  const events = payloads().map((payload) => payload['event_type']);
  expect(attributes().map((one, index) => [events[index], one['awardable_type'], one['name']])).toEqual([
    ['award', 'Note', 'thumbsup'],
    ['revoke', 'Note', 'thumbsup'],
    ['award', 'MergeRequest', 'eyes'],
  ]);
  expect(attributes().filter((one) => 'action' in one)).toEqual([]);
  expect(payloads()[0]).toMatchObject({ event_type: 'award', note: { id: note }, merge_request: { iid: 1 } });
});
