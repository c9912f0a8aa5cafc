/** What a finding has to do with the change: read off the diff, whatever the reviewer calls it. */
import type { Place, Relation } from '../../vocabulary/finding.ts';
import { findFile } from './find-file.ts';
import { hunkLines } from '../hunk-lines.ts';
import type { Diff, DiffFile } from '../model.ts';
import { hunksTouching } from './position-lines.ts';
import { collapseBlanks } from '../../text/collapse-blanks.ts';

/** A quotation that stands in the file `path`; null where it may be of any file of the change. */
export type PlacedQuote = { readonly path: string | null; readonly code: string };

export type Claimed = {
  readonly place: Place;
  /** The lines of the place; empty when they are not known. */
  readonly ownText: string;
  readonly quotes: readonly PlacedQuote[];
};

/**
 * `current_diff` on a changed line of either side, or on a context line of a hunk whose changed line the evidence quotes.
 * `required_by_current_diff` with a quotation of a changed line elsewhere. Everything else was there before.
 */
export const relationOf = (diff: Diff, claimed: Claimed): Relation => {
  const { place } = claimed;
  const file = findFile(diff, place.path, place.side);
  if (file !== null && (!canRead(file) || isChanged(file, place))) return 'current_diff';
  const quotes = claimed.quotes.flatMap((quote) => linesBut(quote, claimed.ownText));
  if (file !== null && quotesHunk(file, place, quotes)) return 'current_diff';
  const telling = quotes.filter(({ code }) => sizeOf(code) >= MIN_TELLING);
  return diff.files.some((each) => quotesChange(each, telling)) ? 'required_by_current_diff' : 'outside_diff';
};

/** Characters that are no space: fewer stand in any change. */
const MIN_TELLING = 8;

const sizeOf = (text: string): number => text.replaceAll(/\s/g, '').length;

/** Where the diff does not show each line with its number, or a file changed as a whole, no line is untouched. */
const canRead = (file: DiffFile): boolean => {
  if (!file.complete || file.binary || file.parents > 1 || file.status === 'type_changed') return false;
  return file.hunks.length > 0 || file.oldMode === file.newMode;
};

const isChanged = (file: DiffFile, { side, startLine, line }: Place): boolean =>
  hunksTouching(file, side, startLine, line).some((hunk) =>
    hunkLines(hunk).some((each) => {
      const number = side === 'new' ? each.newLine : each.oldLine;
      return each.kind !== 'context' && number !== null && number >= startLine && number <= line;
    }),
  );

/** Each line of a quotation by itself, without those of the place: they tell nothing about the change. */
const linesBut = ({ path, code }: PlacedQuote, ownText: string): readonly PlacedQuote[] => {
  const own = new Set(ownText.split('\n').map(collapseBlanks));
  return code
    .split('\n')
    .map(collapseBlanks)
    .filter((line) => line !== '' && !own.has(line))
    .map((line) => ({ path, code: line }));
};

const quotesHunk = (file: DiffFile, { side, startLine, line }: Place, quotes: readonly PlacedQuote[]): boolean => {
  const hunks = hunksTouching(file, side, startLine, line);
  return hunks.length > 0 && quotesChange({ ...file, hunks }, quotes);
};

const quotesChange = (file: DiffFile, quotes: readonly PlacedQuote[]): boolean => {
  const own = quotes.filter(({ path }) => path === null || path === file.newPath || path === file.oldPath);
  if (own.length === 0) return false;
  return file.hunks.some((hunk) =>
    hunkLines(hunk).some(
      ({ kind, text }) => kind !== 'context' && own.some(({ code }) => isOf(code, collapseBlanks(text))),
    ),
  );
};

/** A part of the line, or the line with what follows it. */
const isOf = (quoted: string, line: string): boolean =>
  line.includes(quoted) || (sizeOf(line) >= MIN_TELLING && quoted.includes(line));
