import { describe, expect, it } from 'vitest';
import type { ParsedDelivery } from '../../../shared/webhooks/event.ts';
import { parseGitlab } from '../../../shared/forge/gitlab/webhooks/parse-gitlab.ts';
import {
  forgejoHeaders,
  gitlabEmoji,
  gitlabHeaders,
  gitlabMergeRequest,
  gitlabNote,
  gitlabPipeline,
  gitlabUpdate,
  HEAD,
  OLD_HEAD,
  THREAD,
} from './payloads.ts';

const parse = (body: unknown): ParsedDelivery => parseGitlab(gitlabHeaders(), body);
const said = (parsed: ParsedDelivery): string => ('event' in parsed ? parsed.event.kind : parsed.reason);

const asked = (previous: readonly unknown[], current: readonly unknown[]): Readonly<Record<string, unknown>> => ({
  reviewers: { previous, current },
});

describe('parseGitlab', () => {
  it('takes ids and the head, and nothing else', () => {
    expect(parse(gitlabMergeRequest())).toEqual({
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
    ['open', 'opened'],
    ['reopen', 'reopened'],
    ['close', 'closed'],
    ['merge', 'merged'],
    ['update', 'metadata'],
    ['approved', 'human_review'],
    ['approval', 'human_review'],
    ['unapproved', 'human_review'],
    ['unapproval', 'human_review'],
    ['launch', 'the action on the change request is not known'],
    [undefined, 'the action on the change request is not known'],
  ])('reads the action %s as: %s', (action, meaning) => {
    expect(said(parse(gitlabMergeRequest({ action })))).toBe(meaning);
  });

  it.each([
    ['a new head', gitlabUpdate({}, { oldrev: OLD_HEAD }), 'pushed'],
    ['a new head by the forge itself', gitlabUpdate({}, { oldrev: OLD_HEAD, system: true }), 'pushed'],
    ['approvals reset', gitlabUpdate({}, { system: true }), 'the forge itself took approvals back'],
    ['draft to ready', gitlabUpdate({ draft: { previous: true, current: false } }), 'ready'],
    [
      'F-C8: draft to ready before 13.2',
      gitlabUpdate({ work_in_progress: { previous: true, current: false } }),
      'ready',
    ],
    ['F-C8: ready to draft before 13.2', gitlabUpdate({ work_in_progress: { current: true } }), 'became_draft'],
    ['F-C8: a draft title that is gone', gitlabUpdate({ title: { previous: 'Draft: x', current: 'x' } }), 'ready'],
    ['F-C8: WIP that is gone', gitlabUpdate({ title: { previous: '[WIP] x', current: 'x' } }), 'ready'],
    ['F-C8: a new draft title', gitlabUpdate({ title: { previous: 'x', current: 'WIP: x' } }), 'became_draft'],
    ['F-C8: a title of another spelling', gitlabUpdate({ title: { previous: '(Draft) x', current: 'x' } }), 'ready'],
    ['F-C8: a draft that is renamed', gitlabUpdate({ title: { previous: 'Draft: x', current: 'WIP: y' } }), 'metadata'],
    ['F-C8: any other title', gitlabUpdate({ title: { previous: 'x', current: 'drafty: y' } }), 'metadata'],
    [
      'F-C8: the flag, whatever the title says',
      gitlabUpdate({ draft: { current: true }, title: { previous: 'Draft: x', current: 'x' } }),
      'became_draft',
    ],
    ['ready to draft', gitlabUpdate({ draft: { previous: false, current: true } }), 'became_draft'],
    ['another target', gitlabUpdate({ target_branch: { previous: 'a', current: 'b' } }), 'retargeted'],
    ['labels', gitlabUpdate({ labels: { previous: [], current: [{ id: 1 }] } }), 'metadata'],
    ['all threads resolved', gitlabUpdate({}), 'metadata'],
    ['a reviewer', gitlabUpdate(asked([], [{ id: 42 }])), 'review_requested'],
    ['a reviewer less', gitlabUpdate(asked([{ id: 42 }], [])), 'metadata'],
    ['a reviewer kept', gitlabUpdate(asked([{ id: 42 }], [{ id: 42, re_requested: false }])), 'metadata'],
    ['a reviewer asked again', gitlabUpdate(asked([{ id: 42 }], [{ id: 42, re_requested: true }])), 'review_requested'],
    ['reviewers of no known shape', gitlabUpdate({ reviewers: 'all' }), 'metadata'],
    ['changes of no known shape', gitlabMergeRequest({ action: 'update' }, { changes: ['draft'] }), 'metadata'],
    ['a push and more', gitlabUpdate({ draft: { current: false } }, { oldrev: OLD_HEAD }), 'pushed'],
  ])('reads an update with %s', (_name, body, meaning) => {
    expect(said(parse(body))).toBe(meaning);
  });

  it.each([
    ['one', asked([], [{ id: 42 }]), 42],
    ['one beside those already asked', asked([{ id: 5 }], [{ id: 5 }, { id: 42 }]), 42],
    ['one again', asked([{ id: 5 }, { id: 42 }], [{ id: 5 }, { id: 42, re_requested: true }]), 42],
    ['one in the shape of the documentation', { reviewers: [[{ id: 42 }], [{ id: 42, re_requested: true }]] }, 42],
    ['several, who have to be looked up', asked([], [{ id: 5 }, { id: 42 }]), null],
  ])('names the reviewer that was asked: %s', (_name, changes, requestedReviewerId) => {
    expect(parse(gitlabUpdate(changes))).toMatchObject({ event: { kind: 'review_requested', requestedReviewerId } });
  });

  it('keeps the reviewer who was asked by the update that also made it ready', () => {
    const changes = { draft: { current: false }, ...asked([], [{ id: 42 }]) };
    expect(parse(gitlabUpdate(changes))).toMatchObject({ event: { kind: 'ready', requestedReviewerId: 42 } });
  });

  it.each([
    ['a new comment', gitlabNote(), 'comment'],
    ['a new comment of an old version', gitlabNote({ action: undefined }), 'comment'],
    ['an edited comment', gitlabNote({ action: 'update' }), 'comment_edited'],
    ['an unknown action', gitlabNote({ action: 'pin' }), 'the action on the comment is not known'],
    ['a comment on an issue', gitlabNote({ noteable_type: 'Issue' }), 'the comment is not on a change request'],
    [
      'a comment without its change request',
      gitlabNote({}, { merge_request: null }),
      'the payload names no change request',
    ],
    ['a system note', gitlabNote({ system: true }), 'the comment was written by the forge itself'],
    ['an internal comment', gitlabNote({ internal: true }), 'the comment is internal: an answer would be public'],
    [
      'a confidential comment',
      gitlabNote({ confidential: true }),
      'the comment is internal: an answer would be public',
    ],
    [
      'a confidential hook',
      gitlabNote({}, { event_type: 'confidential_note' }),
      'the comment is internal: an answer would be public',
    ],
  ])('reads %s', (_name, body, meaning) => {
    expect(said(parse(body))).toBe(meaning);
  });

  it('names the comment, its author and its thread', () => {
    expect(parse(gitlabNote({}, { user: {} }))).toMatchObject({
      event: { projectId: 3, number: 7, head: HEAD, noteId: 99, actorId: 11, threadHint: THREAD },
    });
    expect(parse(gitlabNote({ discussion_id: 'https://elsewhere.test' }))).toMatchObject({
      event: { threadHint: null },
    });
  });

  it.each([
    ['on a comment', gitlabEmoji(), 'reaction'],
    ['taken back', gitlabEmoji({ action: 'revoke' }), 'reaction'],
    ['on the change request', gitlabEmoji({ awardable_type: 'MergeRequest', awardable_id: 4 }), 'reaction'],
    ['on an issue', gitlabEmoji({ awardable_type: 'Issue' }), 'the reaction is not on a change request'],
    [
      'on a comment on an issue',
      gitlabEmoji({}, { merge_request: undefined }),
      'the reaction is not on a change request',
    ],
  ])('reads a reaction %s', (_name, body, meaning) => {
    expect(said(parse(body))).toBe(meaning);
  });

  it('names the comment of a reaction, but not the global id of a change request', () => {
    expect(parse(gitlabEmoji())).toMatchObject({ event: { noteId: 99 } });
    const onChangeRequest = gitlabEmoji({ awardable_type: 'MergeRequest', awardable_id: 4 });
    expect(parse(onChangeRequest)).toMatchObject({ event: { noteId: null } });
  });

  it('never takes the commit of a pipeline, which may be a trial merge, for a head', () => {
    expect(parse(gitlabPipeline())).toMatchObject({ event: { kind: 'pipeline', number: 7, head: null } });
  });

  it('GL2: takes a pipeline of a branch for something about its commit', () => {
    expect(parse(gitlabPipeline({ sha: HEAD }, { merge_request: null }))).toMatchObject({
      kind: 'commit',
      projectId: expect.any(Number),
      head: HEAD,
      event: { kind: 'pipeline' },
    });
    const nameless = gitlabPipeline({ sha: 'main' }, { merge_request: null });
    expect(said(parse(nameless))).toBe('the pipeline names no commit');
  });

  it('names no path when the payload names the fork instead of the target', () => {
    const merge = { iid: 7, target_project_id: 8 };
    expect(parse(gitlabPipeline({}, { merge_request: merge }))).toMatchObject({
      event: { projectId: 8 },
      projectPath: null,
    });
  });

  it('finds the project of a system hook in the target', () => {
    const target = { path_with_namespace: 'acme/widgets' };
    expect(parse(gitlabMergeRequest({ target }, { project: {} }))).toMatchObject({
      event: { projectId: 3 },
      projectPath: 'acme/widgets',
    });
    expect(said(parse(gitlabMergeRequest({ target_project_id: null }, { project: null })))).toBe(
      'the payload names no project',
    );
  });

  it.each(['push', 'tag_push', 'issue', 'build', 'release', '__proto__', ''])('ignores %s', (kind) => {
    expect(said(parse({ ...gitlabMergeRequest(), object_kind: kind }))).toBe('the event is not about a change request');
  });

  it('ignores what other forges send', () => {
    expect(said(parseGitlab(forgejoHeaders('pull_request'), gitlabMergeRequest()))).toBe(
      'the delivery comes from another kind of forge',
    );
  });

  it.each([
    ['number', gitlabMergeRequest({ iid: 2 ** 53 })],
    ['project', gitlabMergeRequest({ target_project_id: 2 ** 53 })],
    ['actor', gitlabMergeRequest({}, { user: { id: 2 ** 53 } })],
    ['comment', gitlabNote({ id: 2 ** 53 })],
    ['reaction', gitlabEmoji({ awardable_id: 2 ** 53 })],
    ['pipeline', gitlabPipeline({ id: 0 })],
  ])('refuses an id that JSON may have rounded or that no forge gives: %s', (_name, body) => {
    expect(parse(body)).toEqual({ kind: 'refused', reason: 'the payload has an invalid number' });
  });

  it.each(['merge_request', 'note', 'emoji', 'pipeline'])('ignores a %s that lacks its fields', (kind) => {
    expect(parse({ object_kind: kind })).toEqual({
      kind: 'ignored',
      reason: 'the payload lacks fields that its event needs',
    });
  });

  it.each([null, [], 'text', 7])('ignores a body that is no event: %o', (body) => {
    expect(parse(body)).toMatchObject({ kind: 'ignored' });
  });
});
