/** Jobs of a pipeline and the files that they uploaded; GL lib/api/ci/pipelines.rb and job_artifacts.rb. */
import type { Reply } from '../forgejo/reply.ts';
import { type Call, numberParam, param, projectOf, type Route } from './call.ts';
import { mayRead } from './access.ts';
import { forbidden, GitlabRefusal } from './errors.ts';
import { paged } from './paging.ts';
import { jobsOf } from './pipelines.ts';
import { jobJson } from './represent.ts';
import type { SimProject } from './world.ts';

/** GL lib/api/api.rb `rescue_from ActiveRecord::RecordNotFound`. */
const noRecord = (): GitlabRefusal => new GitlabRefusal(404, { message: '404 Not found' });

const withBuilds = (call: Call): SimProject => {
  const project = projectOf(call);
  if (!mayRead(call.user, project)) throw forbidden();
  return project;
};

const listed = (call: Call): Reply => {
  const project = withBuilds(call);
  const pipeline = project.pipelines.find(({ id }) => id === numberParam(call, 'pipeline_id'));
  if (pipeline === undefined) throw noRecord();
  // GL app/finders/ci/jobs_finder.rb: builds only, the newest first, without replaced ones.
  const builds = jobsOf(project, pipeline).filter(({ kind }) => kind === 'build');
  return paged(
    call,
    builds.toSorted((one, other) => other.id - one.id).map((job) => jobJson(call.world, project, job)),
  );
};

const artifact = (call: Call): Reply => {
  const project = withBuilds(call);
  const job = project.statuses.find(({ id, kind }) => id === numberParam(call, 'job_id') && kind === 'build');
  if (job === undefined) throw noRecord();
  if (job.artifacts === null || job.artifactsExpired) throw new GitlabRefusal(404, { message: '404 Not Found' });
  const content = job.artifacts.get(param(call, 'artifact_path'));
  // GL workhorse/internal/artifacts/entry.go: Go's http.NotFound.
  if (content === undefined) return { status: 404, text: '404 page not found\n' };
  return { status: 200, text: content, headers: { 'content-type': 'application/octet-stream' } };
};

export const jobRoutes: readonly Route[] = [
  { method: 'GET', path: '/projects/{id}/pipelines/{pipeline_id}/jobs', described: null, handle: listed },
  {
    method: 'GET',
    path: '/projects/{id}/jobs/{job_id}/artifacts/{*artifact_path}',
    described: null,
    handle: artifact,
  },
];
