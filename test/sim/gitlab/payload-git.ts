/** `push` and `pipeline` events (recorded payloads; forges.md 2.3, 2.6). */
import { type CommitFacts, listCommits, webUrl } from './mr-facts.ts';
import { hookCommit, hookProject, hookRepository, hookTime, hookUser, type Json } from './payload-parts.ts';
import { jobsOf } from './pipelines.ts';
import { isProtected } from './protection.ts';
import { fireHooks, fireSystemHooks, hooksOf } from './webhooks.ts';
import type { SimMergeRequest, SimPipeline, SimProject, SimUser, World } from './world.ts';

const zero = '0'.repeat(40);

export type Pushed = {
  readonly branch: string;
  readonly before: string | null;
  readonly after: string | null;
  readonly pusher: SimUser;
};

const pushedCommit = (world: World, project: SimProject, commit: CommitFacts): Json => ({
  id: commit.id,
  message: commit.message,
  title: commit.title,
  timestamp: commit.timestamp,
  url: `${webUrl(world, project)}/-/commit/${commit.id}`,
  author: { name: commit.authorName, email: '[REDACTED]' },
  added: [],
  modified: [],
  removed: [],
});

const newCommits = async (project: SimProject, push: Pushed): Promise<readonly CommitFacts[]> => {
  if (push.after === null) return [];
  const range =
    push.before === null ? ['--max-count=1', push.after] : ['--max-count=20', `${push.before}..${push.after}`];
  return (await listCommits(project.gitDir, range)).toReversed();
};

export const firePush = async (world: World, project: SimProject, push: Pushed): Promise<void> => {
  // Commits are needed only when there is a webhook.
  if (hooksOf(project).length + world.instance.hooks.length === 0) return;
  const payload = await pushPayload(world, project, push);
  fireHooks(world, project, { flag: 'push_events', name: 'Push Hook', payload });
};

export const pushPayload = async (world: World, project: SimProject, push: Pushed): Promise<Json> => {
  const commits = await newCommits(project, push);
  return {
    object_kind: 'push',
    event_name: 'push',
    before: push.before ?? zero,
    after: push.after ?? zero,
    ref: `refs/heads/${push.branch}`,
    ref_protected: isProtected(project, push.branch),
    checkout_sha: push.after,
    message: null,
    user_id: push.pusher.id,
    user_name: push.pusher.name,
    user_username: push.pusher.username,
    user_email: '',
    user_avatar: null,
    project_id: project.id,
    project: hookProject(world, project),
    commits: commits.map((commit) => pushedCommit(world, project, commit)),
    total_commits_count: commits.length,
    push_options: {},
    repository: hookRepository(world, project),
  };
};

/** GL lib/gitlab/data_builder/repository.rb: one event per push, for any number of refs; it has no `object_kind`. */
export const fireRepositoryUpdate = (world: World, project: SimProject, pushes: readonly Pushed[]): void => {
  const [first] = pushes;
  if (first === undefined) return;
  const { pusher } = first;
  const changes = pushes.map(({ branch, before, after }) => ({
    before: before ?? zero,
    after: after ?? zero,
    ref: `refs/heads/${branch}`,
  }));
  const payload = {
    event_name: 'repository_update',
    user_id: pusher.id,
    user_name: pusher.name,
    user_email: '',
    user_avatar: null,
    project_id: project.id,
    project: hookProject(world, project),
    changes,
    refs: changes.map(({ ref }) => ref),
  };
  fireSystemHooks(world, { flag: 'repository_update_events', event: 'repository_update', payload });
};

const pipelineMergeRequest = (world: World, mr: SimMergeRequest): Json => ({
  id: mr.id,
  iid: mr.iid,
  title: mr.title,
  source_branch: mr.sourceBranch,
  source_project_id: mr.sourceProjectId,
  target_branch: mr.targetBranch,
  target_project_id: mr.project.id,
  state: mr.state,
  merge_status: 'can_be_merged',
  detailed_merge_status: 'mergeable',
  url: `${webUrl(world, mr.project)}/-/merge_requests/${mr.iid}`,
});

/** `merge_request` is set only for merge request pipelines (forges.md 2.6). */
export const firePipeline = async (
  world: World,
  project: SimProject,
  pipeline: SimPipeline,
  status: string,
): Promise<void> => {
  const { mergeRequest: mr } = pipeline;
  const over = ['success', 'failed', 'canceled', 'skipped'].includes(status);
  const payload = {
    object_kind: 'pipeline',
    object_attributes: {
      id: pipeline.id,
      iid: pipeline.iid,
      name: null,
      // GL lib/gitlab/data_builder/pipeline.rb: `source_ref`.
      ref: mr?.sourceBranch ?? pipeline.ref,
      tag: false,
      sha: pipeline.sha,
      before_sha: zero,
      source: pipeline.source,
      status,
      detailed_status: status === 'success' ? 'passed' : status,
      stages: pipeline.source === 'external' ? ['external'] : ['test'],
      created_at: hookTime(pipeline.createdAt),
      finished_at: over ? hookTime(pipeline.updatedAt) : null,
      duration: null,
      queued_duration: null,
      variables: [],
      url: `${webUrl(world, project)}/-/pipelines/${pipeline.id}`,
    },
    merge_request: mr === null ? null : pipelineMergeRequest(world, mr),
    user: hookUser(pipeline.user),
    project: hookProject(world, project),
    commit: await hookCommit(world, project, pipeline.sha),
    // GL lib/gitlab/data_builder/pipeline.rb: the latest jobs, without statuses set through the API.
    builds: jobsOf(project, pipeline)
      .filter(({ kind }) => kind === 'build')
      .map(({ id, name, state, allowFailure }) => ({
        id,
        stage: 'test',
        name,
        status: state,
        allow_failure: allowFailure,
      })),
  };
  fireHooks(world, project, { flag: 'pipeline_events', name: 'Pipeline Hook', payload });
};
