import { describe, expect, it } from 'vitest';
import type { ParsedDelivery } from '../../../shared/webhooks/event.ts';
import { parseForgejo } from '../../../shared/forge/forgejo/webhooks/parse-forgejo.ts';
import { forgejoComment, forgejoHeaders, forgejoPullRequest, gitlabHeaders, HEAD } from './payloads.ts';

const said = (parsed: ParsedDelivery): string => ('event' in parsed ? parsed.event.kind : parsed.reason);

const edited = (changes: unknown, pullRequest = {}): unknown =>
  forgejoPullRequest({ action: 'edited', changes }, pullRequest);

describe('parseForgejo', () => {
  it('takes ids and the head, and nothing else', () => {
    expect(parseForgejo(forgejoHeaders('pull_request'), forgejoPullRequest())).toEqual({
      kind: 'event',
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
      projectPath: 'acme/widgets',
      contentHash: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
  });

  it.each([
    ['pull_request', { action: 'opened' }, 'opened'],
    ['pull_request', { action: 'reopened' }, 'reopened'],
    ['pull_request', { action: 'closed' }, 'closed'],
    ['pull_request', { action: 'launched' }, 'the action on the change request is not known'],
    ['pull_request_sync', { action: 'synchronized' }, 'pushed'],
    ['pull_request_label', { action: 'label_updated' }, 'metadata'],
    ['pull_request_label', { action: 'label_cleared' }, 'metadata'],
    ['pull_request_milestone', { action: 'milestoned' }, 'metadata'],
    ['pull_request_milestone', { action: 'demilestoned' }, 'metadata'],
    ['pull_request_assign', { action: 'assigned' }, 'assignees do not matter to a review'],
    ['pull_request_review_request', { action: 'review_requested', requested_reviewer: { id: 42 } }, 'review_requested'],
    [
      'pull_request_review_request',
      { action: 'review_requested', requested_reviewer: null },
      'the review is requested from a team',
    ],
    ['pull_request_review_request', { action: 'review_request_removed' }, 'a review is no longer requested'],
    ['pull_request_review_approved', { action: 'reviewed' }, 'human_review'],
    ['pull_request_review_rejected', { action: 'reviewed' }, 'human_review'],
    ['pull_request_review_comment', { action: 'reviewed' }, 'human_review'],
    ['pull_request_comment', { action: 'reviewed' }, 'human_review'],
    ['pull_request_approved', { action: 'reviewed' }, 'the event is not about a change request'],
    ['status', {}, 'the event is not about a change request'],
    ['__proto__', {}, 'the event is not about a change request'],
  ])('reads %s with %o as: %s', (eventType, fields, meaning) => {
    expect(said(parseForgejo(forgejoHeaders(eventType), forgejoPullRequest(fields)))).toBe(meaning);
  });

  it('names the reviewer that was asked', () => {
    const body = forgejoPullRequest({ action: 'review_requested', requested_reviewer: { id: 42 } });
    expect(parseForgejo(forgejoHeaders('pull_request_review_request'), body)).toMatchObject({
      event: { requestedReviewerId: 42, actorId: 11 },
    });
  });

  it('tells a merge from a close', () => {
    const body = forgejoPullRequest({ action: 'closed' }, { merged: true });
    expect(said(parseForgejo(forgejoHeaders('pull_request'), body))).toBe('merged');
  });

  it.each([
    ['a new target branch', edited({ ref: { from: 'main' } }), 'retargeted'],
    ['a new description', edited({ body: { from: 'old' } }), 'metadata'],
    ['nothing named', edited(undefined), 'metadata'],
    ['another title', edited({ title: { from: 'Count' } }), 'metadata'],
    ['a draft title that stays one', edited({ title: { from: 'WIP: Count' } }, { draft: true }), 'metadata'],
    ['a prefix that is gone', edited({ title: { from: '[wip] Count' } }, { draft: false }), 'ready'],
    ['a new prefix', edited({ title: { from: 'Count' } }, { draft: true }), 'became_draft'],
    [
      'a new prefix on a forge without the flag',
      edited({ title: { from: 'C' } }, { draft: null, title: 'WIP: C' }),
      'became_draft',
    ],
    ['changes of an unknown shape', edited(['title']), 'metadata'],
  ])('reads an edit with %s', (_name, body, meaning) => {
    expect(said(parseForgejo(forgejoHeaders('pull_request'), body))).toBe(meaning);
  });

  it.each([
    ['created', 'comment'],
    ['edited', 'comment_edited'],
    ['deleted', 'the comment was deleted'],
    ['pinned', 'the action on the comment is not known'],
  ])('reads a comment that was %s', (action, meaning) => {
    expect(said(parseForgejo(forgejoHeaders('pull_request_comment'), forgejoComment({ action })))).toBe(meaning);
  });

  it('names the comment and its change request', () => {
    expect(parseForgejo(forgejoHeaders('pull_request_comment'), forgejoComment())).toMatchObject({
      event: { projectId: 3, number: 7, noteId: 99, actorId: 11, head: null },
    });
  });

  it('leaves comments on issues alone', () => {
    expect(said(parseForgejo(forgejoHeaders('issue_comment'), forgejoComment({ is_pull: false })))).toBe(
      'the event is not about a change request',
    );
  });

  it('never looks at the coarse event, which calls a review what the fine one calls a comment', () => {
    const headers = { ...forgejoHeaders('pull_request_review_comment'), 'x-forgejo-event': 'pull_request_comment' };
    expect(said(parseForgejo(headers, forgejoPullRequest({ action: 'reviewed' })))).toBe('human_review');
    const coarse = { 'x-forgejo-event': 'pull_request', 'x-github-event': 'pull_request' };
    expect(said(parseForgejo(coarse, forgejoPullRequest()))).toBe('the delivery names no event type');
  });

  it('takes the headers of Forgejo before those of Gitea, and Gitea alone', () => {
    const both = { ...forgejoHeaders('push', 'gitea'), ...forgejoHeaders('pull_request') };
    expect(said(parseForgejo(both, forgejoPullRequest()))).toBe('opened');
    expect(said(parseForgejo(forgejoHeaders('pull_request', 'gitea'), forgejoPullRequest()))).toBe('opened');
  });

  it('ignores what GitLab sends', () => {
    const headers = { ...forgejoHeaders('pull_request'), ...gitlabHeaders() };
    expect(said(parseForgejo(headers, forgejoPullRequest()))).toBe('the delivery comes from another kind of forge');
  });

  it.each([
    ['a ghost', { id: -1 }],
    ['the forge itself', { id: -2 }],
    ['an account without id', {}],
    ['nobody', null],
  ])('knows no actor when the sender is %s', (_name, sender) => {
    expect(parseForgejo(forgejoHeaders('pull_request'), forgejoPullRequest({ sender }))).toMatchObject({
      kind: 'event',
      event: { actorId: null },
    });
  });

  it.each([
    ['a deleted fork', { head: null }],
    ['a short commit id', { head: { sha: 'abc123' } }],
    ['no commit id', { head: {} }],
  ])('knows no head with %s', (_name, pullRequest) => {
    expect(parseForgejo(forgejoHeaders('pull_request'), forgejoPullRequest({}, pullRequest))).toMatchObject({
      kind: 'event',
      event: { head: null },
    });
  });

  it.each([
    ['repository', { repository: { id: 2 ** 53, full_name: 'acme/widgets' } }],
    ['number', { number: 2 ** 53 }],
    ['sender', { sender: { id: 2 ** 53 } }],
    ['zero', { number: 0 }],
  ])('refuses an id that JSON may have rounded or that no forge gives: %s', (_name, fields) => {
    expect(parseForgejo(forgejoHeaders('pull_request'), forgejoPullRequest(fields))).toEqual({
      kind: 'refused',
      reason: 'the payload has an invalid number',
    });
  });

  it.each([
    ['pull_request', 'opened', 'opened'],
    ['pull_request', 'closed', 'closed'],
    ['pull_request', 'edited', 'metadata'],
    ['pull_request_sync', 'synchronized', 'pushed'],
  ])('reads %s %s although the forge could not load the pull request', (eventType, action, kind) => {
    const changes = { title: { from: 'before' } };
    for (const pull of [null, undefined]) {
      const body = forgejoPullRequest({ action, changes, pull_request: pull });
      expect(parseForgejo(forgejoHeaders(eventType), body)).toMatchObject({
        kind: 'event',
        event: { kind, head: null },
      });
    }
  });

  it.each([null, [], 'text', 7, {}, { action: 'opened' }])('ignores a body that is no event: %o', (body) => {
    for (const eventType of ['pull_request', 'pull_request_comment']) {
      expect(parseForgejo(forgejoHeaders(eventType), body)).toMatchObject({
        kind: 'ignored',
        reason: 'the payload lacks fields that its event needs',
      });
    }
  });
});
