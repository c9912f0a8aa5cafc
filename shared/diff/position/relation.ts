/** Determines a finding's relation to the change from the diff, regardless of what the reviewer claims. */
import type { Place, Relation } from '../../vocabulary/finding.ts';
import { findFile } from './find-file.ts';
import { hunkLines } from '../hunk-lines.ts';
import type { Diff, DiffFile } from '../model.ts';
import { hunksTouching } from './position-lines.ts';
import { collapseBlanks } from '../../text/collapse-blanks.ts';

/** A quote from the file `path`; null if it can come from any file of the change. */
export type PlacedQuote = { readonly path: string | null; readonly code: string };

export type Claimed = {
  readonly place: Place;
  /** The text of the place's lines; empty if it is unknown. */
  readonly ownText: string;
  readonly quotes: readonly PlacedQuote[];
};

/**
 * `current_diff`: on a changed line of either side, or on a context line of a hunk if a changed line of that hunk is
 * quoted. `required_by_current_diff`: quotes a changed line elsewhere. `outside_diff`: anything else.
 */
export const relationOf = (diff: Diff, claimed: Claimed): Relation => {
  const { place } = claimed;
  const file = findFile(diff, place.path, place.side);
  if (file !== null && (!canRead(file) || isChangedIn(file, place))) return 'current_diff';
  const quotes = claimed.quotes.flatMap((quote) => linesBut(quote, claimed.ownText));
  if (file !== null && quotesHunk(file, place, quotes)) return 'current_diff';
  const telling = quotes.filter(({ code }) => sizeOf(code) >= MIN_TELLING);
  return diff.files.some((each) => quotesChange(each, telling)) ? 'required_by_current_diff' : 'outside_diff';
};

/** Whether the diff adds (on the new side) or removes (on the old side) one of the lines. */
export const isChanged = (diff: Diff, place: Place): boolean => {
  const file = findFile(diff, place.path, place.side);
  return file !== null && isChangedIn(file, place);
};

/** Minimum number of characters, without spaces, of a quote that counts as evidence: shorter quotes occur in any change. */
const MIN_TELLING = 8;

const sizeOf = (text: string): number => text.replaceAll(/\s/g, '').length;

/**
 * False if the diff has no numbered lines of the file, or if the whole file changed. Then every line counts as changed.
 */
const canRead = (file: DiffFile): boolean => {
  if (!file.complete || file.binary || file.parents > 1 || file.status === 'type_changed') return false;
  return file.hunks.length > 0 || file.oldMode === file.newMode;
};

const isChangedIn = (file: DiffFile, { side, startLine, line }: Place): boolean =>
  hunksTouching(file, side, startLine, line).some((hunk) =>
    hunkLines(hunk).some((each) => {
      const number = side === 'new' ? each.newLine : each.oldLine;
      return each.kind !== 'context' && number !== null && number >= startLine && number <= line;
    }),
  );

/** Splits a quote into lines and leaves out the lines of the place itself, which are no evidence about the change. */
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

/** True if the quote is part of the line or contains the whole line. */
const isOf = (quoted: string, line: string): boolean =>
  line.includes(quoted) || (sizeOf(line) >= MIN_TELLING && quoted.includes(line));
