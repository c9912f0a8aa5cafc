/** Every recorded answer of a GitLab against what the adapter takes from such an answer. Without the recordings skipped. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { ApiHook } from '../../../shared/forge/gitlab/project/list-hooks.ts';
import * as schema from '../../../shared/forge/gitlab/api/schema.ts';
import { sharedData } from '../../support/shared-data.ts';

const folder = sharedData('api-responses', 'gitlab');
const absent = folder === null ? ' (the recorded answers are not here)' : '';

/** Some are recordings of whole exchanges. */
const Exchanges = z.array(z.object({ method: z.string(), path: z.string(), response: z.unknown() }));

const read = (name: string): unknown => JSON.parse(readFileSync(join(folder ?? '', `${name}.json`), 'utf8'));
const listed = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [value]);
const exchanged = (value: unknown, path: RegExp): readonly unknown[] =>
  Exchanges.parse(value)
    .filter((each) => each.method === 'GET' && path.test(each.path))
    .map(({ response }) => response);

type Reading = { readonly as: z.ZodType; readonly of?: (value: unknown) => readonly unknown[] };

const each = (as: z.ZodType): Reading => ({ as, of: listed });

const READ: Readonly<Record<string, Reading>> = {
  danger__getMergeRequestApprovals: {
    as: schema.ApiApprovals,
    of: (value) => exchanged(value, /\/approvals$/),
  },
  danger__getMergeRequestInfo: {
    as: schema.ApiMergeRequest,
    of: (value) => exchanged(value, /\/merge_requests\/\d+$/),
  },
  'drone-go-scm__hook': each(ApiHook),
  'drone-go-scm__hook_skip_verification': each(ApiHook),
  'gitlab-docs__project_webhooks_get_a_project_webhook': each(ApiHook),
  'drone-go-scm__merge_diff': each(schema.ApiMergeRequest),
  danger__getUser: { as: schema.ApiUser, of: (value) => exchanged(value, /\/user$/) },
  danger__updateMergeRequestInfo: {
    as: schema.ApiMergeRequest,
    of: (value) => exchanged(value, /\/merge_requests\/\d+$/),
  },
  'drone-go-scm__merge': each(schema.ApiMergeRequest),
  'drone-go-scm__merges': each(schema.ApiMergeRequest),
  'drone-go-scm__status': each(schema.ApiStatus),
  'gitlab-docs__approvals_approve_merge_request': each(schema.ApiApprovals),
  'gitlab-docs__approvals_retrieve_approval_state_for_a_merge_request': each(schema.ApiApprovals),
  'gitlab-docs__commits_list_merge_requests_associated_with_a_commit': each(schema.ApiMergeRequestEntry),
  'gitlab-docs__commits_set_commit_pipeline_status': each(schema.ApiStatus),
  'gitlab-docs__discussions_create_new_merge_request_thread_create_a_new_thread_in_the_merge_request_diff': {
    as: schema.ApiDiffVersion,
    // The documentation leaves the rest of its list out in words.
    of: (value) => listed(value).filter((one) => typeof one === 'object'),
  },
  'gitlab-docs__discussions_list_project_merge_request_discussion_items': each(schema.ApiDiscussion),
  'gitlab-docs__discussions_list_project_merge_request_discussion_items_2': each(schema.ApiDiscussion),
  'gitlab-docs__draft_notes_list_all_merge_request_draft_notes': each(schema.ApiDraftNote),
  'gitlab-docs__emoji_add_an_emoji_reaction_to_a_resource': each(schema.ApiAward),
  'gitlab-docs__emoji_list_all_emoji_reactions_for_a_comment': each(schema.ApiAward),
  'gitlab-docs__emoji_retrieve_an_emoji_reaction_from_a_comment': each(schema.ApiAward),
  'gitlab-docs__merge_requests_retrieve_merge_request_diff_versions': each(schema.ApiDiffVersion),
  gitlab4j__approvals: each(schema.ApiApprovals),
  'gitlab4j__award-emoji': each(schema.ApiAward),
  'gitlab4j__commit-status': each(schema.ApiStatus),
  'gitlab4j__merge-request-diff': each(schema.ApiDiffVersion),
  'gitlab4j__merge-request-note': each(schema.ApiNote),
  'go-gitlab__create_draft_note': each(schema.ApiDraftNote),
  'go-gitlab__get_draft_note': each(schema.ApiDraftNote),
  'go-gitlab__get_merge_request': each(schema.ApiMergeRequest),
  'go-gitlab__get_merge_requests': each(schema.ApiMergeRequest),
  'go-gitlab__get_merge_requests_author_username': each(schema.ApiMergeRequestEntry),
  'go-gitlab__get_merge_requests_not_author_username': each(schema.ApiMergeRequestEntry),
  'go-gitlab__get_serviceaccounts': each(schema.ApiUser),
  'go-gitlab__get_user_admin': each(schema.ApiMarkedUser),
  'go-gitlab__list_draft_notes': each(schema.ApiDraftNote),
  'jx-go-scm__merge': each(schema.ApiMergeRequest),
  'jx-go-scm__merges': each(schema.ApiMergeRequestEntry),
  'jx-go-scm__pr_create': each(schema.ApiMergeRequest),
  'jx-go-scm__project_member_perm': each(schema.ApiMember),
  'jx-go-scm__statuses': each(schema.ApiStatus),
};

/** What others cut down for their own tests: exactly these fields, which no GitLab leaves out, are missing. */
const CUT: Readonly<Record<string, { readonly as: z.ZodType; readonly missing: readonly string[] }>> = {
  'drone-go-scm__merge_discussion': {
    as: schema.ApiDiscussion,
    missing: ['notes.0.created_at', 'notes.0.system', 'notes.0.updated_at'],
  },
  'drone-go-scm__merge_with_diffrefs': {
    as: schema.ApiMergeRequest,
    missing: ['source_branch', 'state', 'target_branch', 'target_project_id', 'updated_at', 'web_url'],
  },
  'gitlab4j__merge-request': { as: schema.ApiMergeRequest, missing: ['target_project_id', 'web_url'] },
  'gitlab4j__merge-request-discussions': { as: schema.ApiDiscussion, missing: ['notes.0.body'] },
};

const DIFFS = 'diffs come from git';
const TOKENS = 'tokens are the operator’s';

/** Answers to questions that are never asked, and why not. */
const UNREAD: Readonly<Record<string, string>> = {
  danger__getCompareChanges: DIFFS,
  danger__getFileContents: 'files come from git',
  danger__getMergeRequestCommits: 'commits come from git',
  danger__getMergeRequestDiffs: DIFFS,
  danger__gitlab_changes: DIFFS,
  'drone-go-scm__commit_diff': DIFFS,
  'drone-go-scm__merge_diffs': DIFFS,
  'drone-go-scm__merge_diffs_page2': DIFFS,
  'gitlab-docs__approvals_retrieve_approval_details_for_a_merge_request': 'rules of approval are the project’s',
  'gitlab-docs__merge_requests_retrieve_merge_request_commits': 'commits come from git',
  'gitlab-docs__project_access_tokens_create_a_project_access_token': TOKENS,
  'gitlab-docs__project_access_tokens_retrieve_details_on_a_project_access_token': TOKENS,
  'gitlab-docs__project_access_tokens_rotate_a_project_access_token': TOKENS,
  'gitlab-docs__project_webhooks_resend_a_project_webhook_event': 'a lost event is found by the sweep',
  'gitlab-docs__project_webhooks_trigger_a_test_project_webhook': 'a lost event is found by the sweep',
  'gitlab-docs__suggestions_apply_a_suggestion': 'people apply suggestions',
  'gitlab4j__approval-state': 'rules of approval are the project’s',
  gitlab4j__diff: DIFFS,
  'gitlab4j__merge-request-comment': 'an answer of an interface that is gone',
  'go-gitlab__create_group_access_token': TOKENS,
  'go-gitlab__get_group_access_token': TOKENS,
  'go-gitlab__list_group_access_tokens': TOKENS,
  'go-gitlab__list_merge_request_diff': DIFFS,
  'go-gitlab__rotate_group_access_token': TOKENS,
  'jx-go-scm__compare': DIFFS,
  'jx-go-scm__pr_events': 'labels are read where they stand',
  'jx-go-scm__pr_update': 'what was sent, not answered',
};

describe('every recorded answer of GitLab', () => {
  test.skipIf(folder === null)(`is either read here or named as one that nobody asks for${absent}`, () => {
    const names = readdirSync(folder ?? '').map((file) => file.replace(/\.json$/, ''));
    expect(names.toSorted()).toEqual([...Object.keys(READ), ...Object.keys(CUT), ...Object.keys(UNREAD)].toSorted());
  });

  test.skipIf(folder === null).each(Object.entries(READ))(`is understood: %s${absent}`, (name, { as, of = listed }) => {
    const answers = of(read(name));
    expect(answers.length).toBeGreaterThan(0);
    const problems = answers.flatMap((answer) => as.safeParse(answer).error?.issues ?? []);
    expect(problems).toEqual([]);
  });

  test.skipIf(folder === null).each(Object.entries(CUT))(
    `is understood but for what was cut off: %s${absent}`,
    (name, { as, missing }) => {
      const problems = listed(read(name)).flatMap((answer) => as.safeParse(answer).error?.issues ?? []);
      expect(problems.map(({ path }) => path.join('.')).toSorted()).toEqual(missing);
    },
  );

  test.skipIf(folder === null)(`keeps what the adapter goes by${absent}`, () => {
    const versions = listed(read('gitlab-docs__merge_requests_retrieve_merge_request_diff_versions'));
    expect(schema.ApiDiffVersion.parse(versions[0])).toMatchObject({ id: 110 });
    const approvals = schema.ApiApprovals.parse(read('gitlab4j__approvals'));
    expect(approvals.approved_by.map(({ user }) => user?.username)).toEqual(['root', 'ryley']);
    const statuses = listed(read('jx-go-scm__statuses')).map((one) => schema.ApiStatus.parse(one));
    expect(statuses.map(({ name, status }) => [name, status])).toEqual([
      ['default', 'pending'],
      ['test', 'success'],
    ]);
  });
});
