/** The code of a change request from the mirror that its review made. */
import { stat } from 'node:fs/promises';
import type { ChangeRequestFacts } from '../../../shared/forge/port-facts.ts';
import { type History, placeToday } from '../../../shared/rounds/model/history.ts';
import { findGit, GitError } from '../../../shared/workspace/git/git.ts';
import { createRevisions } from '../../../shared/workspace/git/revisions.ts';
import { openLocalRepository } from '../../../shared/workspace/local/local.ts';
import { findMirror } from '../../../shared/workspace/mirror/find-mirror.ts';
import { type CodeOf, loadCode, readEnds } from '../review/code-frame.ts';

export type Mirrored = {
  /** The `data_dir` of the review. */
  readonly folder: string;
  readonly searchPath: string;
  readonly facts: ChangeRequestFacts;
  readonly history: History;
};

const NO_CODE: CodeOf = () => null;

/** Shows no code if there is no mirror, because another process made the review or the verdict was carried over. */
export const readMirror = async (
  { folder, searchPath, facts, history }: Mirrored,
  signal: AbortSignal,
): Promise<CodeOf> => {
  const { changeRequest: of, head, mergeBase: base } = facts;
  const directory = await findMirror(folder, of);
  if ((await stat(directory).catch(() => null)) === null) return NO_CODE;
  try {
    const gitPath = findGit(searchPath);
    const repository = await openLocalRepository({ directory, gitPath, scratchFolder: folder }, signal);
    const revisions = createRevisions(repository.git, { borrowed: repository.objectFolders });
    try {
      return await loadCode(history.threads.map(placeToday), readEnds({ revisions, head, base }), signal);
    } finally {
      revisions.close();
    }
  } catch (error) {
    signal.throwIfAborted();
    // The code is only an addition to the result.
    if (error instanceof GitError) return NO_CODE;
    throw error;
  }
};
