import { mergeBase, resolveCommit, runGit } from '../forgejo/git.ts';
import { type DiffRefs, diffRefs, newestVersion } from './mr-facts.ts';
import { tracePosition } from './trace.ts';
import { nextId } from './log.ts';
import type { SimMergeRequest, SimNote, SimPosition, World } from './world.ts';

/** Sets `refs/merge-requests/N/head` in the target project, also for forks; reviewers fetch it (forges.md 3.2). */
export const publishHead = async (mr: SimMergeRequest): Promise<void> => {
  const { gitDir } = mr.project;
  if (mr.sourceProject !== null && mr.sourceProject !== mr.project)
    await runGit(gitDir, ['fetch', '--quiet', '--no-tags', mr.sourceProject.gitDir, mr.headSha]);
  await runGit(gitDir, ['update-ref', `refs/merge-requests/${mr.iid}/head`, mr.headSha]);
};

/** Positions on the newest version stay (GL app/models/concerns/diff_positionable_note.rb `update_position`). */
const isOn = (refs: DiffRefs, position: SimPosition): boolean =>
  refs.base_sha === position.base_sha && refs.start_sha === position.start_sha && refs.head_sha === position.head_sha;

const retrace = async (mr: SimMergeRequest, note: SimNote): Promise<void> => {
  const refs = diffRefs(mr);
  // Each push traces from the last position.
  if (note.position === null || refs === null || note.outdated || isOn(refs, note.position)) return;
  const traced = await tracePosition(mr.project.gitDir, note.position, refs);
  if (traced.kind === 'outdated') {
    note.outdated = true;
    return;
  }
  note.position = traced.position;
  note.lineCode = traced.lineCode;
};

const haveNothingInCommon = async (gitDir: string, one: string, other: string): Promise<boolean> =>
  (await runGit(gitDir, ['merge-base', one, other]).catch(() => '')) === '';

/** Base: the merge base. Start: the target's head at this time; later pushes to the target do not change it (forges.md 3.2). */
export const addVersion = async (world: World, mr: SimMergeRequest): Promise<void> => {
  const { gitDir } = mr.project;
  const startSha = (await resolveCommit(gitDir, `refs/heads/${mr.targetBranch}`)) ?? mr.headSha;
  const baseSha = await mergeBase(gitDir, startSha, mr.headSha);
  const unrelated = await haveNothingInCommon(gitDir, startSha, mr.headSha);
  const before = newestVersion(mr);
  if (before?.headSha === mr.headSha && before.baseSha === baseSha && before.startSha === startSha) return;
  const made = { id: nextId(world, 'version'), createdAt: world.clock() };
  mr.versions.push({ ...made, baseSha, startSha, headSha: mr.headSha, unrelated });
  for (const note of mr.notes) if (note.type === 'DiffNote') await retrace(mr, note);
};

export const settleNewNote = (mr: SimMergeRequest, note: SimNote): Promise<void> => retrace(mr, note);
