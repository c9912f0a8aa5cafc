import type { Side } from '../../vocabulary/finding.ts';
import { findQuote } from './find-quote.ts';
import type { DiffFile } from '../model.ts';
import { numberOn, placeLines } from './position-lines.ts';

type LineRange = { readonly startLine: number; readonly line: number };

export const findQuotedRanges = (file: DiffFile, side: Side, quote: string): readonly LineRange[] =>
  file.hunks.flatMap((hunk) => {
    const lines = placeLines(hunk).flatMap((line) => {
      const number = numberOn(line, side);
      return number === null ? [] : [{ number, text: line.text }];
    });
    const runs = findQuote(
      lines.map((line) => line.text),
      quote,
    );
    // The lines of one side of a hunk are consecutive, so the first number is enough.
    const base = lines[0]?.number ?? 0;
    return runs.map((run) => ({ startLine: base + run.first, line: base + run.last }));
  });
