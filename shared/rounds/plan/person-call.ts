/** The files for which a person is called. A plan says only that somebody is called; the poster determines who. */
import { bySeverity, stillBlocks } from '../model/blocking.ts';
import type { Thread } from '../model/history.ts';
import { MAX_CALLED_PATHS, type PersonCall } from '../model/posting/post-plan.ts';

export const callForThread = ({ place }: Pick<Thread, 'place'>): PersonCall => ({ paths: [place.path] });

/** `newPaths`: files of findings posted with the call. Most severe threads first, each file once. */
export const callForBlocking = (threads: readonly Thread[], newPaths: readonly string[]): PersonCall => {
  const open = threads.filter(stillBlocks).toSorted((one, other) => bySeverity(one.severity, other.severity));
  const paths = new Set([...open.map(({ place }) => place.path), ...newPaths]);
  return { paths: [...paths].slice(0, MAX_CALLED_PATHS) };
};
