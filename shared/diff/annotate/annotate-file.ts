import { annotateHunks } from './annotate-hunk.ts';
import type { DiffFile } from '../model.ts';
import { showOneLine } from './one-line.ts';
import { quoteName } from '../paths/quoted-path.ts';

/** Quoted as git does it, so that a line feed in a name cannot start a line. */
const showPath = (path: string): string => showOneLine(quoteName(path, false));

const describeModes = (file: DiffFile): string =>
  file.oldMode !== null && file.newMode !== null && file.oldMode !== file.newMode
    ? `, mode ${file.oldMode} to ${file.newMode}`
    : '';

/** `=== src/new.ts (renamed from src/old.ts, +2 -1)`: one line that no content line can imitate. */
export const annotateHeader = (file: DiffFile): string => {
  const from = file.oldPathRaw === file.newPathRaw ? '' : ` from ${showPath(file.oldPath)}`;
  const size = file.binary ? 'binary' : `+${file.added} -${file.removed}`;
  return `=== ${showPath(file.newPath)} (${file.status}${from}, ${size}${describeModes(file)})\n`;
};

/** One file with the number of every line in front of it, as the reviewer reads it. */
export const annotateFile = (file: DiffFile): string => annotateHeader(file) + annotateHunks(file);
