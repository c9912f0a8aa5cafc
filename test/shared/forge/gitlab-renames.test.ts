/** A file that is moved and much changed: a comment on it stands in the diff that GitLab shows. */
import { beforeEach, describe, expect, it } from 'vitest';
import { gitlabLineCode } from '../../../shared/diff/position/gitlab-position.ts';
import { parseDiff } from '../../../shared/diff/parse/parse.ts';
import { placeLines, toPositionLine } from '../../../shared/diff/position/position-lines.ts';
import type { Position } from '../../../shared/diff/position/position.ts';
import { type ChangeRequest, CommitSha } from '../../../shared/vocabulary/ids.ts';
import { createGit } from '../../../shared/workspace/git/git.ts';
import { factsOf, type ForgeKind } from '../../../shared/forge/kinds/forge-kind.ts';
import { createRevisions } from '../../../shared/workspace/git/revisions.ts';
import { commitTree, runGit } from '../../sim/forgejo/git.ts';
import type { SimMergeRequest } from '../../sim/gitlab/world.ts';
import { GIT } from '../workspace/repository.ts';
import { signal, text } from './conformance-bench.ts';
import { useGitlab } from './gitlab-bench.ts';

const likenessOf = (kind: ForgeKind): number => factsOf(kind).renameLikeness;

const bench = useGitlab();

const lines = (from: number, to: number, word: string) =>
  Array.from({ length: to - from }, (_, index) => `${word} ${from + index} of this file\n`);

let mr: SimMergeRequest;
let of: ChangeRequest;
beforeEach(async () => {
  const { sim, project, owner, author, changeRequest } = bench.world;
  const before = lines(0, 100, 'line').join('');
  const after = [...lines(0, 40, 'line'), ...lines(40, 100, 'other words')].join('');
  const moved = { 'old/name.txt': null, 'new/name.txt': after };
  const commit = { project, message: 'm' };
  await sim.commitFiles({ ...commit, branch: 'main', files: { 'old/name.txt': before }, author: owner.login });
  const from = 'refs/heads/main';
  await sim.commitFiles({ ...commit, branch: 'move', files: moved, author: author.login, from });
  mr = await sim.openMergeRequest({ project, sourceBranch: 'move', title: 'Move', author: author.login });
  of = { ...changeRequest, number: mr.iid };
});

const newest = () => {
  const version = mr.versions.at(-1);
  if (version === undefined) throw new Error('not prepared');
  return version;
};

/** The diff as a review reads it, file by file. */
const filesAt = async (renameLikeness: number) => {
  const git = createGit({ gitPath: GIT, gitDir: mr.project.gitDir, allowProtocols: [] });
  const revisions = createRevisions(git, { renameLikeness });
  const [target, head] = [newest().startSha, newest().headSha].map((sha) => CommitSha.parse(sha));
  if (target === undefined || head === undefined) throw new Error('no commits');
  const result = await revisions.diff({ target, head }, signal);
  revisions.close();
  if (result.kind !== 'diff') throw new Error(result.reason);
  return parseDiff(result.patch).files;
};

const positionsAt = async (renameLikeness: number): Promise<readonly Position[]> =>
  (await filesAt(renameLikeness)).flatMap(({ oldPath, newPath, hunks }) =>
    hunks
      .flatMap(placeLines)
      .map(toPositionLine)
      .filter(({ newLine }) => newLine !== null)
      .map((line) => ({ oldPath, newPath, side: 'new' as const, start: line, end: line })),
  );

const submit = (positions: readonly Position[], words: readonly string[]) =>
  bench.world.forge.write.submitReview(
    of,
    {
      head: CommitSha.parse(newest().headSha),
      base: CommitSha.parse(newest().baseSha),
      targetHead: CommitSha.parse(newest().startSha),
      body: text('summary'),
      comments: positions.map((position, index) => ({ position, body: text(words[index] ?? '') })),
      isOurs: () => true,
    },
    signal,
  );

describe('a file that is moved and is forty percent the same', () => {
  it('GL9: is one renamed file for GitLab, and two files for Forgejo and Gitea', async () => {
    const statusesFor = async (kind: 'gitlab' | 'forgejo' | 'gitea') =>
      (await filesAt(likenessOf(kind))).map(({ status }) => status);
    expect(await statusesFor('gitlab')).toEqual(['renamed']);
    expect(await statusesFor('forgejo')).toEqual(['added', 'deleted']);
    expect(await statusesFor('gitea')).toEqual(['added', 'deleted']);
  });

  it('GL9: carries comments on lines that the merge request shows', async () => {
    const positions = await positionsAt(likenessOf('gitlab'));
    const wanted = [positions[0], positions.at(-1)].flatMap((each) => each ?? []);
    await submit(wanted, ['first', 'last']);
    const notes = mr.notes.filter(({ type }) => type === 'DiffNote');
    expect(notes.map(({ lineCode }) => lineCode)).toEqual(wanted.map(({ end }) => gitlabLineCode('new/name.txt', end)));
  });

  it('GL9: a comment that was saved although the answer was 500 is found, and only what is missing is written again', async () => {
    // Line 1 is unchanged for GitLab and an added line where the files are not paired.
    const [unpaired] = await positionsAt(likenessOf('forgejo'));
    const paired = (await positionsAt(likenessOf('gitlab'))).at(-1);
    const both = [unpaired, paired].flatMap((each) => each ?? []);
    await expect(submit(both, ['first', 'last'])).rejects.toMatchObject({ code: 'FORGE_UNKNOWN_OUTCOME' });
    const bodies = async () => (await bench.world.forge.read.fetchComments(of, signal)).map(({ body }) => body);
    expect(await bodies()).toEqual(['first']);
    await submit(both.slice(1), ['last']);
    expect(await bodies()).toEqual(['first', 'last']);
    expect(mr.drafts).toEqual([]);
  });
});

describe('a merge request of histories that have nothing in common', () => {
  it('GL11: takes no comment on a line, and is no answer that cannot be understood', async () => {
    const { sim, project, author, forge } = bench.world;
    const { gitDir } = mr.project;
    const identity = { name: 'author', email: 'author@noreply.localhost' };
    const tree = (await runGit(gitDir, ['rev-parse', 'refs/heads/move^{tree}'])).trim();
    const to = await commitTree(
      { gitDir, parents: [], message: 'm', author: identity, atMs: Date.UTC(2026, 1, 1) },
      tree,
    );
    await sim.moveBranch({ project, branch: 'orphan', to, as: author.login });
    mr = await sim.openMergeRequest({ project, sourceBranch: 'orphan', title: 'Orphan', author: author.login });
    of = { ...of, number: mr.iid };
    expect((await forge.read.fetchChangeRequest(of, signal))?.mergeBase).toBeNull();
    const [position] = await positionsAt(likenessOf('gitlab'));
    const wanted = [position].flatMap((each) => each ?? []);
    await expect(submit(wanted, ['nowhere'])).rejects.toMatchObject({ code: 'FORGE_INLINE_REFUSED' });
    expect(bench.world.slept()).toEqual([]);
    expect(mr.notes.filter(({ system }) => !system)).toEqual([]);
  });
});
