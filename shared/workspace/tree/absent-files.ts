/**
 * The files of a commit that its checkout lacks. A search cannot find them, so its result must say so: otherwise a model
 * takes "no match" for proof.
 */
import { hasBinaryName } from '../../diff/binary-names.ts';
import type { OmittedFile } from '../../vocabulary/coverage.ts';

export type AbsentFiles = {
  readonly files: readonly OmittedFile[];
  /** Number of files after which the listing of the commit was cut; null if it is complete. */
  readonly cutAfter: number | null;
};

type Laid = { readonly skipped: readonly OmittedFile[]; readonly complete: boolean; readonly files: number };

/** A submodule is another repository, so its files are not files of the commit. */
const SUBMODULE = 'a submodule';

export const absentFilesOf = ({ skipped, complete, files }: Laid): AbsentFiles => ({
  files: skipped.filter(({ reason }) => reason !== SUBMODULE),
  cutAfter: complete ? null : files + skipped.length,
});

const MAX_REASONS = 3;

/** Reasons with their numbers, the most frequent first, without the details of each file. */
const countReasons = (files: readonly OmittedFile[]): string => {
  const counts = new Map<string, number>();
  for (const { reason } of files) {
    const short = reason.split(' (')[0] ?? '';
    counts.set(short, (counts.get(short) ?? 0) + 1);
  }
  const sorted = [...counts].toSorted(([, one], [, other]) => other - one);
  const shown = sorted.slice(0, MAX_REASONS).map(([reason, count]) => `${count}: ${reason}`);
  return [...shown, ...(sorted.length > MAX_REASONS ? ['other reasons'] : [])].join('; ');
};

const NO_PROOF = 'what is not found here may be there';

type Searched = {
  /** The searched folder; empty for the whole tree. */
  readonly folder: string;
  /** True for a search in the text of files. It would not read files that are binary by their name. */
  readonly inText: boolean;
};

/** Returns one sentence for the result of a search, or null if the search could have found everything. */
export const absentNotice = (absent: AbsentFiles | undefined, { folder, inText }: Searched): string | null => {
  if (absent === undefined) return null;
  const under = folder === '' ? '' : `${folder}/`;
  const files = absent.files.filter(({ path }) => path.startsWith(under) && !(inText && hasBinaryName(path)));
  const parts = [
    ...(absent.cutAfter === null ? [] : [`all files of the commit after the first ${absent.cutAfter}`]),
    ...(files.length === 0 ? [] : [`${numberOf(files.length)} (${countReasons(files)})`]),
  ];
  return parts.length === 0 ? null : `not searched: ${parts.join(', and ')}; ${NO_PROOF}`;
};

/** What a program that needs all files of the commit would miss; null if it misses nothing. */
export const missingText = ({ files, cutAfter }: AbsentFiles, pointers: number): string | null => {
  const parts = [
    ...(cutAfter === null ? [] : [`all files after the first ${cutAfter}`]),
    ...(files.length === 0 ? [] : [`${numberOf(files.length)} (${countReasons(files)})`]),
    ...(pointers === 0 ? [] : [`the content of ${numberOf(pointers)} in Git LFS`]),
  ];
  return parts.length === 0 ? null : parts.join(', and ');
};

const numberOf = (files: number): string => `${files} ${files === 1 ? 'file' : 'files'}`;

/** Why this file is absent, or null if it is not one of the absent files that are known. */
export const whyAbsent = (absent: AbsentFiles | undefined, path: string): string | null =>
  absent?.files.find((file) => file.path === path)?.reason ?? null;

export const joinNotices = (...notices: readonly (string | null)[]): string | null => {
  const given = notices.filter((notice) => notice !== null);
  return given.length === 0 ? null : given.join('; ');
};

/** For the first prompt of a model whose tools are not ours, so that their results cannot say it. */
export const absentRemark = (absent: AbsentFiles | undefined): string | null => {
  const notice = absentNotice(absent, { folder: '', inText: true });
  return notice === null
    ? null
    : `The working directory does not have all files of the commit. Grep finds nothing in the others (${notice}).`;
};
