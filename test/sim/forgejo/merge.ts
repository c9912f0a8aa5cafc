import { commitTree, runGit } from './git.ts';
import { firePull } from './hook-payloads.ts';
import { log, note } from './pulls.ts';
import { applyPush } from './push.ts';
import { notFound, SimHttpError } from './reply.ts';
import type { SimPull, SimUser, World } from './world.ts';

/** Creates a merge commit on the target branch; the webhook says `closed` with `merged: true` (forges.md 4.2). */
export const mergePull = async (world: World, pull: SimPull, actor: SimUser): Promise<void> => {
  if (pull.merged) throw new SimHttpError(405, 'The PR is already merged');
  if (pull.state !== 'open') throw notFound();
  const { gitDir } = pull.repo;
  const tree = (await runGit(gitDir, ['merge-tree', '--write-tree', pull.baseSha, pull.headSha])).split('\n')[0] ?? '';
  const commit = await commitTree(
    {
      gitDir,
      parents: [pull.baseSha, pull.headSha],
      message: `Merge pull request '${pull.title}' (#${pull.number})\n`,
      author: { name: actor.login, email: `${actor.login}@noreply.localhost` },
      atMs: world.clock(),
    },
    tree,
  );
  await runGit(gitDir, ['update-ref', `refs/heads/${pull.baseRef}`, commit]);
  const before = pull.baseSha;
  pull.state = 'closed';
  pull.merged = true;
  pull.mergedBy = actor;
  pull.mergeCommit = commit;
  pull.closedAt = world.clock();
  note({ world, pull }, 'merge_pull', actor);
  log({ world, pull }, actor, 'pull.merge', { commit });
  firePull(world, pull, { event: 'pull_request', action: 'closed', sender: actor });
  await applyPush(world, pull.repo, [{ branch: pull.baseRef, before, after: commit }], actor);
};
