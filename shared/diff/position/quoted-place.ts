/** Locates a finding by its quote. The line numbers that it names only choose between several matches. */
import type { Place } from '../../vocabulary/finding.ts';
import { findQuote } from './find-quote.ts';
import { collapseBlanks } from '../../text/collapse-blanks.ts';

/** The text of the file on both sides; null where the file does not exist or is not text. */
export type SideTexts = { readonly new: string | null; readonly old: string | null };

export type QuotedPlace =
  /** The quote is on the named lines. */
  | { readonly kind: 'there'; readonly place: Place }
  /** The quote is elsewhere. `whole`: those lines contain nothing but the quote. */
  | { readonly kind: 'moved'; readonly place: Place; readonly whole: boolean }
  /** The quote is not found, or is at several places but not at the named one. */
  | { readonly kind: 'unknown'; readonly place: Place };

type Range = { readonly startLine: number; readonly line: number };

/**
 * `isShown` tells whether the diff shows these lines. If several places match, the single shown one is chosen. The other
 * side is searched only when the named side does not contain the quote at all.
 */
export const placeByQuote = (
  place: Place,
  {
    quote,
    texts,
    isShown,
  }: { readonly quote: string; readonly texts: SideTexts; readonly isShown: (at: Place) => boolean },
): QuotedPlace => {
  const ranges = rangesOf(texts[place.side], quote);
  if (ranges.some((range) => range.startLine <= place.line && range.line >= place.startLine)) {
    return { kind: 'there', place };
  }
  const onSide = only(ranges, (range) => isShown({ ...place, ...range }));
  if (onSide !== null) return moved({ ...place, ...onSide }, texts, quote);
  if (ranges.length > 0) return { kind: 'unknown', place };
  const side = place.side === 'new' ? 'old' : 'new';
  const other = only(rangesOf(texts[side], quote), (range) => isShown({ ...place, side, ...range }));
  return other === null ? { kind: 'unknown', place } : moved({ ...place, side, ...other }, texts, quote);
};

const rangesOf = (text: string | null, quote: string): readonly Range[] =>
  text === null
    ? []
    : findQuote(text.split('\n'), quote).map(({ first, last }) => ({ startLine: first + 1, line: last + 1 }));

const only = (ranges: readonly Range[], isShown: (range: Range) => boolean): Range | null => {
  const shown = ranges.filter(isShown);
  const [one, ...others] = ranges.length > 1 ? shown : ranges;
  return one === undefined || others.length > 0 ? null : one;
};

const moved = (place: Place, texts: SideTexts, quote: string): QuotedPlace => {
  const own = linesOf(texts[place.side] ?? '', place).join('\n');
  return { kind: 'moved', place, whole: collapseBlanks(own) === collapseBlanks(quote) };
};

export const linesOf = (text: string, { startLine, line }: Range): readonly string[] =>
  text.split('\n').slice(startLine - 1, line);
