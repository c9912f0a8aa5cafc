import { annotateHunks } from './annotate-hunk.ts';
import type { DiffFile } from '../model.ts';
import { showOneLine } from './one-line.ts';
import { quoteName } from '../paths/quoted-path.ts';

/** Quotes a path as git does, so that a line feed in a name cannot start a new line. */
const showPath = (path: string): string => showOneLine(quoteName(path, false));

const describeModes = (file: DiffFile): string =>
  file.oldMode !== null && file.newMode !== null && file.oldMode !== file.newMode
    ? `, mode ${file.oldMode} to ${file.newMode}`
    : '';

/** Returns a header such as `=== src/new.ts (renamed from src/old.ts, +2 -1)`. Content lines start with a sign, so none can imitate it. */
export const annotateHeader = (file: DiffFile): string => {
  const from = file.oldPathRaw === file.newPathRaw ? '' : ` from ${showPath(file.oldPath)}`;
  const size = file.binary ? 'binary' : `+${file.added} -${file.removed}`;
  return `=== ${showPath(file.newPath)} (${file.status}${from}, ${size}${describeModes(file)})\n`;
};

export const annotateFile = (file: DiffFile): string => annotateHeader(file) + annotateHunks(file);
