/** Creates the pipelines that a push starts, with a delay, as GitLab's workers do. */
import { commitTree, resolveCommit, runGit } from '../forgejo/git.ts';
import { projectPath } from './paths.ts';
import { addPipeline } from './pipelines.ts';
import { processPipeline } from './process-pipeline.ts';
import type { AwaitedPipeline, SimMergeRequest, SimProject, SimUser, World } from './world.ts';

/** GL app/services/merge_requests/merge_to_ref_service.rb: its parents are the target's tip and the head. */
const mergeResult = async (world: World, mr: SimMergeRequest): Promise<string> => {
  const { gitDir } = mr.project;
  const target = (await resolveCommit(gitDir, `refs/heads/${mr.targetBranch}`)) ?? mr.headSha;
  const tree = (await runGit(gitDir, ['merge-tree', '--write-tree', target, mr.headSha])).split('\n')[0] ?? '';
  const author = { name: mr.author.name, email: `${mr.author.username}@noreply.localhost` };
  const message = `Merge ${mr.headSha} into ${target}\n`;
  const commit = { gitDir, parents: [target, mr.headSha], message, author, atMs: world.clock() };
  const sha = await commitTree(commit, tree);
  await runGit(gitDir, ['update-ref', `refs/merge-requests/${mr.iid}/merge`, sha]);
  return sha;
};

const create = async (world: World, awaited: AwaitedPipeline): Promise<void> => {
  const { project, ci, branch, sha, user, mergeRequest: mr } = awaited;
  const jobs = ci.yamlErrors === undefined ? ci.jobs : [];
  const made = { jobs, user, yamlErrors: ci.yamlErrors ?? null };
  if (mr === null) {
    const pipeline = addPipeline(world, project, { ...made, sha, ref: branch, source: 'push' });
    return processPipeline(world, project, pipeline);
  }
  // GL app/services/merge_requests/create_pipeline_service.rb: pipelines of forks run in the fork.
  const where = mr.sourceProject === null || ci.forksInTarget === true ? mr.project : mr.sourceProject;
  const merged = ci.pipelines === 'merged_result' && where === mr.project ? await mergeResult(world, mr) : null;
  const ref = `refs/merge-requests/${mr.iid}/${merged === null ? 'head' : 'merge'}`;
  const of = { sha: merged ?? sha, sourceSha: merged === null ? null : sha, mergeRequest: mr, ref };
  const pipeline = addPipeline(world, where, { ...made, ...of, source: 'merge_request_event' });
  return processPipeline(world, where, pipeline);
};

const started = new WeakSet<AwaitedPipeline>();

const take = async (world: World, awaited: AwaitedPipeline): Promise<void> => {
  if (started.has(awaited)) return;
  started.add(awaited);
  // Until the pipeline exists it counts as being created, so that nothing can be merged in between.
  await create(world, awaited).finally(() => world.awaited.splice(world.awaited.indexOf(awaited), 1));
};

const awaitOne = (world: World, awaited: AwaitedPipeline): void => {
  world.awaited.push(awaited);
  const { after } = awaited.ci;
  if (after === 'held') return;
  const timer = setTimeout(() => {
    world.timers.delete(timer);
    take(world, awaited).catch((error: unknown) => world.violations.push(`simulator: ${String(error)}`));
  }, after);
  world.timers.add(timer);
};

export const startBranchCi = (
  world: World,
  project: SimProject,
  { branch, sha, user }: { readonly branch: string; readonly sha: string; readonly user: SimUser },
): void => {
  if (project.ci?.pipelines === 'branch')
    awaitOne(world, { project, ci: project.ci, branch, sha, user, mergeRequest: null });
};

/** For a new head: GL app/services/merge_requests/refresh/pipeline_service.rb. */
export const startMergeRequestCi = (world: World, mr: SimMergeRequest, user: SimUser): void => {
  const project = mr.sourceProject ?? mr.project;
  const { ci } = project;
  if (ci === null || ci.pipelines === 'branch') return;
  awaitOne(world, { project, ci, branch: mr.sourceBranch, sha: mr.headSha, user, mergeRequest: mr });
};

export const createAwaited = async (world: World, project: SimProject): Promise<void> => {
  for (const awaited of world.awaited.filter((each) => projectPath(each.project) === projectPath(project)))
    await take(world, awaited);
};
