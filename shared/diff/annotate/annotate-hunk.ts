import { hunkLines } from '../hunk-lines.ts';
import type { DiffFile, Hunk, HunkLine } from '../model.ts';
import { showOneLine } from './one-line.ts';

/**
 * Renders all hunks of a file. Every line starts with its sign and two columns of numbers, first the old side's, then the new side's:
 * ` 10 11:kept`, `-11 :removed`, `+ 12:added`.
 */
export const annotateHunks = (file: DiffFile): string => file.hunks.map(annotateHunk).join('');

const showHeader = ({ source, headerStart, bodyStart }: Hunk): string =>
  `${showOneLine(source.toString(undefined, headerStart, bodyStart - 1))}\n`;

const NO_NEWLINE = '\\ No newline at end of file\n';

const annotateHunk = (hunk: Hunk): string => showHeader(hunk) + hunkLines(hunk).map(annotateLine).join('');

const SIGNS = { added: '+', removed: '-', context: ' ' } as const;

const annotateLine = (line: HunkLine): string => {
  const row = `${SIGNS[line.kind]}${line.oldLine ?? ''} ${line.newLine ?? ''}:${showOneLine(line.text)}\n`;
  return line.noNewlineAtEnd ? row + NO_NEWLINE : row;
};
