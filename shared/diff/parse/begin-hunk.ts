import type { FileDraft } from './file-draft.ts';
import { type OpenHunk, parseHunkHeader } from './hunk-header.ts';
import type { HunkProgress } from './hunk-scan.ts';
import { advance, closeHunk, failScan, type Scanner } from './scanner.ts';

export const beginHunk = (scanner: Scanner, lineEnd: number): true => {
  const file = scanner.file ?? failScan(scanner, 'a hunk has no file header');
  closeHunk(scanner);
  const { cursor } = scanner;
  cursor.at = scanner.pos;
  cursor.end = lineEnd;
  const hunk = parseHunkHeader(scanner.bytes, cursor) ?? failScan(scanner, 'the hunk header is malformed');
  const problem = findMisfit(file, hunk);
  if (problem !== null) return failScan(scanner, problem);
  advance(scanner, lineEnd);
  file.parents = hunk.parents;
  file.nextOld = hunk.oldStart + hunk.oldLines;
  file.nextNew = hunk.newStart + hunk.newLines;
  scanner.hunk = hunk;
  scanner.parentsLeft = cursor.parentLines;
  startProgress(scanner.progress, hunk);
  scanner.state = 'hunk';
  return true;
};

const startProgress = (progress: HunkProgress, hunk: OpenHunk): void => {
  progress.oldLeft = hunk.oldLines;
  progress.newLeft = hunk.newLines;
  progress.added = 0;
  progress.removed = 0;
  progress.last = 0;
};

const findMisfit = (file: FileDraft, hunk: OpenHunk): string | null => {
  if (hunk.parents > 1 !== (file.origin === 'combined') || (file.hunkCount > 0 && hunk.parents !== file.parents)) {
    return 'hunk header and file header disagree about the number of parents';
  }
  const backwards = hunk.newStart < file.nextNew || hunk.oldStart < file.nextOld;
  return backwards ? 'hunks overlap or go backwards' : null;
};
