import { sendMail } from './mails.ts';
import { mergeBase, type RefMap, resolveCommit } from '../forgejo/git.ts';
import { resetApprovalsLater } from './approvals.ts';
import { startBranchCi, startMergeRequestCi } from './ci.ts';
import { isDraft, listCommits, newestVersion } from './mr-facts.ts';
import { closeMergeRequest } from './mr-state.ts';
import { addVersion, publishHead } from './mr-versions.ts';
import { firePush, fireRepositoryUpdate } from './payload-git.ts';
import { fireMergeRequest } from './payload-merge-request.ts';
import { systemNote } from './system-notes.ts';
import { logOn, record } from './log.ts';
import { followHeadPipeline } from './pipelines.ts';
import { projectPath } from './paths.ts';
import type { SimMergeRequest, SimProject, SimUser, World } from './world.ts';

export type RefUpdate = { readonly branch: string; readonly before: string | null; readonly after: string | null };

export const refUpdates = (before: RefMap, after: RefMap): readonly RefUpdate[] =>
  [...new Set([...before.keys(), ...after.keys()])]
    .map((branch) => ({ branch, before: before.get(branch) ?? null, after: after.get(branch) ?? null }))
    .filter((update) => update.before !== update.after);

/** `push_event_hooks_limit`: a push of more branches sends no push event (forges.md 2.3). */
const pushHooksAtMost = 3;

// GL app/models/commit.rb: such a commit message makes the merge request a draft.
const draftCommit = /^(?:fixup!|squash!|\[draft\]|\(draft\)|draft:)\s/i;

/** Runs before the push event, which has the new title but no `changes` (GL app/services/merge_requests/refresh_service.rb). */
const draftFromCommits = async (
  world: World,
  mr: SimMergeRequest,
  update: RefUpdate,
  pusher: SimUser,
): Promise<void> => {
  if (isDraft(mr) || update.before === null) return;
  const commits = await listCommits(mr.project.gitDir, ['--max-count=20', `${update.before}..${mr.headSha}`]);
  if (!commits.some((commit) => draftCommit.test(commit.title))) return;
  mr.title = `Draft: ${mr.title}`;
  systemNote(world, mr, pusher, 'marked this merge request as **draft**');
  logOn(world, mr, pusher, { kind: 'mr.edit', detail: { fields: ['title'] } });
};

const synchronize = async (world: World, mr: SimMergeRequest, update: RefUpdate, pusher: SimUser): Promise<void> => {
  if (update.after === null) return closeMergeRequest(world, mr, pusher);
  const oldrev = mr.headSha;
  mr.headSha = update.after;
  await publishHead(mr);
  // GL app/services/merge_requests/refresh_service.rb `abort_auto_merges`: auto-merge was set for the old head.
  mr.autoMergeBy = null;
  if (mr.preparedAt !== null) await addVersion(world, mr);
  followHeadPipeline(mr);
  startMergeRequestCi(world, mr, pusher);
  systemNote(world, mr, pusher, `added commits up to ${update.after}`);
  logOn(world, mr, pusher, { kind: 'mr.push', detail: { before: oldrev, after: update.after } });
  sendMail(world, mr, { kind: 'mail.push', by: pusher });
  await draftFromCommits(world, mr, update, pusher);
  if (mr.preparedAt !== null) await fireMergeRequest(world, mr, { action: 'update', user: pusher, oldrev });
  resetApprovalsLater(world, mr, pusher);
};

export const applyPush = async (
  world: World,
  project: SimProject,
  updates: readonly RefUpdate[],
  pusher: SimUser,
): Promise<void> => {
  const pushes = updates.map((update) => ({ ...update, pusher }));
  fireRepositoryUpdate(world, project, pushes);
  for (const update of updates) {
    const detail = { ...update };
    record(world, { actor: pusher.username, kind: 'git.push', repo: projectPath(project), number: null, detail });
    const { branch, after: sha } = update;
    if (sha !== null) startBranchCi(world, project, { branch, sha, user: pusher });
    if (updates.length <= pushHooksAtMost) await firePush(world, project, { ...update, pusher });
    const open = world.projects.flatMap((other) => other.mergeRequests).filter((mr) => mr.state === 'opened');
    for (const mr of open)
      if (mr.sourceProject === project && mr.sourceBranch === update.branch)
        await synchronize(world, mr, update, pusher);
    for (const mr of open)
      if (mr.project === project && mr.targetBranch === update.branch) await followTarget(world, mr, update);
  }
};

/**
 * GL app/services/merge_requests/refresh_service.rb, `reload_merge_requests`: a push to the target branch creates a new
 * diff if it was a force push or contains commits of the merge request. It sends no event and changes no date.
 */
const followTarget = async (world: World, mr: SimMergeRequest, { before, after }: RefUpdate): Promise<void> => {
  const version = newestVersion(mr);
  if (version === null || before === null || after === null) return;
  const { gitDir } = mr.project;
  const isForced = (await mergeBase(gitDir, before, after)) !== before;
  const pushed = new Set((await listCommits(gitDir, [`${before}..${after}`])).map(({ id }) => id));
  const own = await listCommits(gitDir, [`${version.baseSha}..${version.headSha}`]);
  if (isForced || own.some(({ id }) => pushed.has(id))) await addVersion(world, mr);
};

export const tipOf = (project: SimProject, branch: string): Promise<string | null> =>
  resolveCommit(project.gitDir, `refs/heads/${branch}`);
