/** GitLab gates a merge on a head pipeline that ran for the current head (app/models/merge_request.rb `diff_head_pipeline`). */
import { Commits, MergeRequests } from '@gitbeaker/rest';
import type { ChangeRequest, CommitSha } from '../../../vocabulary/ids.ts';
import { hasForgeCode } from '../../errors.ts';
import type { GitlabContext } from '../api/context.ts';
import { orNull } from '../api/or-null.ts';
import { ApiMergeRequest, ApiParents, type ApiPipeline } from '../api/schema.ts';

/** The commit of a trial merge has the target and the head as parents; the API does not show `source_sha`. */
export const mayBeTrialMerge = ({ source }: Pick<ApiPipeline, 'source'>): boolean => source === 'merge_request_event';

/** Returns false for a stale pipeline, which GitLab shows until it has created the pipelines of the newest push. */
export const isOfHead = (
  pipeline: Pick<ApiPipeline, 'sha' | 'source'>,
  head: CommitSha,
  parents: readonly string[],
): boolean => pipeline.sha === head || (mayBeTrialMerge(pipeline) && parents.includes(head));

export type Gate = {
  readonly projectId: number;
  readonly sourceBranch: string;
  readonly isFromFork: boolean;
  /** Null when there is no pipeline for this head or the account may not see it. */
  readonly pipeline: ApiPipeline | null;
  /** Parents of the pipeline's commit; empty when they are not needed. */
  readonly parents: readonly string[];
};

const KEPT = 2_000;
const PER_CONTEXT = new WeakMap<GitlabContext, Map<string, readonly string[]>>();

/** GET /projects/:id/repository/commits/:sha: https://docs.gitlab.com/api/commits/#retrieve-a-commit */
export const fetchParents = async (
  context: GitlabContext,
  { projectId, sha }: { readonly projectId: number; readonly sha: CommitSha },
  signal: AbortSignal,
): Promise<readonly string[]> => {
  const known = PER_CONTEXT.get(context) ?? new Map<string, readonly string[]>();
  PER_CONTEXT.set(context, known);
  const key = `${projectId} ${sha}`;
  const kept = known.get(key);
  if (kept !== undefined) return kept;
  const parents = await readParents(context, projectId, sha, signal);
  if (parents === null) return [];
  if (known.size >= KEPT) known.clear();
  known.set(key, parents);
  return parents;
};

/** Returns null when the commit is not visible. That may change, so null is not cached. */
const readParents = async (
  { api }: GitlabContext,
  projectId: number,
  sha: CommitSha,
  signal: AbortSignal,
): Promise<readonly string[] | null> => {
  try {
    const found = await api.read(ApiParents, signal, (options) => new Commits(options).show(projectId, sha));
    return found.parent_ids ?? [];
  } catch (error) {
    if (hasForgeCode(error, 'FORGE_NOT_FOUND', 'FORGE_FORBIDDEN')) return null;
    throw error;
  }
};

export const gateOf = async (
  context: GitlabContext,
  mergeRequest: ApiMergeRequest,
  head: CommitSha,
  signal: AbortSignal,
): Promise<Gate> => {
  const { target_project_id: projectId, source_branch: sourceBranch, head_pipeline: found } = mergeRequest;
  const pipeline = found ?? null;
  const at = { projectId: pipeline?.project_id ?? projectId, sha: pipeline?.sha ?? head };
  const asks = pipeline !== null && pipeline.sha !== head && mayBeTrialMerge(pipeline);
  const parents = asks ? await fetchParents(context, at, signal) : [];
  return {
    projectId,
    sourceBranch,
    isFromFork: mergeRequest.source_project_id !== projectId,
    pipeline: pipeline !== null && isOfHead(pipeline, head, parents) ? pipeline : null,
    parents,
  };
};

/**
 * Throws FORGE_NOT_FOUND when the merge request does not exist.
 * GET /projects/:id/merge_requests/:iid: https://docs.gitlab.com/api/merge_requests/#get-single-mr
 */
export const fetchExistingGate = async (
  context: GitlabContext,
  of: ChangeRequest,
  head: CommitSha,
  signal: AbortSignal,
): Promise<Gate> => {
  const found = await context.api.read(ApiMergeRequest, signal, (options) =>
    new MergeRequests(options).show(of.projectId, of.number),
  );
  return gateOf(context, found, head, signal);
};

export const fetchGate = (...asking: Parameters<typeof fetchExistingGate>): Promise<Gate | null> =>
  orNull(fetchExistingGate(...asking));

const isHere = ({ projectId, pipeline }: Gate): boolean =>
  pipeline !== null && (pipeline.project_id ?? projectId) === projectId;

/** The pipeline that the status is written to. Null means the pipeline of the branch, which GitLab finds or creates. */
export const targetOf = (gate: Gate): ApiPipeline | null => (isHere(gate) ? gate.pipeline : null);

/** Returns true when the pipeline runs in a fork, where the bot's account has no permissions. */
export const isOutOfReach = (gate: Gate): boolean =>
  gate.isFromFork ? targetOf(gate) === null : gate.pipeline !== null && !isHere(gate);

/**
 * A key of the pipeline or branch that has the status. The key does not change when GitLab creates an external pipeline
 * for a status without a pipeline.
 */
export const placeOf = (gate: Gate): string => {
  if (isOutOfReach(gate)) return 'none';
  const target = targetOf(gate);
  return target === null || target.source === 'external' ? `branch ${gate.sourceBranch}` : `pipeline ${target.id}`;
};
