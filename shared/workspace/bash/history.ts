/** The history of a checkout for the Bash tool: laid out in its view at the first command, gone with the checkout. */
import type { CommitSha } from '../../vocabulary/ids.ts';
import { type BashRunner, createBashRunner } from './bash-runner.ts';
import type { Cage } from '../cage/cage.ts';
import { createGitView, type GitView } from './git-view.ts';
import type { RepositoryPlace } from '../git/revisions.ts';

export type HistorySource = {
  /** Of the mirror, or of the repository that stands in for it. */
  readonly repository: RepositoryPlace;
  /** Where checkouts lie. */
  readonly folder: string;
  /** Root of the checkout of `head`. */
  readonly workspace: string;
  readonly head: CommitSha;
  /** What the head is compared with; null where nobody knows. */
  readonly base: CommitSha | null;
};

export type BashHistory = {
  readonly run: BashRunner;
  /** Contract: nothing runs any more; idempotent. */
  readonly close: () => Promise<void>;
};

export const openHistory = (cage: Cage, source: HistorySource): BashHistory => {
  const { repository, workspace } = source;
  let laid: Promise<GitView> | null = null;
  const layOut = async (signal: AbortSignal): Promise<GitView> => {
    try {
      return await createGitView({ ...repository, ...source }, signal);
    } catch (error) {
      // The next command tries again.
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
