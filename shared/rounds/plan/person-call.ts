/**
 * Determines the files whose owners are mentioned. A plan only says that somebody must be mentioned; the poster
 * determines who.
 */
import { bySeverity, stillBlocks } from '../model/blocking.ts';
import type { Thread } from '../model/history.ts';
import { MAX_CALLED_PATHS, type PersonCall } from '../model/posting/post-plan.ts';

export const callForThread = ({ place }: Pick<Thread, 'place'>): PersonCall => ({ paths: [place.path] });

/**
 * Returns each file once, with the most severe threads first. `newPaths`: files of findings that are posted with the
 * mention.
 */
export const callForBlocking = (threads: readonly Thread[], newPaths: readonly string[]): PersonCall => {
  const open = threads.filter(stillBlocks).toSorted((one, other) => bySeverity(one.severity, other.severity));
  const paths = new Set([...open.map(({ place }) => place.path), ...newPaths]);
  return { paths: [...paths].slice(0, MAX_CALLED_PATHS) };
};
