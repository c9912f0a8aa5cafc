/** Compares the files that a model reports as not reviewed with the files of the change. */
import type { Diff } from '../../../shared/diff/model.ts';
import type { OmittedFile } from '../../../shared/vocabulary/coverage.ts';

export type NotReviewed = {
  readonly omitted: readonly OmittedFile[];
  /** Paths of files that are not part of the change. The result does not depend on whether they were reviewed. */
  readonly notOfChange: readonly string[];
};

const MAX_NAMED = 20;

/** Anything that may mean files of the change (a folder, a pattern, words) keeps the review incomplete. */
export const sortNotReviewed = (said: readonly OmittedFile[], { files }: Diff): NotReviewed => {
  const paths = new Map(files.flatMap(({ oldPath, newPath }) => [[oldPath, newPath] as const, [newPath, newPath]]));
  const omitted: OmittedFile[] = [];
  const notOfChange: string[] = [];
  for (const file of said) {
    const path = paths.get(file.path) ?? paths.get(file.path.replace(/^[ab]\//, ''));
    if (path !== undefined) omitted.push({ ...file, path });
    else if (isOtherFile(file.path, [...paths.keys()])) notOfChange.push(file.path);
    else omitted.push(file);
  }
  return { omitted, notOfChange: [...new Set(notOfChange)].slice(0, MAX_NAMED) };
};

/** True for a name such as `src/a.ts` or `n/a` if no path of the change begins with it. */
const isOtherFile = (path: string, paths: readonly string[]): boolean => {
  const folder = `${path.replace(/\/+$/, '')}/`;
  return /^[^\s*?{}[\]()]*[./]\w[^\s*?{}[\]()]*$/.test(path) && !paths.some((each) => each.startsWith(folder));
};
