import { describe, expect, it } from 'vitest';
import type { DeliveryHeaders } from '../../../shared/webhooks/headers.ts';
import { DIALECTS } from '../../../shared/forge/kinds/forge-kind.ts';
import { dedupKeyOf } from '../../../shared/webhooks/dedup-key.ts';
import { parseForgejo } from '../../../shared/forge/forgejo/webhooks/parse-forgejo.ts';
import { parseGitlab } from '../../../shared/forge/gitlab/webhooks/parse-gitlab.ts';
import {
  forgejoComment,
  forgejoHeaders,
  forgejoPullRequest,
  gitlabEmoji,
  gitlabHeaders,
  gitlabMergeRequest,
  gitlabNote,
  gitlabPipeline,
  gitlabUpdate,
  OLD_HEAD,
} from './payloads.ts';

const keyOf = (forge: string, parsed: ReturnType<typeof parseGitlab>): string => {
  if (parsed.kind !== 'event') throw new Error(parsed.kind);
  return dedupKeyOf(forge, parsed);
};

const gitlab = (body: unknown, headers: DeliveryHeaders = gitlabHeaders()): string =>
  keyOf('main', parseGitlab(headers, body));
const forgejo = (eventType: string, body: unknown): string =>
  keyOf('main', parseForgejo(forgejoHeaders(eventType), body));

const later = { updated_at: '2026-05-01T11:00:00Z' };

describe('GL2: a pipeline', () => {
  it('that fails twice within a second has told of two events', () => {
    const told = (id: number) => gitlab(gitlabPipeline({ status: 'failed' }, { builds: [{ id, status: 'failed' }] }));
    expect(told(1)).toBe(told(1));
    expect(told(1)).not.toBe(told(2));
    expect(gitlab(gitlabPipeline({}, { builds: 'none' }))).toBe(gitlab(gitlabPipeline({}, { builds: [] })));
  });
});

describe('dedupKey', () => {
  it('is short, opaque and the same every time', () => {
    expect(gitlab(gitlabMergeRequest())).toMatch(/^[0-9a-f]{64}$/);
    expect(gitlab(gitlabMergeRequest())).toBe(gitlab(gitlabMergeRequest()));
  });

  it('is one for the hooks of a project, its group and the instance', () => {
    expect(gitlab(gitlabMergeRequest(), gitlabHeaders('System Hook'))).toBe(gitlab(gitlabMergeRequest()));
  });

  it('is one for a body that was written down differently', () => {
    const rewritten: unknown = JSON.parse(JSON.stringify(gitlabMergeRequest(), null, 4));
    expect(gitlab(rewritten)).toBe(gitlab(gitlabMergeRequest()));
  });

  it('keeps forges apart', () => {
    const parsed = parseGitlab(gitlabHeaders(), gitlabMergeRequest());
    expect(keyOf('other', parsed)).not.toBe(keyOf('main', parsed));
  });

  it('differs for everything that is a different event', () => {
    const keys = [
      gitlab(gitlabMergeRequest()),
      gitlab(gitlabMergeRequest({ iid: 8 })),
      gitlab(gitlabMergeRequest({ target_project_id: 4 })),
      gitlab(gitlabMergeRequest({ action: 'reopen' })),
      gitlab(gitlabMergeRequest({ action: 'reopen', ...later })),
      gitlab(gitlabUpdate({}, { oldrev: OLD_HEAD })),
      gitlab(gitlabUpdate({}, { oldrev: OLD_HEAD, last_commit: { id: OLD_HEAD } })),
      gitlab(gitlabUpdate({}, { oldrev: OLD_HEAD, ...later })),
      gitlab(gitlabUpdate({ title: { previous: 'a', current: 'b' } })),
      gitlab(gitlabUpdate({ title: { previous: 'b', current: 'c' } })),
      gitlab(gitlabMergeRequest({ action: 'approved' })),
      gitlab(gitlabMergeRequest({ action: 'unapproved' })),
      gitlab(gitlabMergeRequest({ action: 'approved' }, { user: { id: 12 } })),
      gitlab(gitlabNote()),
      gitlab(gitlabNote({ id: 100 })),
      gitlab(gitlabNote({ action: 'update' })),
      gitlab(gitlabNote({ action: 'update', ...later })),
      gitlab(gitlabEmoji()),
      gitlab(gitlabEmoji({ action: 'revoke' })),
      gitlab(gitlabEmoji({ id: 6 })),
      gitlab(gitlabPipeline()),
      gitlab(gitlabPipeline({ status: 'running', finished_at: null })),
      gitlab(gitlabPipeline({ finished_at: '2026-05-01 10:20:00 UTC' })),
      gitlab(gitlabPipeline({ id: 32 })),
      forgejo('pull_request', forgejoPullRequest()),
      forgejo('pull_request_sync', forgejoPullRequest({ action: 'synchronized' })),
      forgejo('pull_request_sync', forgejoPullRequest({ action: 'synchronized' }, later)),
      forgejo('pull_request_label', forgejoPullRequest({ action: 'label_updated' })),
      forgejo('pull_request_label', forgejoPullRequest({ action: 'label_updated' }, { labels: [{ id: 1 }] })),
      forgejo('pull_request_label', forgejoPullRequest({ action: 'label_cleared' })),
      forgejo('pull_request_review_comment', forgejoPullRequest({ action: 'reviewed', review: { content: 'a' } })),
      forgejo('pull_request_review_comment', forgejoPullRequest({ action: 'reviewed', review: { content: 'b' } })),
      forgejo('pull_request_comment', forgejoComment()),
      forgejo('pull_request_comment', forgejoComment({ action: 'edited' })),
      forgejo('pull_request_comment', forgejoComment({ action: 'edited', comment: { id: 99, ...later } })),
    ];
    // The key does not name the dialect: a forge has one. The two "opened" here belong to forges of either kind.
    expect(new Set(keys).size).toBe(keys.length);
  });
});

describe('the delivery id', () => {
  const id = 'f6266f16-1bf3-46a5-9ea4-602e06ead473';

  it('is the one that stays the same in a resend', () => {
    expect(DIALECTS.forgejo.deliveryId({ 'x-forgejo-delivery': id, 'x-gitea-delivery': 'other' })).toBe(id);
    expect(DIALECTS.forgejo.deliveryId({ 'x-gitea-delivery': id, 'x-github-delivery': 'other' })).toBe(id);
    expect(DIALECTS.gitlab.deliveryId({ 'idempotency-key': id, 'webhook-id': 'other' })).toBe(id);
    expect(DIALECTS.gitlab.deliveryId({ 'webhook-id': id })).toBe(id);
  });

  it('is never the one that is new in every request', () => {
    expect(DIALECTS.gitlab.deliveryId({ 'x-gitlab-webhook-uuid': id, 'x-gitlab-event-uuid': id })).toBeNull();
  });

  it.each(['', 'a b', 'a:b', '{tag}', 'x'.repeat(129)])('is not taken when it does not look like one: %j', (odd) => {
    expect(DIALECTS.forgejo.deliveryId({ 'x-forgejo-delivery': odd })).toBeNull();
    expect(DIALECTS.gitlab.deliveryId({ 'idempotency-key': odd })).toBeNull();
  });
});
