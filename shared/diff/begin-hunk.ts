import { type HunkHeader, parseHunkHeader } from './hunk-header.ts';
import { decodeBytes } from './quoted-path.ts';
import { advance, closeHunk, fail, headerText, type OpenHunk, type Scanner } from './scanner.ts';

const FENCE = /^@{2,}/;
/** More parents than any real merge; bounds what a hostile header can allocate. */
const MAX_PARENTS = 64;

/** Reads the `@@` line at `pos` for the open file. */
export const beginHunk = (scanner: Scanner, lineEnd: number): true => {
  const text = headerText(scanner, scanner.pos, lineEnd);
  const file = scanner.file ?? fail(scanner, 'a hunk without a file header');
  closeHunk(scanner);
  const parents = (FENCE.exec(text)?.[0].length ?? 2) - 1;
  const header = parents > MAX_PARENTS ? null : parseHunkHeader(text, parents);
  if (header === null) return fail(scanner, 'malformed hunk header');
  if (parents > 1 !== (file.origin === 'combined') || (file.hunkCount > 0 && parents !== file.parents)) {
    return fail(scanner, 'hunk header and file header disagree about the number of parents');
  }
  if (header.new.start < file.nextNew || (header.old[0]?.start ?? 0) < file.nextOld) {
    return fail(scanner, 'hunks overlap or go backwards');
  }
  file.parents = parents;
  advance(scanner, lineEnd);
  scanner.hunk = openHunk(header, scanner.pos);
  file.nextOld = scanner.hunk.oldStart + scanner.hunk.oldLines;
  file.nextNew = scanner.hunk.newStart + scanner.hunk.newLines;
  scanner.state = 'hunk';
  return true;
};

const openHunk = (header: HunkHeader, bodyStart: number): OpenHunk => {
  const first = header.old[0] ?? { start: 0, lines: 0 };
  return {
    oldStart: first.start,
    oldLines: first.lines,
    newStart: header.new.start,
    newLines: header.new.lines,
    section: decodeBytes(header.section),
    parentsLeft: header.old.length > 1 ? header.old.map((range) => range.lines) : null,
    progress: { oldLeft: first.lines, newLeft: header.new.lines, added: 0, removed: 0, last: 0 },
    bodyStart,
  };
};
