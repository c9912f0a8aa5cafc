import type { Logger } from '../../shared/logger.ts';
import type { FixBrief } from '../../shared/rounds/model/fix-brief.ts';
import type { Mirror } from '../../shared/workspace/mirror/mirror.ts';
import type { Revisions } from '../../shared/workspace/git/revisions.ts';
import type { ChangeRequestFile } from './change/decide-change.ts';
import type { AuthorDeps, AuthorForge } from './deps.ts';
import type { CommitPlace } from './write-commit.ts';

export type Fixing = {
  readonly deps: AuthorDeps;
  readonly forge: AuthorForge;
  readonly brief: FixBrief;
  readonly limits: { readonly maxTurns: number; readonly maxRuntimeMs: number };
  readonly log: Pick<Logger, 'warn'>;
  readonly signal: AbortSignal;
};

export type Opened = {
  readonly mirror: Mirror;
  readonly revisions: Revisions;
  readonly files: ReadonlyMap<string, ChangeRequestFile>;
};

export const scratchPlace = ({ deps, forge }: Fixing, { mirror }: Pick<Opened, 'mirror'>): CommitPlace => ({
  gitPath: forge.access.gitPath,
  gitDir: mirror.git.gitDir,
  scratchFolder: deps.scratchFolder,
});
