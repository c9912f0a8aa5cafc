import { Branches, MergeRequests } from '@gitbeaker/rest';
import type { CommitSha } from '../../vocabulary/ids.ts';
import { ForgeRequestError } from '../errors.ts';
import type { ChangeRequestFacts } from '../port-facts.ts';
import type { ReadsChangeRequest } from '../port.ts';
import { type GitlabContext, toAccount, toAccountOrGhost } from './api/context.ts';
import { hasDraftTitle } from './api/draft-title.ts';
import { gateOf, placeOf } from './status/gate-pipeline.ts';
import { orNull } from './api/or-null.ts';
import { ApiBranch, ApiMergeRequest, type ApiMergeRequestEntry } from './api/schema.ts';

export const isDraft = (mergeRequest: Pick<ApiMergeRequestEntry, 'draft' | 'work_in_progress' | 'title'>): boolean =>
  mergeRequest.draft === true || mergeRequest.work_in_progress === true || hasDraftTitle(mergeRequest.title);

/** `locked` means that the merge is in progress. If the merge fails, the state becomes open again. */
const STATES: Readonly<Record<string, ChangeRequestFacts['state']>> = {
  opened: 'open',
  locked: 'open',
  closed: 'closed',
  merged: 'merged',
};

const noHead = (number: number): ForgeRequestError =>
  new ForgeRequestError({
    code: 'FORGE_BAD_ANSWER',
    message: 'the forge names no commit for the change request',
    disposition: { kind: 'retry' },
    fields: { changeRequest: number },
  });

const headOf = ({ sha, diff_refs: refs, iid }: ApiMergeRequest): CommitSha => {
  const head = sha ?? refs?.head_sha ?? null;
  if (head === null) throw noHead(iid);
  return head;
};

/**
 * The target commit that GitLab built the diff from, because positions refer to it. Before a diff exists: the branch's tip.
 * GET /projects/:id/repository/branches/:branch: https://docs.gitlab.com/api/branches/#get-single-repository-branch
 */
const fetchTargetHead = async (
  { api }: GitlabContext,
  mergeRequest: ApiMergeRequest,
  signal: AbortSignal,
): Promise<CommitSha> => {
  const { diff_refs: refs, target_project_id: projectId, target_branch: branch, iid } = mergeRequest;
  const startSha = refs?.start_sha ?? null;
  if (startSha !== null && refs?.head_sha === headOf(mergeRequest)) return startSha;
  const tip = await orNull(api.read(ApiBranch, signal, (options) => new Branches(options).show(projectId, branch)));
  // The target branch of a closed merge request may have been deleted; `start_sha` is then its last known tip.
  const targetHead = tip?.commit.id ?? startSha;
  if (targetHead === null) throw noHead(iid);
  return targetHead;
};

/** Returns null while the newest diff belongs to an older head: GitLab makes the diff of a push in the background. */
const mergeBaseOf = (mergeRequest: ApiMergeRequest): CommitSha | null => {
  const { diff_refs: refs } = mergeRequest;
  return refs?.head_sha === headOf(mergeRequest) ? (refs.base_sha ?? null) : null;
};

/** The source project is null when the fork is deleted. */
const isFromFork = (mergeRequest: ApiMergeRequest): boolean =>
  mergeRequest.source_project_id !== mergeRequest.target_project_id;

const assigneesOf = ({ assignees }: ApiMergeRequest): Pick<ChangeRequestFacts, 'assignees'> =>
  (assignees ?? []).length === 0 ? {} : { assignees: (assignees ?? []).map(toAccount) };

/** `references.full` is `group/sub/name!7`, with the project as it is called now. */
const projectPathOf = ({ references }: ApiMergeRequest): Pick<ChangeRequestFacts, 'projectPath'> => {
  const full = references?.full ?? '';
  const end = full.lastIndexOf('!');
  return end <= 0 ? {} : { projectPath: full.slice(0, end) };
};

const toFacts = (
  mergeRequest: ApiMergeRequest,
  changeRequest: ChangeRequestFacts['changeRequest'],
  known: Required<Pick<ChangeRequestFacts, 'targetHead' | 'statusPlace' | 'hasFailedCi'>>,
): ChangeRequestFacts => ({
  changeRequest,
  state: STATES[mergeRequest.state] ?? 'closed',
  draft: isDraft(mergeRequest),
  title: mergeRequest.title,
  description: mergeRequest.description ?? '',
  author: toAccountOrGhost(mergeRequest.author),
  labels: mergeRequest.labels ?? [],
  head: headOf(mergeRequest),
  ...known,
  sourceBranch: mergeRequest.source_branch,
  targetBranch: mergeRequest.target_branch,
  mergeBase: mergeBaseOf(mergeRequest),
  fromFork: isFromFork(mergeRequest),
  reviewers: (mergeRequest.reviewers ?? []).map(toAccount),
  ...assigneesOf(mergeRequest),
  updatedAtMs: mergeRequest.updated_at,
  webUrl: mergeRequest.web_url,
  ...projectPathOf(mergeRequest),
});

// GET /projects/:id/merge_requests/:iid: https://docs.gitlab.com/api/merge_requests/#get-single-mr
export const readsChangeRequest = (context: GitlabContext): ReadsChangeRequest => ({
  fetchChangeRequest: async (of, signal) => {
    const found = await orNull(
      context.api.read(ApiMergeRequest, signal, (options) => new MergeRequests(options).show(of.projectId, of.number)),
    );
    if (found === null) return null;
    const targetHead = await fetchTargetHead(context, found, signal);
    const gate = await gateOf(context, found, headOf(found), signal);
    const hasFailedCi = gate.pipeline?.status === 'failed';
    return toFacts(found, of, { targetHead, statusPlace: placeOf(gate), hasFailedCi });
  },
});
