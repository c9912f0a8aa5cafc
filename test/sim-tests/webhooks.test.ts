import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { sharedData } from '../support/shared-data.ts';
import { payloadOf, type Receiver, startReceiver } from './receiver.ts';
import { openScene, repo, type Scene } from './support.ts';

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

const secret = ['a', 'shared', 'word'].join('-');
const at = { repo, number: 1 };
const hook = (more: Parameters<Scene['sim']['addWebhook']>[0] | object = {}) =>
  scene.sim.addWebhook({ repo, url: receiver.url, secret, ...more });
const names = () => scene.sim.deliveries.map((delivery) => [delivery.event, delivery.eventType]);
const hmac = (algorithm: string, text: string) => createHmac(algorithm, secret).update(text).digest('hex');

describe('headers of a webhook (Forgejo services/webhook/shared/payloader.go, forges.md 4.1)', () => {
  it('sign the exact body in every family', async () => {
    hook();
    scene.sim.comment({ ...at, as: 'author', body: 'héllo\r\n' });
    await scene.sim.settled();
    const [{ headers, body } = { headers: {}, body: '' }] = receiver.received;
    const sha256 = hmac('sha256', body);
    expect(headers).toMatchObject({
      'x-forgejo-signature': sha256,
      'x-gitea-signature': sha256,
      'x-gogs-signature': sha256,
      'x-hub-signature-256': `sha256=${sha256}`,
      'x-hub-signature': `sha1=${hmac('sha1', body)}`,
      'x-forgejo-event': 'issue_comment',
      'x-github-event-type': 'pull_request_comment',
      'content-type': 'application/json',
    });
    expect(headers['x-forgejo-delivery']).toBe(scene.sim.deliveries[0]?.uuid);
  });

  it('are there and empty without a secret', async () => {
    hook({ secret: '' });
    scene.sim.comment({ ...at, as: 'author', body: 'x' });
    await scene.sim.settled();
    expect(receiver.received[0]?.headers).toMatchObject({
      'x-forgejo-signature': '',
      'x-hub-signature-256': 'sha256=',
    });
  });

  it('sign the decoded JSON when the body is a form', async () => {
    hook({ contentType: 'form' });
    scene.sim.comment({ ...at, as: 'author', body: 'a&b=c' });
    await scene.sim.settled();
    const [first] = receiver.received;
    const payload = new URLSearchParams(first?.body).get('payload') ?? '';
    expect(first?.headers['x-forgejo-signature']).toBe(hmac('sha256', payload));
    expect(JSON.parse(payload)).toMatchObject({ comment: { body: 'a&b=c' } });
  });
});

describe('names of events (Forgejo modules/webhook/type.go, forges.md 4.2)', () => {
  it('give pull_request_comment two meanings', async () => {
    hook();
    scene.sim.comment({ ...at, as: 'author', body: 'x' });
    await scene.sim.review({ ...at, as: 'fixpoint', event: 'COMMENT', body: 'y' });
    await scene.sim.settled();
    expect(names()).toEqual([
      ['issue_comment', 'pull_request_comment'],
      ['pull_request_comment', 'pull_request_review_comment'],
    ]);
  });

  it('make one push one push event and one synchronized, whose merge base is the old one', async () => {
    hook();
    const before = scene.sim.pullAt(at).mergeBase;
    const main = await scene.sim.commitFiles({ repo, branch: 'main', files: { m: '1' }, message: 'm', author: 'acme' });
    await scene.sim.commitFiles({
      repo,
      branch: 'feature',
      files: { f: '1' },
      message: 'f',
      author: 'author',
      onto: main,
    });
    await scene.sim.settled();
    expect(names().map(([, type]) => type)).toEqual(['push', 'push', 'pull_request_sync']);
    const sync = receiver.received.find(({ headers }) => headers['x-forgejo-event-type'] === 'pull_request_sync');
    expect(payloadOf(sync)).toMatchObject({ action: 'synchronized', pull_request: { merge_base: before } });
    expect(scene.sim.pullAt(at).mergeBase).toBe(main);
  });

  it('tell a draft only by the title that was edited', async () => {
    hook();
    await scene.sim.editPullRequest({ ...at, as: 'author', title: 'wip: Change a' });
    await scene.sim.settled();
    expect(payloadOf(receiver.received[0])).toMatchObject({
      action: 'edited',
      changes: { title: { from: 'Change a' } },
      pull_request: { draft: true },
    });
  });

  it('tell a merge by closed with merged', async () => {
    hook({ events: ['pull_request_only'] });
    await scene.sim.merge({ ...at, as: 'acme' });
    await scene.sim.settled();
    expect(payloadOf(receiver.received[0])).toMatchObject({ action: 'closed', pull_request: { merged: true } });
  });

  it('are chosen by the hook, the family by its first name', async () => {
    hook({ events: ['pull_request_comment'] });
    hook({ events: ['no_such_event'] });
    hook({ events: ['pull_request'] });
    await scene.sim.commitFiles({ repo, branch: 'other', files: { o: '1' }, message: 'o', author: 'author' });
    scene.sim.comment({ ...at, as: 'author', body: 'x' });
    await scene.sim.settled();
    expect(scene.sim.deliveries.map((delivery) => delivery.hookId)).toEqual([1, 3]);
  });
});

describe('payloads (Forgejo services/webhook/notifier.go, forges.md 4.3)', () => {
  it('of reviews carry no id, no inline comments and no commit', async () => {
    hook();
    await scene.sim.review({
      ...at,
      as: 'fixpoint',
      event: 'REQUEST_CHANGES',
      body: 'no',
      comments: [{ path: 'a.txt', line: 4, body: 'inline' }],
    });
    await scene.sim.settled();
    const payload = payloadOf(receiver.received[0]);
    expect(payload).toMatchObject({
      action: 'reviewed',
      commit_id: '',
      review: { type: 'pull_request_review_rejected', content: 'no' },
      requested_reviewer: { login: 'fixpoint' },
      sender: { login: 'fixpoint' },
    });
    expect(Object.keys(z.object({ review: z.looseObject({}) }).parse(payload).review)).toEqual(['type', 'content']);
    expect(receiver.received[0]?.body).not.toContain('inline');
  });

  it('of a reply on the web page are those of an ordinary comment', async () => {
    await scene.sim.review({
      ...at,
      as: 'fixpoint',
      event: 'COMMENT',
      body: '',
      comments: [{ path: 'a.txt', line: 4, body: 'i' }],
    });
    hook();
    const to = scene.sim.pullAt(at).comments.find((comment) => comment.kind === 'code')?.id ?? 0;
    await scene.sim.replyInline({ ...at, as: 'author', to, body: 'why?' });
    await scene.sim.settled();
    const comment = z
      .object({ comment: z.looseObject({ body: z.string() }) })
      .parse(payloadOf(receiver.received[0])).comment;
    expect(comment.body).toBe('why?');
    expect(Object.keys(comment)).not.toEqual(expect.arrayContaining(['path']));
    expect(names()).toEqual([['issue_comment', 'pull_request_comment']]);
  });

  it('are not sent for comments through the reviews API nor for pending reviews', async () => {
    hook();
    const reviews = '/repos/acme/shop/pulls/1/reviews';
    await scene.api(scene.bot, 'POST', reviews, { event: '', body: 'draft' });
    const done = await scene.api(scene.bot, 'POST', reviews, { event: 'COMMENT', body: 'x' });
    const { id } = z.object({ id: z.number() }).parse(done.json);
    const reply = { path: 'a.txt', body: 'quiet', new_position: 4 };
    expect((await scene.api(scene.author, 'POST', `${reviews}/${id}/comments`, reply)).status).toBe(200);
    await scene.sim.settled();
    expect(names()).toEqual([['pull_request_comment', 'pull_request_review_comment']]);
  });

  const recorded = sharedData('webhooks', 'forgejo-derived');
  const cases: readonly [string, string, () => unknown][] = [
    [
      'review_requested.json',
      'pull_request_review_request',
      () => scene.sim.askReview({ ...at, as: 'author', reviewer: 'fixpoint' }),
    ],
    [
      'issue_comment_pr_created.json',
      'pull_request_comment',
      () => scene.sim.comment({ ...at, as: 'author', body: 'x' }),
    ],
    [
      'edited_target_branch.json',
      'pull_request',
      () => scene.sim.editPullRequest({ ...at, as: 'author', base: 'next' }),
    ],
    [
      'pull_request_review_approved.json',
      'pull_request_review_approved',
      () => scene.sim.review({ ...at, as: 'fixpoint', event: 'APPROVED' }),
    ],
  ];
  it.skipIf(recorded === null).each(cases)(
    'have the fields of %s (skipped without the shared data)',
    async (file, type, act) => {
      await scene.sim.commitFiles({ repo, branch: 'next', files: {}, message: 'n', author: 'author' });
      hook();
      await act();
      await scene.sim.settled();
      const Payload = z.looseObject({ pull_request: z.record(z.string(), z.unknown()) });
      const wanted = Payload.parse(JSON.parse(readFileSync(`${recorded}/${file}`, 'utf8')));
      const sent = Payload.parse(
        payloadOf(receiver.received.find(({ headers }) => headers['x-forgejo-event-type'] === type)),
      );
      expect(Object.keys(sent)).toEqual(expect.arrayContaining(Object.keys(wanted)));
      // Counted for the fork flow only, and not always present in captures.
      const optional = ['additions', 'deletions', 'changed_files'];
      const keys = Object.keys(wanted.pull_request).filter((key) => !optional.includes(key));
      expect(Object.keys(sent.pull_request)).toEqual(expect.arrayContaining(keys));
    },
  );
});

describe('delivery (Forgejo services/webhook/deliver.go, forges.md 4.4)', () => {
  it('is one attempt, whatever the answer', async () => {
    hook();
    receiver.answer = 500;
    scene.sim.comment({ ...at, as: 'author', body: 'x' });
    await scene.sim.settled();
    expect(scene.sim.deliveries.map(({ status, outcome }) => [status, outcome])).toEqual([[500, 'answered']]);
    expect(receiver.received.length).toBe(1);
  });

  it('goes to every hook under a UUID of its own, and again under a new one when replayed', async () => {
    hook();
    hook();
    scene.sim.comment({ ...at, as: 'author', body: 'x' });
    await scene.sim.settled();
    scene.sim.replay(scene.sim.deliveries[0]?.uuid ?? '');
    await scene.sim.settled();
    expect(new Set(scene.sim.deliveries.map((delivery) => delivery.uuid)).size).toBe(3);
    expect(new Set(receiver.received.map(({ body }) => body)).size).toBe(1);
  });

  it('can be lost, and can overtake itself', async () => {
    hook();
    scene.sim.setDeliveryFilter((delivery) => (delivery.body.includes('lost') ? 'drop' : 'send'));
    scene.sim.setHookJitter(60);
    for (const body of ['1', '2', 'lost', '3', '4', '5', '6']) scene.sim.comment({ ...at, as: 'author', body });
    await scene.sim.settled();
    const Body = z.object({ comment: z.object({ body: z.string() }) });
    const order = receiver.received.map((one) => Body.parse(payloadOf(one)).comment.body);
    expect(order.toSorted()).toEqual(['1', '2', '3', '4', '5', '6']);
    expect(order).not.toEqual(order.toSorted());
  });
});
