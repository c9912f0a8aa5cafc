import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { parseProjectScope } from '../../../shared/config/projects/project-scope.ts';
import { signForgejo } from '../../support/sign-forgejo.ts';
import { fastestOf } from '../../support/fastest.ts';
import {
  forgejoPullRequest,
  gitlabMergeRequest,
  gitlabNote,
  gitlabPipeline,
  gitlabUpdate,
  HEAD,
} from '../../shared/webhooks/payloads.ts';
import {
  createFakeIngress,
  deliver,
  FORGES,
  forgejoDelivery,
  gitlabDelivery,
  NOW_MS,
  SECRETS,
  signedGitlabDelivery,
} from './fake-ingress.ts';

const OPENED = forgejoDelivery('pull_request', forgejoPullRequest());

describe('GL2: a delivery about a commit', () => {
  const PIPELINE = gitlabDelivery(gitlabPipeline({ sha: HEAD }, { merge_request: null }));

  it('becomes an event of every change request that has it as head', async () => {
    const asked: unknown[] = [];
    const find = async (place: unknown) => {
      asked.push(place);
      return [7, 9];
    };
    const { app, jobs } = createFakeIngress({ heads: { find } });
    expect((await deliver(app, PIPELINE)).statusCode).toBe(202);
    expect(asked).toEqual([{ forge: 'lab', projectId: expect.any(Number), head: HEAD }]);
    expect(jobs.map(({ event, deliveryId }) => [event.number, event.kind, deliveryId])).toEqual([
      [7, 'pipeline', null],
      [9, 'pipeline', null],
    ]);
    expect(new Set(jobs.map(({ dedupKey }) => dedupKey)).size).toBe(2);
  });

  it('is ignored where nobody is known to have it', async () => {
    const { app, jobs } = createFakeIngress();
    const response = await deliver(app, PIPELINE);
    expect([response.statusCode, response.json()]).toEqual([
      200,
      { ignored: 'no change request is known to have this head' },
    ]);
    expect(jobs).toEqual([]);
  });

  it.each([
    ['fails', async () => Promise.reject(new Error('gone'))],
    ['does not answer', async () => new Promise<readonly number[]>(() => {})],
  ])('is sent again later when the store %s', async (_what, find) => {
    const { app } = createFakeIngress({ heads: { find } });
    expect((await deliver(app, PIPELINE)).statusCode).toBe(503);
  });
});

describe('a believed delivery', () => {
  it('is stored as ids and answered 202', async () => {
    const { app, jobs } = createFakeIngress();
    const response = await deliver(app, OPENED);
    expect(response.statusCode).toBe(202);
    expect(response.json()).toEqual({ accepted: 'opened' });
    expect(jobs).toEqual([
      {
        forge: 'code',
        deliveryId: 'f6266f16-1bf3-46a5-9ea4-602e06ead473',
        dedupKey: expect.stringMatching(/^[0-9a-f]{64}$/),
        event: {
          projectId: 3,
          number: 7,
          kind: 'opened',
          head: HEAD,
          noteId: null,
          actorId: 11,
          requestedReviewerId: null,
          threadHint: null,
        },
        receivedAtMs: NOW_MS,
      },
    ]);
  });

  it.each([
    ['Gitea', { ...forgejoDelivery('pull_request', forgejoPullRequest()), url: '/webhooks/mirror' }],
    ['GitLab with a token', gitlabDelivery(gitlabMergeRequest())],
    ['GitLab with a signature', signedGitlabDelivery(gitlabMergeRequest())],
  ])('is stored from %s too', async (_name, delivery) => {
    const { app, jobs } = createFakeIngress();
    const signature = signForgejo(delivery.payload, SECRETS.mirror);
    const headers =
      delivery.url === '/webhooks/mirror'
        ? { ...delivery.headers, 'x-forgejo-signature': signature }
        : delivery.headers;
    expect((await deliver(app, { ...delivery, headers })).statusCode).toBe(202);
    expect(jobs.map((job) => job.event.kind)).toEqual(['opened']);
  });

  it.each<[path: string, status: number]>([
    ['acme/new', 202],
    ['ACME/sub/new', 202],
    ['acme', 200],
    ['acme2/new', 200],
    ['other/acme/new', 200],
  ])('counts every project below a group and none beside it: %s is %d', async (full_name, status) => {
    const forges = FORGES.map((forge) => ({ ...forge, scope: parseProjectScope(['acme/*']) }));
    const { app, jobs } = createFakeIngress({ forges });
    const payload = forgejoPullRequest({ repository: { id: 3, full_name } });
    expect((await deliver(app, forgejoDelivery('pull_request', payload))).statusCode).toBe(status);
    expect(jobs.map(({ event }) => event.projectId)).toEqual(status === 202 ? [3] : []);
  });

  it('counts a project in any case, and no other project', async () => {
    const { app, jobs } = createFakeIngress();
    const of = (full_name: string): unknown => forgejoPullRequest({ repository: { id: 3, full_name } });
    expect((await deliver(app, forgejoDelivery('pull_request', of('ACME/gadgets')))).statusCode).toBe(202);
    for (const name of ['acme/other', 'acme/widgets2', 'other/acme/widgets', '']) {
      const response = await deliver(app, forgejoDelivery('pull_request', of(name)));
      expect(response.statusCode).toBe(200);
      expect(response.json()).toEqual({ ignored: 'the project is not in the allow list' });
    }
    expect(jobs).toHaveLength(1);
  });

  it('is understood in the dialect of its forge only', async () => {
    const { app, jobs } = createFakeIngress();
    const foreign = forgejoDelivery('pull_request', gitlabMergeRequest(), { 'x-gitlab-event': 'Merge Request Hook' });
    expect((await deliver(app, foreign)).json()).toEqual({ ignored: 'the delivery comes from another kind of forge' });
    const other = gitlabDelivery(forgejoPullRequest(), { 'x-forgejo-event-type': 'pull_request' });
    expect((await deliver(app, other)).statusCode).toBe(200);
    expect(jobs).toEqual([]);
  });
});

describe('the same event again', () => {
  it('makes one job out of a hundred equal requests at once', async () => {
    const { app, asked, jobs } = createFakeIngress();
    const responses = await Promise.all(Array.from({ length: 100 }, async () => deliver(app, OPENED)));
    const countOf = (status: number): number => responses.filter(({ statusCode }) => statusCode === status).length;
    expect([countOf(202), countOf(200)]).toEqual([1, 99]);
    expect([asked.length, jobs.length]).toEqual([100, 1]);
  });

  it('makes no second job under a new delivery id', async () => {
    const { app, asked, jobs } = createFakeIngress();
    await deliver(app, OPENED);
    const replay = await deliver(
      app,
      forgejoDelivery('pull_request', forgejoPullRequest(), { 'x-forgejo-delivery': 'another' }),
    );
    expect(replay.statusCode).toBe(200);
    expect(replay.json()).toEqual({ ignored: 'the event is already known' });
    expect(asked.map(({ deliveryId }) => deliveryId)).toEqual(['f6266f16-1bf3-46a5-9ea4-602e06ead473', 'another']);
    expect(jobs).toHaveLength(1);
  });

  it('makes no second job through the hook of the group', async () => {
    const { app, jobs } = createFakeIngress();
    await deliver(app, gitlabDelivery(gitlabNote()));
    await deliver(app, gitlabDelivery(gitlabNote(), { 'idempotency-key': 'hook-of-the-group' }));
    expect(jobs).toHaveLength(1);
  });

  it('is stored without a delivery id', async () => {
    const { app, jobs } = createFakeIngress();
    const { 'x-forgejo-delivery': _id, ...headers } = OPENED.headers;
    expect((await deliver(app, { ...OPENED, headers })).statusCode).toBe(202);
    expect(jobs.map(({ deliveryId }) => deliveryId)).toEqual([null]);
  });
});

describe('a delivery that is not believed', () => {
  const gitlab = gitlabDelivery(gitlabMergeRequest());
  const signed = signedGitlabDelivery(gitlabMergeRequest());
  const signature = OPENED.headers['x-forgejo-signature'] ?? '';
  const foreign = signForgejo(OPENED.payload, SECRETS.mirror);
  const now = NOW_MS / 1000;

  it.each([
    ['Forgejo, no header', OPENED, { 'x-forgejo-signature': null }],
    ['Forgejo, wrong', OPENED, { 'x-forgejo-signature': 'f'.repeat(64) }],
    ['Forgejo, of another forge', OPENED, { 'x-forgejo-signature': foreign }],
    ['Forgejo, empty', OPENED, { 'x-forgejo-signature': '' }],
    ['Forgejo, shorter', OPENED, { 'x-forgejo-signature': signature.slice(1) }],
    ['Forgejo, longer', OPENED, { 'x-forgejo-signature': `${signature}0` }],
    ['Forgejo, with the token of GitLab', OPENED, { 'x-forgejo-signature': null, 'x-gitlab-token': SECRETS.code }],
    ['GitLab, no header', gitlab, { 'x-gitlab-token': null }],
    ['GitLab, wrong', gitlab, { 'x-gitlab-token': 'wrong' }],
    ['GitLab, of another forge', gitlab, { 'x-gitlab-token': SECRETS.code }],
    ['GitLab, empty', gitlab, { 'x-gitlab-token': '' }],
    ['GitLab, shorter', gitlab, { 'x-gitlab-token': SECRETS.lab.slice(1) }],
    ['GitLab, longer', gitlab, { 'x-gitlab-token': `${SECRETS.lab}x` }],
    ['GitLab, empty signature beside a good token', gitlab, { 'webhook-signature': '' }],
    ['GitLab, signed too early', signedGitlabDelivery(gitlabMergeRequest(), `${now - 301}`), {}],
    ['GitLab, signed too late', signedGitlabDelivery(gitlabMergeRequest(), `${now + 301}`), {}],
    ['GitLab, signature of another body', { ...signed, payload: Buffer.from('{}') }, {}],
    ['a forge that is not configured', { ...OPENED, url: '/webhooks/nowhere' }, {}],
    ['a name of every object', { ...OPENED, url: '/webhooks/__proto__' }, {}],
    ['the same bytes at another forge', { ...OPENED, url: '/webhooks/mirror' }, {}],
  ])('is answered 401 without a body, and makes no job: %s', async (_name, delivery, changed) => {
    const { app, asked } = createFakeIngress();
    const entries = Object.entries({ ...delivery.headers, ...changed }).filter(
      (entry): entry is [string, string] => entry[1] !== null,
    );
    const response = await deliver(app, { ...delivery, headers: Object.fromEntries(entries) });
    expect([response.statusCode, response.body]).toEqual([401, '']);
    expect(asked).toEqual([]);
  });

  it.each([-299, 299])('becomes a believed one when it was signed %d s from now', async (offset) => {
    const { app } = createFakeIngress();
    expect((await deliver(app, signedGitlabDelivery(gitlabMergeRequest(), `${now + offset}`))).statusCode).toBe(202);
  });

  it('is not told apart by the answer from one for a forge that does not exist', async () => {
    const { app } = createFakeIngress();
    const forged = { ...OPENED, headers: { ...OPENED.headers, 'x-forgejo-signature': foreign } };
    const [known, unknown] = await Promise.all([
      deliver(app, forged),
      deliver(app, { ...forged, url: '/webhooks/nowhere' }),
    ]);
    const { date: _one, ...knownHeaders } = known.headers;
    const { date: _two, ...unknownHeaders } = unknown.headers;
    expect(knownHeaders).toEqual(unknownHeaders);
  });

  it('includes a body that was compressed on the way', async () => {
    const { app, asked } = createFakeIngress();
    const payload = gzipSync(OPENED.payload);
    const headers = { ...OPENED.headers, 'content-encoding': 'gzip' };
    expect((await deliver(app, { ...OPENED, headers, payload })).statusCode).toBe(401);
    const resigned = { ...headers, 'x-forgejo-signature': signForgejo(payload, SECRETS.code) };
    expect((await deliver(app, { ...OPENED, headers: resigned, payload })).statusCode).toBe(415);
    expect(asked).toEqual([]);
  });
});

describe('a believed delivery of no interest', () => {
  it.each([
    ['push', forgejoDelivery('push', { ref: 'refs/heads/main' })],
    ['a new kind of event', forgejoDelivery('sunrise', {})],
    ['an unknown action', forgejoDelivery('pull_request', forgejoPullRequest({ action: 'launched' }))],
    ['a payload without the needed fields', forgejoDelivery('pull_request', {})],
    ['a push to GitLab', gitlabDelivery({ object_kind: 'push' }, { 'x-gitlab-event': 'Push Hook' })],
    ['a system event', gitlabDelivery({ event_name: 'user_create' }, { 'x-gitlab-event': 'System Hook' })],
    ['an internal note', gitlabDelivery(gitlabNote({ internal: true }))],
    ['approvals reset', gitlabDelivery(gitlabUpdate({}, { system: true }))],
  ])('is answered 200 with the reason, and makes no job: %s', async (_name, delivery) => {
    const { app, asked } = createFakeIngress();
    const response = await deliver(app, delivery);
    expect(response.statusCode).toBe(200);
    expect(response.json()).toEqual({ ignored: expect.stringMatching(/^(?:the|a) [a-z :]+$/) });
    expect(asked).toEqual([]);
  });
});

describe('the store', () => {
  it.each([
    ['hangs', async (): Promise<never> => new Promise(() => {})],
    ['fails', async (): Promise<never> => Promise.reject(new Error('gone'))],
    [
      'fails at once',
      (): never => {
        throw new Error('gone');
      },
    ],
  ])('that %s means 503 in less than half a second', async (_name, storeEvent) => {
    const { app, metrics } = createFakeIngress({ storeEvent });
    const tookMs = await fastestOf(3, async () => {
      const response = await deliver(app, OPENED);
      expect([response.statusCode, response.json()]).toEqual([503, { error: 'the event could not be stored' }]);
    });
    expect(tookMs).toBeLessThan(500);
    expect(await metrics.registry.metrics()).toContain('outcome="unavailable"');
  });

  it('that failed once takes the second try', async () => {
    let calls = 0;
    const { app } = createFakeIngress({
      storeEvent: async () => {
        calls += 1;
        if (calls === 1) throw new Error('gone');
        return 'stored';
      },
    });
    expect((await deliver(app, OPENED)).statusCode).toBe(503);
    expect((await deliver(app, OPENED)).statusCode).toBe(202);
  });
});

describe('the pages of the operator', () => {
  it('tell that the process lives, and whether it can store', async () => {
    const { app } = createFakeIngress({ check: async () => ['Redis does not answer'] });
    const [alive, ready] = await Promise.all([app.inject('/healthz'), app.inject('/readyz')]);
    expect([alive.statusCode, alive.json()]).toEqual([200, { alive: true }]);
    expect([ready.statusCode, ready.json()]).toEqual([503, { ready: false, problems: ['Redis does not answer'] }]);
    expect((await createFakeIngress().app.inject('/readyz')).statusCode).toBe(200);
  });

  it('count what became of each delivery', async () => {
    const { app } = createFakeIngress();
    await deliver(app, OPENED);
    await deliver(app, OPENED);
    await deliver(app, forgejoDelivery('push', {}));
    await deliver(app, { ...OPENED, headers: { ...OPENED.headers, 'x-forgejo-signature': '' } });
    const { body } = await app.inject('/metrics');
    const counted = body.split('\n').filter((line) => /^fixpoint_webhook_events_total.* [^0]/.test(line));
    expect(counted.map((line) => line.replace(',service="ingress"', '')).toSorted()).toEqual([
      'fixpoint_webhook_events_total{forge="code",kind="none",outcome="ignored"} 1',
      'fixpoint_webhook_events_total{forge="code",kind="none",outcome="refused"} 1',
      'fixpoint_webhook_events_total{forge="code",kind="opened",outcome="accepted"} 1',
      'fixpoint_webhook_events_total{forge="code",kind="opened",outcome="duplicate"} 1',
    ]);
  });

  it('show 0 for the common events of each forge before the first one, so that an increase sees it', async () => {
    const { app } = createFakeIngress();
    const { body } = await app.inject('/metrics');
    const shown = body.split('\n').filter((line) => line.startsWith('fixpoint_webhook_events_total'));
    const expected = FORGES.flatMap(({ id }) =>
      ['opened', 'reopened', 'pushed', 'ready'].map(
        (kind) => `fixpoint_webhook_events_total{forge="${id}",kind="${kind}",outcome="accepted",service="ingress"} 0`,
      ),
    );
    expect(shown.toSorted()).toEqual(expected.toSorted());
  });

  it('say nothing about what was asked for elsewhere', async () => {
    const { app } = createFakeIngress();
    for (const url of ['/somewhere/secret', '/webhooks/code', '/webhooks/%E0%A4%A']) {
      const response = await app.inject(url);
      expect([400, 404]).toContain(response.statusCode);
      expect(Object.keys(response.json())).toEqual(['error']);
      expect(response.body).not.toMatch(/secret|code|%E0/);
    }
  });
});
