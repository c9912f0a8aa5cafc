import { commitTree, resolveCommit, runGit } from '../forgejo/git.ts';
import { GitlabRefusal } from './errors.ts';
import { isDraft } from './mr-facts.ts';
import { addVersion } from './mr-versions.ts';
import { fireMergeRequest } from './payload-merge-request.ts';
import { hookTime } from './payload-parts.ts';
import { firePush } from './payload-git.ts';
import { systemNote } from './system-notes.ts';
import { logOn } from './log.ts';
import type { SimMergeRequest, SimUser, World } from './world.ts';

/** Creates the first version and `diff_refs`; only now the `open` event is sent (forges.md 2.4, 3.2). */
export const prepare = async (world: World, mr: SimMergeRequest): Promise<void> => {
  if (mr.preparedAt !== null) return;
  mr.preparedAt = world.clock();
  await addVersion(world, mr);
  const prepared = { previous: null, current: hookTime(mr.preparedAt) };
  const status = { previous: 'preparing', current: 'checking' };
  const updated = { previous: hookTime(mr.updatedAt), current: hookTime(mr.preparedAt) };
  mr.updatedAt = mr.preparedAt;
  const changes = { merge_status: status, updated_at: updated, prepared_at: prepared };
  await fireMergeRequest(world, mr, { action: 'open', user: mr.author, changes });
};

export const prepareDue = async (world: World): Promise<void> => {
  for (const project of world.projects)
    for (const mr of project.mergeRequests)
      if (mr.preparedAt === null && world.clock() >= mr.prepareAt) await prepare(world, mr);
};

const stateChange = (previous: number, current: number) => ({ state_id: { previous, current } });

export const closeMergeRequest = async (world: World, mr: SimMergeRequest, actor: SimUser): Promise<void> => {
  if (mr.state !== 'opened') return;
  mr.state = 'closed';
  mr.closedAt = world.clock();
  mr.closedBy = actor;
  systemNote(world, mr, actor, 'closed');
  logOn(world, mr, actor, { kind: 'mr.close' });
  await fireMergeRequest(world, mr, { action: 'close', user: actor, changes: stateChange(1, 2) });
};

export const reopenMergeRequest = async (world: World, mr: SimMergeRequest, actor: SimUser): Promise<void> => {
  if (mr.state !== 'closed') return;
  mr.state = 'opened';
  mr.closedAt = null;
  mr.closedBy = null;
  systemNote(world, mr, actor, 'reopened');
  logOn(world, mr, actor, { kind: 'mr.reopen' });
  await fireMergeRequest(world, mr, { action: 'reopen', user: actor, changes: stateChange(2, 1) });
};

const writeMerge = async (world: World, mr: SimMergeRequest, actor: SimUser): Promise<string> => {
  const { gitDir } = mr.project;
  const target = await resolveCommit(gitDir, `refs/heads/${mr.targetBranch}`);
  if (target === null) throw new GitlabRefusal(405, { message: '405 Method Not Allowed' });
  const tree = (await runGit(gitDir, ['merge-tree', '--write-tree', target, mr.headSha])).split('\n')[0] ?? '';
  const message = `Merge branch '${mr.sourceBranch}' into '${mr.targetBranch}'\n\n${mr.title}\n\nSee merge request !${mr.iid}\n`;
  const author = { name: actor.name, email: `${actor.username}@noreply.localhost` };
  const parents = [target, mr.headSha];
  const commit = await commitTree({ gitDir, parents, message, author, atMs: world.clock() }, tree);
  await runGit(gitDir, ['update-ref', `refs/heads/${mr.targetBranch}`, commit]);
  await firePush(world, mr.project, { branch: mr.targetBranch, before: target, after: commit, pusher: actor });
  return commit;
};

export const mergeMergeRequest = async (world: World, mr: SimMergeRequest, actor: SimUser): Promise<void> => {
  if (mr.state !== 'opened' || isDraft(mr)) throw new GitlabRefusal(405, { message: '405 Method Not Allowed' });
  mr.mergeCommit = await writeMerge(world, mr, actor);
  mr.state = 'merged';
  mr.mergedBy = actor;
  mr.mergedAt = world.clock();
  systemNote(world, mr, actor, 'merged');
  logOn(world, mr, actor, { kind: 'mr.merge', detail: { commit: mr.mergeCommit } });
  await fireMergeRequest(world, mr, { action: 'merge', user: actor, changes: stateChange(1, 3) });
};
