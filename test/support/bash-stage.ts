/** A repository with a history, its checkout and its view for the cage, as the Bash tool has them in production. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Protect } from '../../shared/agent/present-result.ts';
import type { Tool } from '../../shared/agent/tool.ts';
import { createBashTool } from '../../shared/agent/tools/bash.ts';
import type { CommitSha } from '../../shared/vocabulary/ids.ts';
import { type BashRun, type BashRunner, createBashRunner } from '../../shared/workspace/bash/bash-runner.ts';
import type { Cage } from '../../shared/workspace/cage/cage.ts';
import { createCheckout } from '../../shared/workspace/tree/checkout.ts';
import { createGitView } from '../../shared/workspace/bash/git-view.ts';
import { createRevisions } from '../../shared/workspace/git/revisions.ts';
import { GIT, gitOf, never, type Repository } from '../shared/workspace/repository.ts';

export type BashStage = {
  readonly tool: Tool;
  readonly root: string;
  /** Every call that reached the cage. */
  readonly runs: readonly BashRun[];
  readonly run: BashRunner;
  dispose(): Promise<void>;
};

export type StageWish = {
  readonly cage: Cage;
  readonly repository: Repository;
  /** Folder for checkouts and views; the cage's account must be able to pass through it. */
  readonly folder: string;
  readonly head: CommitSha;
  readonly base: CommitSha | null;
  readonly protect: Protect;
};

export const layBashStage = async ({
  cage,
  repository,
  folder,
  head,
  base,
  protect,
}: StageWish): Promise<BashStage> => {
  mkdirSync(folder, { recursive: true });
  const revisions = createRevisions(gitOf(repository));
  const checkouts = join(folder, 'checkouts');
  const checkout = await createCheckout({ revisions, folder: checkouts }, head, never());
  revisions.close();
  const source = { gitPath: GIT, gitDir: repository.gitDir, folder: checkouts, head, base };
  const view = await createGitView(source, never());
  const caged = createBashRunner({ cage, gitPath: GIT, workspace: checkout.root, history: async () => view });
  const runs: BashRun[] = [];
  const run: BashRunner = async (call, signal) => {
    runs.push(call);
    return caged(call, signal);
  };
  return {
    tool: createBashTool(run, protect),
    root: checkout.root,
    runs,
    run,
    dispose: async () => {
      await checkout.dispose();
      await view.dispose();
    },
  };
};
