import { isNoNewlineMarker, LF } from './hunk-scan.ts';
import type { HunkOutcome, HunkProgress } from './hunk-scan.ts';

type CombinedScan = {
  readonly bytes: Buffer;
  /** Remaining lines per parent. The numbers are counted down in place. */
  readonly due: number[];
  readonly progress: HunkProgress;
};

/**
 * Reads the lines of a combined hunk, which have one sign per parent. A line with a `-` is not in the merge result and
 * counts for every parent whose sign is `-`. Any other line is in the result and counts for every parent whose sign is a
 * blank. `added` and `removed` are relative to the first parent, as in `git diff --numstat` for a merge.
 */
export const scanCombinedHunk = ({ bytes, due, progress }: CombinedScan): HunkOutcome => {
  progress.rows = 0;
  while (progress.newLeft > 0 || due.some((left) => left > 0)) {
    const { pos } = progress;
    const lineEnd = bytes.indexOf(LF, pos);
    if (lineEnd === -1) return 'cut_off';
    if (!isNoNewlineMarker(bytes, pos, lineEnd)) {
      const signs = lineEnd === pos ? ' '.repeat(due.length) : bytes.toString('latin1', pos, pos + due.length);
      if (!countRow(signs, progress, due)) return 'bad_line';
    }
    progress.last = bytes[pos] ?? LF;
    progress.pos = lineEnd + 1;
    progress.rows++;
  }
  return progress.newLeft < 0 || due.some((left) => left < 0) ? 'too_many' : 'done';
};

const countRow = (signs: string, progress: HunkProgress, due: number[]): boolean => {
  const removed = signs.includes('-');
  if (signs.length !== due.length || !(removed ? /^[- ]+$/ : /^[+ ]+$/).test(signs)) return false;
  for (const [parent, left] of due.entries()) {
    if (signs.charAt(parent) === (removed ? '-' : ' ')) due[parent] = left - 1;
  }
  if (!removed) progress.newLeft--;
  if (signs.startsWith('-')) progress.removed++;
  if (signs.startsWith('+')) progress.added++;
  return true;
};
