/**
 * From how much likeness on, in percent, a removed and an added file are one renamed file. Forgejo and Gitea leave it at
 * git's own 50; GitLab's Gitaly asks for 30 (`CommitDiff`: `--find-renames=30%`). A comment must name the lines of the
 * diff that its forge shows: where one sees a renamed file and the other a new one, it stands in no diff at all.
 */
import type { Config } from '../../config/load.ts';
import type { ForgeKind } from '../../vocabulary/forge-kind.ts';

export const GIT_RENAME_LIKENESS = 50;

const LIKENESS: Readonly<Record<ForgeKind, number>> = {
  forgejo: GIT_RENAME_LIKENESS,
  gitea: GIT_RENAME_LIKENESS,
  gitlab: 30,
};

export const renameLikenessOf = (kind: ForgeKind): number => LIKENESS[kind];

/** Of the forge with this id; git's own where it is not configured any more. */
export const renameLikenessAt = ({ forges }: Pick<Config, 'forges'>, forgeId: string): number => {
  const kind = forges.find(({ id }) => id === forgeId)?.kind;
  return kind === undefined ? GIT_RENAME_LIKENESS : renameLikenessOf(kind);
};
