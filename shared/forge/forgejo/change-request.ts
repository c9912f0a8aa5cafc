import { z } from 'zod';
import { CommitSha } from '../../vocabulary/ids.ts';
import { closedNumbers } from '../closing-words.ts';
import { ForgeRequestError, hasForgeCode } from '../errors.ts';
import { apiPath } from '../path.ts';
import type { ChangeRequestFacts } from '../port-facts.ts';
import type { ClosedIssue, ReadsClosedIssues } from '../port-issues.ts';
import type { ReadsChangeRequest } from '../port.ts';
import { type ForgejoContext, toAccount, toAccountOrGhost } from './api/context.ts';
import { cloneUrlOf } from './project.ts';
import { ApiPullRequest } from './api/schema.ts';

/** The forge's default WORK_IN_PROGRESS_PREFIXES, used when an installation does not send `draft`. */
const DRAFT_PREFIX = /^\s*(?:WIP:|\[WIP\])/i;

export const isDraft = (pull: Pick<ApiPullRequest, 'draft' | 'title'>): boolean =>
  pull.draft ?? DRAFT_PREFIX.test(pull.title);

/** Gitea does not send `flow`. The head of a change that was pushed without a branch is called `refs/pull/N/head`. */
const isAgit = ({ flow, head }: ApiPullRequest): boolean => flow === 1 || head.ref.startsWith('refs/pull/');

/** A deleted fork has the id -1. An AGit push counts as a fork: its pusher may have no permissions in the target. */
const isFromFork = (pull: ApiPullRequest): boolean => isAgit(pull) || pull.head.repo_id !== pull.base.repo_id;

const noHead = (number: number): ForgeRequestError =>
  new ForgeRequestError({
    code: 'FORGE_BAD_ANSWER',
    message: 'the forge names no commit for the change request',
    disposition: { kind: 'retry' },
    fields: { changeRequest: number },
  });

const headOf = (pull: ApiPullRequest): CommitSha => {
  if (pull.head.sha === '') throw noHead(pull.number);
  return pull.head.sha;
};

/** Returns null until the forge has compared the branches. The forge compares them again in the background after each push. */
export const mergeBaseOf = ({ merge_base: base }: Pick<ApiPullRequest, 'merge_base'>): CommitSha | null =>
  CommitSha.safeParse(base).data ?? null;

/** The target branch of a closed change request may have been deleted; the merge base is then its last known commit. */
const targetHeadOf = (pull: ApiPullRequest): CommitSha => {
  const known = pull.base.sha === '' ? mergeBaseOf(pull) : pull.base.sha;
  if (known === null) throw noHead(pull.number);
  return known;
};

const stateOf = (pull: ApiPullRequest): ChangeRequestFacts['state'] => {
  if (pull.merged === true) return 'merged';
  return pull.state === 'open' ? 'open' : 'closed';
};

/** Returns null when the source repository is deleted or the head was pushed without a source repository (AGit). */
const forkUrlOf = (pull: ApiPullRequest, base: URL): string | null => {
  const { repo } = pull.head;
  return isAgit(pull) || repo === null || repo === undefined ? null : cloneUrlOf(base, repo);
};

const assigneesOf = ({ assignees }: ApiPullRequest): Pick<ChangeRequestFacts, 'assignees'> => {
  const people = (assignees ?? []).map(toAccount);
  return people.length === 0 ? {} : { assignees: people };
};

/** The answer names the project as it is called now, so no further request is needed after a rename. */
const projectPathOf = ({ base: { repo } }: ApiPullRequest): Pick<ChangeRequestFacts, 'projectPath'> =>
  repo === null || repo === undefined ? {} : { projectPath: `${repo.owner.login}/${repo.name}` };

type Read = { readonly of: ChangeRequestFacts['changeRequest']; readonly base: URL };

const toFacts = (pull: ApiPullRequest, { of: changeRequest, base }: Read): ChangeRequestFacts => ({
  changeRequest,
  state: stateOf(pull),
  draft: isDraft(pull),
  title: pull.title,
  description: pull.body ?? '',
  author: toAccountOrGhost(pull.user),
  labels: (pull.labels ?? []).map((label) => label.name),
  head: headOf(pull),
  targetHead: targetHeadOf(pull),
  sourceBranch: pull.head.ref,
  targetBranch: pull.base.ref,
  mergeBase: mergeBaseOf(pull),
  fromFork: isFromFork(pull),
  forkUrl: forkUrlOf(pull, base),
  reviewers: (pull.requested_reviewers ?? []).map(toAccount),
  ...assigneesOf(pull),
  updatedAtMs: pull.updated_at,
  webUrl: pull.html_url,
  ...projectPathOf(pull),
});

// GET /repos/{owner}/{repo}/pulls/{index}: https://codeberg.org/api/swagger#/repository/repoGetPullRequest
export const readsChangeRequest = ({ http, projects, base }: ForgejoContext): ReadsChangeRequest => {
  const fetch: ReadsChangeRequest['fetchChangeRequest'] = (of, signal) =>
    projects.withProject(of.projectId, signal, async ({ owner, name }) => {
      const path = apiPath`/api/v1/repos/${owner.login}/${name}/pulls/${of.number}`;
      const { value: pull } = await http.read({ path, schema: ApiPullRequest }, signal);
      return pull.base.repo_id === of.projectId ? toFacts(pull, { of, base }) : null;
    });
  return {
    fetchChangeRequest: async (of, signal) => {
      try {
        const facts = await fetch(of, signal);
        if (facts !== null) return facts;
        // Another project may now have the cached path.
        projects.forget(of.projectId);
        return await fetch(of, signal);
      } catch (error) {
        if (hasForgeCode(error, 'FORGE_NOT_FOUND')) return null;
        throw error;
      }
    },
  };
};

/** Change requests are issues, too. */
const ApiIssue = z.object({ title: z.string(), body: z.string().nullish(), pull_request: z.unknown().nullish() });

/** GET /repos/{owner}/{repo}/issues/{index}: https://codeberg.org/api/swagger#/issue/issueGetIssue */
export const readsClosedIssues = ({ http, projects }: ForgejoContext): ReadsClosedIssues => ({
  fetchClosedIssues: async (of, words, signal) => {
    const issues: ClosedIssue[] = [];
    for (const number of closedNumbers(words)) {
      const found = await projects.withProject(of.projectId, signal, async ({ owner, name }) => {
        try {
          const path = apiPath`/api/v1/repos/${owner.login}/${name}/issues/${number}`;
          return (await http.read({ path, schema: ApiIssue }, signal)).value;
        } catch (error) {
          // No such issue, or the project's issues are disabled or not visible.
          if (hasForgeCode(error, 'FORGE_NOT_FOUND', 'FORGE_FORBIDDEN', 'FORGE_REDIRECTED')) return null;
          throw error;
        }
      });
      if (found !== null && (found.pull_request ?? null) === null)
        issues.push({ number, title: found.title, text: found.body ?? '' });
    }
    return issues;
  },
});
