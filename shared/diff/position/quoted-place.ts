/** Locates a finding by its quote. The finding's line numbers only choose between several matches. */
import type { Place } from '../../vocabulary/finding.ts';
import { findJoinedQuote, findQuote, type QuotedRun } from './find-quote.ts';
import { collapseBlanks } from '../../text/collapse-blanks.ts';

/** The text of the file on both sides; null if the file does not exist on that side or is not text. */
export type SideTexts = { readonly new: string | null; readonly old: string | null };

export type QuotedPlace =
  /** The quote is on the lines that the finding names. */
  | { readonly kind: 'there'; readonly place: Place }
  /** The quote is elsewhere. `whole`: its lines contain nothing but the quote, and no other match was as likely. */
  | { readonly kind: 'moved'; readonly place: Place; readonly whole: boolean }
  /** The quote was not found. */
  | { readonly kind: 'unknown'; readonly place: Place };

type Range = { readonly startLine: number; readonly line: number };

export type Quoting = {
  readonly quote: string;
  readonly texts: SideTexts;
  /** Whether the diff shows these lines. */
  readonly isShown: (at: Place) => boolean;
  /** Whether the diff removes one of these lines of the old side. */
  readonly isRemoved: (at: Place) => boolean;
};

/**
 * Chooses the match closest to the named line. A number that is far from every match is ignored; then the closest match
 * that the diff shows is chosen. The old side is used if the finding names it, or if the new side does not contain the
 * quote.
 */
export const placeByQuote = (place: Place, quoting: Quoting): QuotedPlace => {
  const { quote, texts } = quoting;
  const named = rangesOf(texts[place.side], quote);
  if (named.some((range) => range.startLine <= place.line && range.line >= place.startLine)) {
    return { kind: 'there', place };
  }
  const other = { ...place, side: place.side === 'new' ? 'old' : 'new' } as const;
  const found = choose(place, named, quoting) ?? choose(other, rangesOf(texts[other.side], quote), quoting);
  return found ?? { kind: 'unknown', place };
};

const rangesOf = (text: string | null, quote: string): readonly Range[] => {
  if (text === null) return [];
  const lines = text.split('\n');
  const runs = findQuote(lines, quote);
  return (runs.length > 0 ? runs : findJoinedQuote(lines, quote)).map(toRange);
};

const toRange = ({ first, last }: QuotedRun): Range => ({ startLine: first + 1, line: last + 1 });

/** A wrong line number is usually off by a few lines. */
const NEAR_LINES = 10;

const choose = (place: Place, ranges: readonly Range[], quoting: Quoting): QuotedPlace | null => {
  const { texts, quote, isShown } = quoting;
  const known = place.side === 'new' ? ranges : removedOnly(place, ranges, quoting);
  const near = known.filter((range) => distance(place, range) <= NEAR_LINES);
  const shown = known.filter((range) => isShown({ ...place, ...range }));
  const likely = [near, shown, known].find((each) => each.length > 0) ?? [];
  const [best, second] = likely.toSorted((one, two) => distance(place, one) - distance(place, two));
  return best === undefined ? null : moved({ ...place, ...best }, { texts, quote, isOnly: second === undefined });
};

/** Unchanged lines are on the new side, too, so a match among them is chosen only if nothing was removed. */
const removedOnly = (place: Place, ranges: readonly Range[], { isRemoved }: Quoting): readonly Range[] => {
  const removed = ranges.filter((range) => isRemoved({ ...place, ...range }));
  return removed.length > 0 ? removed : ranges;
};

const distance = ({ startLine, line }: Range, other: Range): number =>
  Math.max(0, other.startLine - line, startLine - other.line);

type Moving = Pick<Quoting, 'texts' | 'quote'> & { readonly isOnly: boolean };

const moved = (place: Place, { texts, quote, isOnly }: Moving): QuotedPlace => {
  const own = linesOf(texts[place.side] ?? '', place).join('\n');
  return { kind: 'moved', place, whole: isOnly && collapseBlanks(own) === collapseBlanks(quote) };
};

export const linesOf = (text: string, { startLine, line }: Range): readonly string[] =>
  text.split('\n').slice(startLine - 1, line);
