/** The history that the Bash tool reads: created at the first command and deleted when the checkout is closed. */
import type { CommitSha } from '../../vocabulary/ids.ts';
import { type BashRunner, createBashRunner } from './bash-runner.ts';
import type { Cage } from '../cage/cage.ts';
import { createGitView, type GitView } from './git-view.ts';
import type { RepositoryPlace } from '../git/revisions.ts';

export type HistorySource = {
  /** The mirror, or the local repository that replaces it. */
  readonly repository: RepositoryPlace;
  readonly folder: string;
  readonly workspace: string;
  readonly head: CommitSha;
  /** The commit that the head is compared with; null when it is unknown. */
  readonly base: CommitSha | null;
};

export type BashHistory = {
  readonly run: BashRunner;
  /** Contract: called after the last command has ended. Calling it again has no effect. */
  readonly close: () => Promise<void>;
};

export const openHistory = (cage: Cage, source: HistorySource): BashHistory => {
  const { repository, workspace } = source;
  let laid: Promise<GitView> | null = null;
  const layOut = async (signal: AbortSignal): Promise<GitView> => {
    try {
      return await createGitView({ ...repository, ...source }, signal);
    } catch (error) {
      // After a failure the next command tries again.
      laid = null;
      throw error;
    }
  };
  return {
    run: createBashRunner({
      cage,
      gitPath: repository.gitPath,
      workspace,
      history: async (signal) => (laid ??= layOut(signal)),
    }),
    close: async () => {
      const view = await laid?.catch(() => null);
      await view?.dispose();
    },
  };
};
