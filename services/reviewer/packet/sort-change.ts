/** Sorts the changed files by name, the operator's settings and the base's attributes; the change itself cannot influence this. */
import { compileGlob } from '../../../shared/diff/paths/glob-match.ts';
import { sortFiles } from '../../../shared/diff/paths/exclusions.ts';
import type { Diff, DiffFile } from '../../../shared/diff/model.ts';
import { classifyName } from '../../../shared/diff/paths/well-known-files.ts';
import type { CommitSha } from '../../../shared/vocabulary/ids.ts';
import type { OmittedFile } from '../../../shared/vocabulary/coverage.ts';
import { hasRuleLanguage } from '../../../shared/rules/model/language.ts';
import type { PacketLimits, PacketSource } from './packet.ts';
import { keepPaths, keepRepositoryPaths } from './path-filter.ts';
import { readAttributes } from './read-attributes.ts';

export type SortedChange = {
  readonly reviewable: readonly DiffFile[];
  /** Files that the repository's settings mute. Some of them are in `reviewable`, some in `excluded`. */
  readonly quiet: readonly DiffFile[];
  readonly excluded: readonly OmittedFile[];
  readonly byOperator: ReadonlySet<string>;
  /** Those paths of `excluded` that the rules still check. */
  readonly onlyRules: ReadonlySet<string>;
  readonly oversized: readonly { readonly file: DiffFile; readonly reason: string }[];
};

export const sortChange = async (
  diff: Diff,
  { revisions, limits, signal, base }: PacketSource & { readonly base: CommitSha | null },
): Promise<SortedChange> => {
  const attributes = base === null ? [] : await readAttributes(revisions, { commit: base, files: diff.files }, signal);
  const sorted = sortFiles(diff.files, { ignore: limits.excludePaths, attributes, maxFileBytes: limits.maxFileBytes });
  const { kept, left } = keepPaths(sorted.reviewable, limits.includePaths);
  const large = keepPaths(
    sorted.oversized.map(({ file }) => file),
    limits.includePaths,
  );
  const quiet = keepRepositoryPaths(kept, limits.repositoryPaths ?? { include: [], exclude: [] }).left;
  const onlyRules = new Set(quiet.filter(({ newPath }) => hasRuleLanguage(newPath)));
  const outside = [...left, ...large.left];
  const ignored = sorted.excluded.filter(({ kind }) => kind === 'ignored').map(({ file }) => file.newPath);
  return {
    reviewable: kept.filter((file) => !onlyRules.has(file)),
    quiet,
    excluded: [
      ...sorted.excluded.map(({ file, reason }) => ({ path: file.newPath, reason })),
      ...outside,
      ...[...onlyRules].map(({ newPath }) => ({ path: newPath, reason: QUIET })),
    ],
    byOperator: new Set([...ignored, ...outside.map(({ path }) => path)]),
    onlyRules: new Set([...onlyRules].map(({ newPath }) => newPath)),
    oversized: sorted.oversized.filter(({ file }) => large.kept.includes(file)),
  };
};

const QUIET = "excluded by the repository's settings; the rules checked it only for P0 and P1";

/** Decides whether a path is excluded by its name or by the operator, regardless of the file's content. */
export const createLeftOut = ({
  excludePaths,
  includePaths,
}: Pick<PacketLimits, 'excludePaths' | 'includePaths'>): ((path: string) => boolean) => {
  const compile = (patterns: readonly string[]) =>
    patterns.map((pattern) => compileGlob(pattern)).filter((glob) => glob !== null);
  const [excluded, included] = [compile(excludePaths), compile(includePaths)];
  return (path) =>
    classifyName(path) !== null ||
    excluded.some((glob) => glob.covers(path)) ||
    (includePaths.length > 0 && !included.some((glob) => glob.covers(path)));
};
