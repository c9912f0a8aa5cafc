import { describe, expect, it } from 'vitest';
import { forgejoPullRequest, gitlabMergeRequest } from '../../shared/webhooks/payloads.ts';
import {
  createFakeIngress,
  deliver,
  forgejoDelivery,
  gitlabDelivery,
  SECRETS,
  signedGitlabDelivery,
} from './fake-ingress.ts';

const CANARY = ['canary', '7d1f', 'bird'].join('-');

const parsed = (lines: readonly string[]): readonly Record<string, unknown>[] =>
  lines.map((line) => JSON.parse(line) as Record<string, unknown>);

describe('what the ingress logs', () => {
  it('holds no token that was refused, and nothing of the delivery', async () => {
    const { app, lines } = createFakeIngress();
    const body = { ...gitlabMergeRequest(), title: CANARY };
    await deliver(
      app,
      gitlabDelivery(body, { 'x-gitlab-token': CANARY, 'user-agent': CANARY, 'idempotency-key': CANARY }),
    );
    await deliver(app, { ...gitlabDelivery(body), url: `/webhooks/${CANARY}` });
    await deliver(app, {
      ...signedGitlabDelivery(body),
      headers: { 'content-type': 'application/json', 'webhook-signature': CANARY },
    });
    await deliver(app, forgejoDelivery('pull_request', forgejoPullRequest({ action: CANARY })));
    await deliver(app, forgejoDelivery(CANARY, forgejoPullRequest(), { cookie: CANARY }));
    await deliver(app, forgejoDelivery('pull_request', `{"${CANARY}`));
    await deliver(app, forgejoDelivery('pull_request', CANARY, { 'content-type': CANARY }));
    await deliver(app, forgejoDelivery('pull_request', forgejoPullRequest({}, { title: CANARY })));
    await app.inject(`/${CANARY}`);
    expect(lines.length).toBeGreaterThanOrEqual(7);
    expect(lines.join('')).not.toContain(CANARY);
  });

  it('holds no secret', async () => {
    const { app, lines } = createFakeIngress();
    await deliver(app, gitlabDelivery(gitlabMergeRequest()));
    await deliver(app, gitlabDelivery(gitlabMergeRequest(), { 'x-gitlab-token': `${SECRETS.lab}x` }));
    await deliver(app, { ...gitlabDelivery(gitlabMergeRequest()), url: '/webhooks/code' });
    for (const secret of Object.values(SECRETS)) expect(lines.join('')).not.toContain(secret);
  });

  it('is one line for each decision, with a constant message', async () => {
    const { app, lines } = createFakeIngress();
    const good = forgejoDelivery('pull_request', forgejoPullRequest());
    await deliver(app, good);
    await deliver(app, good);
    await deliver(app, forgejoDelivery('push', {}));
    await deliver(app, { ...good, headers: { ...good.headers, 'x-forgejo-signature': '' } });
    await deliver(app, { ...good, url: '/webhooks/nowhere' });
    await deliver(app, forgejoDelivery('pull_request', '{'));
    expect(parsed(lines).map(({ level, forge, reason, msg }) => [level, forge, reason, msg])).toEqual([
      ['info', 'code', undefined, 'delivery stored'],
      ['info', 'code', undefined, 'delivery already known'],
      ['info', 'code', 'the event is not about a change request', 'delivery ignored'],
      ['warn', 'code', 'signature_missing', 'delivery not authenticated'],
      ['warn', '(none)', 'signature_mismatch', 'delivery not authenticated'],
      ['warn', 'code', 'the body is not valid JSON', 'delivery could not be parsed'],
    ]);
    expect(parsed(lines)[0]).toMatchObject({ service: 'ingress', project: 3, changeRequest: 7, kind: 'opened' });
  });
});
