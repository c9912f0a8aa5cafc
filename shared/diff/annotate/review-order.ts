import { compareText } from '../../text/compare-text.ts';
import type { DiffFile } from '../model.ts';

const TEST =
  /(?:^|\/)(?:tests?|specs?|__tests__|testdata|fixtures)\/|[._-](?:test|spec)s?\.[^/]{1,255}$|(?:^|\/)test_[^/]+$/i;
const PROSE_OR_DATA = /\.(?:md|mdx|rst|txt|adoc|json|csv|svg|po|pot|snap|lock)$/i;

/** Returns 0 for files in `first`, 1 for source, 2 for tests, 3 for prose and data. */
const rankOf = (file: DiffFile, first: ReadonlySet<string>): number => {
  if (first.has(file.newPath)) return 0;
  if (PROSE_OR_DATA.test(file.newPath)) return 3;
  return TEST.test(file.newPath) ? 2 : 1;
};

/** Sorts by rank, then smaller changes first (to cover more files), then by path. The order is total, so it is deterministic. */
export const compareForReview =
  (first: ReadonlySet<string>) =>
  (one: DiffFile, two: DiffFile): number =>
    rankOf(one, first) - rankOf(two, first) ||
    one.added + one.removed - (two.added + two.removed) ||
    compareText(one.newPathRaw, two.newPathRaw);
