/** Makes a repository with the target branch of a case and one commit for each push, one on top of the other. */
import type { EvalRoundsCase } from '../../../../shared/eval/rounds-case.ts';
import { CommitSha } from '../../../../shared/vocabulary/ids.ts';
import type { BuildPlace } from './build-change.ts';
import { BASE_REF, commitStream } from './import-stream.ts';
import { createScratch } from './scratch-repository.ts';

export type BuiltPushes = {
  readonly directory: string;
  readonly base: CommitSha;
  readonly heads: readonly CommitSha[];
};

const IMPORT_MS = 5 * 60_000;

const refOf = (push: number): string => `refs/heads/push-${push + 1}`;

/** @throws GitError */
export const buildPushes = async (
  { before, pushes }: Pick<EvalRoundsCase, 'before' | 'pushes'>,
  { scratchFolder, gitPath }: Pick<BuildPlace, 'scratchFolder' | 'gitPath'>,
  signal: AbortSignal,
): Promise<BuiltPushes> => {
  const git = await createScratch({ folder: scratchFolder, gitPath }, signal);
  const asContent = (files: readonly { readonly path: string; readonly text: string | null }[]) =>
    files.map(({ path, text }) => ({ path, content: text }));
  const input = commitStream([
    { ref: BASE_REF, files: asContent(before) },
    ...pushes.map(({ files }, push) => ({ ref: refOf(push), files: asContent(files) })),
  ]);
  await git.run(['fast-import', '--quiet', '--done'], { input, timeoutMs: IMPORT_MS }, signal);
  const commitOf = async (ref: string): Promise<CommitSha> =>
    CommitSha.parse((await git.run(['rev-parse', '--verify', ref], {}, signal)).stdout.toString('latin1').trim());
  const heads: CommitSha[] = [];
  for (const push of pushes.keys()) heads.push(await commitOf(refOf(push)));
  return { directory: git.gitDir, base: await commitOf(BASE_REF), heads };
};
