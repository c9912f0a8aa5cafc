import type { FileDraft } from './file-draft.ts';
import { type HunkHeader, parseHunkHeader } from './hunk-header.ts';
import { advance, closeHunk, fail, type Scanner } from './scanner.ts';

/** Reads the `@@` line at `pos` for the open file. */
export const beginHunk = (scanner: Scanner, lineEnd: number): true => {
  const file = scanner.file ?? fail(scanner, 'a hunk without a file header');
  closeHunk(scanner);
  const header = parseHunkHeader(scanner.bytes, scanner.pos, lineEnd) ?? fail(scanner, 'malformed hunk header');
  const problem = findMisfit(file, header);
  if (problem !== null) return fail(scanner, problem);
  advance(scanner, lineEnd);
  file.parents = header.parentLines?.length ?? 1;
  file.nextOld = header.oldStart + header.oldLines;
  file.nextNew = header.newStart + header.newLines;
  scanner.hunk = {
    oldStart: header.oldStart,
    oldLines: header.oldLines,
    newStart: header.newStart,
    newLines: header.newLines,
    section: header.section,
    source: scanner.bytes,
    bodyStart: scanner.pos,
    bodyEnd: scanner.pos,
    parents: file.parents,
  };
  scanner.parentsLeft = header.parentLines;
  scanner.progress = { oldLeft: header.oldLines, newLeft: header.newLines, added: 0, removed: 0, last: 0 };
  scanner.state = 'hunk';
  return true;
};

const findMisfit = (file: FileDraft, header: HunkHeader): string | null => {
  const parents = header.parentLines?.length ?? 1;
  if (parents > 1 !== (file.origin === 'combined') || (file.hunkCount > 0 && parents !== file.parents)) {
    return 'hunk header and file header disagree about the number of parents';
  }
  const backwards = header.newStart < file.nextNew || header.oldStart < file.nextOld;
  return backwards ? 'hunks overlap or go backwards' : null;
};
