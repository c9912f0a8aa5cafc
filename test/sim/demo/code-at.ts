/** The lines of a diff that end with a commented one. */
import { hunkLines } from '../../../shared/diff/hunk-lines.ts';
import type { HunkLine } from '../../../shared/diff/model.ts';
import { parseDiff } from '../../../shared/diff/parse/parse.ts';

export type CodeLine = Pick<HunkLine, 'kind' | 'oldLine' | 'newLine' | 'text'>;

export type CodePlace = { readonly path: string; readonly line: number; readonly side: 'new' | 'old' };

const SHOWN = 4;

const plain = ({ kind, oldLine, newLine, text }: HunkLine): CodeLine => ({
  kind,
  oldLine,
  newLine,
  text: text.replace(/\r$/, ''),
});

/** Empty when the diff does not contain the line. */
export const codeAt = (diff: string, { path, line, side }: CodePlace): readonly CodeLine[] => {
  const file = parseDiff(diff).files.find(({ oldPath, newPath }) => (side === 'old' ? oldPath : newPath) === path);
  for (const hunk of file?.hunks ?? []) {
    const lines = hunkLines(hunk);
    const at = lines.findIndex((each) => (side === 'old' ? each.oldLine : each.newLine) === line);
    if (at >= 0) return lines.slice(Math.max(0, at - SHOWN + 1), at + 1).map(plain);
  }
  return [];
};
