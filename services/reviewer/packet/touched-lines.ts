import { hunkLines } from '../../../shared/diff/hunk-lines.ts';
import type { DiffFile } from '../../../shared/diff/model.ts';
import type { ChangedFile } from '../../../shared/rules/model/rule.ts';

export type Touched = Pick<Required<ChangedFile>, 'changedLines' | 'removedAfter'>;

/** Returns added lines, and lines that are followed by a removal without replacement. */
export const touchedLines = (file: DiffFile): Touched => {
  const changedLines = new Set<number>();
  const removedAfter = new Set<number>();
  for (const hunk of file.hunks) {
    let last = hunk.newStart - (hunk.newLines === 0 ? 0 : 1);
    let removing = false;
    for (const { kind, newLine } of hunkLines(hunk)) {
      if (kind === 'added' && newLine !== null) changedLines.add(newLine);
      if (kind === 'context' && removing) removedAfter.add(last);
      removing = kind === 'removed';
      last = newLine ?? last;
    }
    if (removing) removedAfter.add(last);
  }
  return { changedLines, removedAfter };
};
