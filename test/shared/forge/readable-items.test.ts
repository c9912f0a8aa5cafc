/** Lists with an element that cannot be read: some leave it out, others must fail. */
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { ApiPullRequest, ApiReview } from '../../../shared/forge/forgejo/api/schema.ts';
import { ApiDiscussion, ApiMergeRequest } from '../../../shared/forge/gitlab/api/schema.ts';
import { readableItems } from '../../../shared/forge/readable-items.ts';

const AT = '2026-03-01T10:00:00Z';
const SHA = 'a'.repeat(40);

describe('a list in which a missing element is harmless', () => {
  test('leaves out what is null or cannot be read, and keeps the order', () => {
    const list = readableItems(z.object({ id: z.number() }));
    expect(list.parse([{ id: 1 }, null, { id: 'two' }, 'three', { id: 4 }])).toEqual([{ id: 1 }, { id: 4 }]);
    expect(list.safeParse('no list').success).toBe(false);
  });

  test('of a pull request does not make the pull request unreadable', () => {
    const branch = { ref: 'main', sha: SHA, repo_id: 1 };
    const user = { id: 7, login: 'ann' };
    const read = ApiPullRequest.parse({
      number: 1,
      state: 'open',
      title: 'One',
      head: branch,
      base: branch,
      labels: [null, { name: 'ready' }],
      requested_reviewers: [{}, user],
      assignees: [user, null],
      updated_at: AT,
      html_url: 'https://forge.example/a/b/pulls/1',
    });
    expect([read.labels, read.requested_reviewers, read.assignees]).toEqual([[{ name: 'ready' }], [user], [user]]);
  });

  test('of a merge request does not make the merge request unreadable', () => {
    const user = { id: 7, username: 'ann' };
    const read = ApiMergeRequest.parse({
      iid: 1,
      title: 'One',
      state: 'opened',
      sha: SHA,
      labels: ['ready', null],
      reviewers: [null, user],
      assignees: [user, {}],
      source_branch: 'feature',
      target_branch: 'main',
      target_project_id: 1,
      updated_at: AT,
      web_url: 'https://forge.example/a/b/-/merge_requests/1',
    });
    expect([read.labels, read.reviewers, read.assignees]).toEqual([['ready'], [user], [user]]);
  });
});

describe('a list that says what was already written', () => {
  test('fails rather than lose a review', () => {
    expect(z.array(ApiReview).safeParse([null]).success).toBe(false);
  });

  test('keeps a note whose position cannot be read, and fails rather than lose a note', () => {
    const note = { id: 1, body: 'x', system: false, created_at: AT, updated_at: AT };
    const discussion = { id: 'd', individual_note: false };
    const read = ApiDiscussion.parse({ ...discussion, notes: [{ ...note, position: {} }] });
    expect(read.notes.map(({ id, position }) => ({ id, position }))).toEqual([{ id: 1, position: null }]);
    expect(ApiDiscussion.safeParse({ ...discussion, notes: [note, null] }).success).toBe(false);
  });
});
