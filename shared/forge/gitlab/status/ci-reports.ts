import { Jobs, MergeRequests } from '@gitbeaker/rest';
import { z } from 'zod';
import { CommitSha } from '../../../vocabulary/ids.ts';
import { hasForgeCode } from '../../errors.ts';
import { isTooLarge } from '../../file-text.ts';
import { type ApiPath, apiPath } from '../../path.ts';
import type { Artifact, ArtifactQuery, ReportJob, CiJobs, CiJobsQuery, ReadsCiReports } from '../../port-ci-reports.ts';
import { type GitlabContext, PAGE_WORDS } from '../api/context.ts';
import { ApiJob, ApiPipeline } from '../api/schema.ts';
import { jobStateOf } from './status-state.ts';
import { fetchParents, isOfHead, mayBeTrialMerge } from './gate-pipeline.ts';

/** A head has few pipelines, so the pipelines of the newest heads are enough. */
const MAX_PIPELINES = 20;

type HeadPipeline = { readonly pipeline: ApiPipeline; readonly mergedWith: CommitSha | null };

/**
 * GitLab lists the pipelines of the merge request first, then those of its branch, each newest first.
 *
 * GET /projects/:id/merge_requests/:iid/pipelines: https://docs.gitlab.com/api/merge_requests/#list-merge-request-pipelines
 */
const fetchHeadPipelines = async (
  context: GitlabContext,
  { changeRequest: { projectId, number }, head }: CiJobsQuery,
  signal: AbortSignal,
): Promise<readonly HeadPipeline[]> => {
  const listed = await context.api.read(z.array(ApiPipeline), signal, (options) =>
    new MergeRequests(options).allPipelines(projectId, number, { page: 1, perPage: PAGE_WORDS.size }),
  );
  const newest = listed.toSorted((one, other) => other.id - one.id).slice(0, MAX_PIPELINES);
  const found: HeadPipeline[] = [];
  for (const pipeline of newest) {
    const { sha } = pipeline;
    const asks = sha !== head && mayBeTrialMerge(pipeline);
    const at = { projectId: pipeline.project_id ?? projectId, sha };
    const parents = asks ? await fetchParents(context, at, signal) : [];
    if (isOfHead(pipeline, head, parents)) found.push({ pipeline, mergedWith: targetIn(parents, head) });
  }
  return found;
};

/** The commit of a trial merge has the target as its first parent. */
const targetIn = (parents: readonly string[], head: CommitSha): CommitSha | null => {
  const target = CommitSha.safeParse(parents.find((parent) => parent !== head));
  return target.success ? target.data : null;
};

/**
 * Jobs that a newer one has replaced are left out, and so are statuses that were set through the API. Null if the
 * account may not see the jobs.
 *
 * GET /projects/:id/pipelines/:pipeline_id/jobs: https://docs.gitlab.com/api/jobs/#list-all-jobs-by-pipeline
 */
const fetchJobs = async (
  { api }: GitlabContext,
  { projectId, pipelineId }: { readonly projectId: number; readonly pipelineId: number },
  signal: AbortSignal,
): Promise<readonly ApiJob[] | null> => {
  const list = { item: ApiJob, keyOf: ({ id }: ApiJob) => id };
  return unlessHidden(
    api.readAll(list, signal, (options, page) => new Jobs(options).all(projectId, { pipelineId, ...page })),
  );
};

const unlessHidden = async <T>(reading: Promise<T>): Promise<T | null> => {
  try {
    return await reading;
  } catch (error) {
    if (hasForgeCode(error, 'FORGE_NOT_FOUND', 'FORGE_FORBIDDEN')) return null;
    throw error;
  }
};

const fetchCiJobs = async (context: GitlabContext, query: CiJobsQuery, signal: AbortSignal): Promise<CiJobs> => {
  const wanted = new Set(query.names);
  const found: ReportJob[] = [];
  let hidden = false;
  const pipelines = await unlessHidden(fetchHeadPipelines(context, query, signal));
  if (pipelines === null) return { jobs: [], hidden: true };
  for (const { pipeline, mergedWith } of pipelines) {
    if (wanted.size === 0) break;
    const projectId = pipeline.project_id ?? query.changeRequest.projectId;
    const jobs = await fetchJobs(context, { projectId, pipelineId: pipeline.id }, signal);
    hidden ||= jobs === null;
    for (const { id, name, status, created_at } of (jobs ?? []).toSorted((one, other) => other.id - one.id))
      if (wanted.delete(name))
        found.push({ name, state: jobStateOf(status), id, projectId, createdAtMs: created_at, mergedWith });
  }
  return { jobs: found, hidden };
};

/** The path that is asked for has a wildcard, so its slashes are not encoded. */
const artifactPath = ({ job: { id, projectId }, path }: ArtifactQuery): ApiPath => {
  const parts = path.split('/').map((part) => apiPath`/${part}`);
  return `${apiPath`/api/v4/projects/${projectId}/jobs/${id}/artifacts`}${parts.join('')}` as ApiPath;
};

/**
 * GitLab reads the file out of the archive itself, also if the archive is on an object storage (Workhorse,
 * `send_artifacts_entry` in lib/gitlab/workhorse.rb), so it never redirects this request, whatever `proxy_download` says.
 *
 * GET /projects/:id/jobs/:job_id/artifacts/*artifact_path: https://docs.gitlab.com/api/job_artifacts/#download-a-single-artifact-file-by-job-id
 */
const fetchArtifact = async ({ http }: GitlabContext, query: ArtifactQuery, signal: AbortSignal): Promise<Artifact> => {
  const { maxBytes } = query;
  try {
    return { kind: 'text', text: await http.readText({ path: artifactPath(query), maxBytes }, signal) };
  } catch (error) {
    if (hasForgeCode(error, 'FORGE_NOT_FOUND')) return { kind: 'absent' };
    if (isTooLarge(error)) return { kind: 'too_large' };
    throw error;
  }
};

export const readsCiReports = (context: GitlabContext): ReadsCiReports => ({
  fetchCiJobs: async (query, signal) => fetchCiJobs(context, query, signal),
  fetchArtifact: async (query, signal) => fetchArtifact(context, query, signal),
});
