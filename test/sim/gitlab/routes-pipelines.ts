/** Commit statuses and pipelines; forges.md 3.7. */
import { z } from 'zod';
import { resolveCommit } from '../forgejo/git.ts';
import { json, type Reply } from '../forgejo/reply.ts';
import { type Call, mergeRequestOf, param, projectAt, projectOf, type Route, sentAs, signedIn } from './call.ts';
import { notFound } from './errors.ts';
import { paged, settledFor } from './paging.ts';
import { flag, optionalInteger, optionalText, text } from './parameters.ts';
import { pipelineJson, statusJson } from './represent.ts';
import { mayRead } from './access.ts';
import { latestStatuses, pipelinesFor } from './pipelines.ts';
import { inStatusLock } from './status-lock.ts';
import { createStatus, type NewStatus, states } from './statuses.ts';

const New = z.object({
  state: z.enum(states),
  name: text.optional(),
  context: text.optional(),
  ref: optionalText,
  target_url: optionalText,
  description: optionalText,
  pipeline_id: optionalInteger,
});

const create = async (call: Call): Promise<Reply> => {
  const project = projectAt(call, 30);
  const sent = sentAs(call, New);
  const sha = param(call, 'sha');
  const wish: NewStatus = {
    sha,
    state: sent.state,
    name: sent.name ?? sent.context ?? 'default',
    ref: sent.ref ?? null,
    pipelineId: sent.pipeline_id ?? null,
    description: sent.description ?? null,
    targetUrl: sent.target_url ?? null,
    user: signedIn(call),
  };
  const status = await inStatusLock(call.world, { projectId: project.id, sha }, () =>
    createStatus(call.world, project, wish),
  );
  return json(201, statusJson(call.world, status));
};

const Wanted = z.object({
  all: flag.optional(),
  ref: text.optional(),
  name: text.optional(),
  pipeline_id: optionalInteger,
});

const listed = async (call: Call): Promise<Reply> => {
  const project = projectOf(call);
  const sha = param(call, 'sha');
  if ((await resolveCommit(project.gitDir, sha)) === null) throw notFound('Commit');
  const wanted = sentAs(call, Wanted);
  // GL lib/api/commit_statuses.rb: only pipelines of this exact SHA; `ci_pipelines` excludes child pipelines.
  const rows =
    wanted.all === true
      ? project.statuses.filter((status) => status.pipeline.sha === sha)
      : latestStatuses(project, sha);
  const shown = rows
    .filter((status) => status.pipeline.source !== 'parent_pipeline')
    .filter((status) => wanted.ref === undefined || status.pipeline.ref === wanted.ref)
    .filter((status) => wanted.name === undefined || status.name === wanted.name)
    .filter((status) => (wanted.pipeline_id ?? status.pipeline.id) === status.pipeline.id)
    .filter((status) => settledFor(call)({ author: status.user, createdAt: status.createdAt }));
  return paged(
    call,
    shown.map((status) => statusJson(call.world, status)),
  );
};

const Filter = z.object({ sha: text.optional(), ref: text.optional() });

export const pipelineRoutes: readonly Route[] = [
  { method: 'POST', path: '/projects/{id}/statuses/{sha}', described: '/projects/{id}/statuses/{sha}', handle: create },
  {
    method: 'GET',
    path: '/projects/{id}/repository/commits/{sha}/statuses',
    described: '/projects/{id}/repository/commits/{sha}/statuses',
    handle: listed,
  },
  {
    method: 'GET',
    path: '/projects/{id}/pipelines',
    described: null,
    handle: (call) => {
      const project = projectOf(call);
      const { sha, ref } = sentAs(call, Filter);
      const found = project.pipelines
        .filter(
          (pipeline) => (sha === undefined || pipeline.sha === sha) && (ref === undefined || pipeline.ref === ref),
        )
        .toReversed();
      return paged(
        call,
        found.map((pipeline) => pipelineJson(call.world, project, pipeline)),
      );
    },
  },
  {
    method: 'GET',
    path: '/projects/{id}/merge_requests/{iid}/pipelines',
    described: '/projects/{id}/merge_requests/{merge_request_iid}/pipelines',
    handle: (call) => {
      // GL app/finders/ci/pipelines_for_merge_request_finder.rb `execute`.
      const found = pipelinesFor(mergeRequestOf(call)).filter(({ project }) => mayRead(call.user, project));
      return paged(
        call,
        found.map(({ project, pipeline }) => pipelineJson(call.world, project, pipeline)),
      );
    },
  },
];
