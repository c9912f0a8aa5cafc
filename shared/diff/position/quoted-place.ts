/** Locates a finding by its quote. The finding's line numbers only choose between several matches. */
import type { Place } from '../../vocabulary/finding.ts';
import { findQuote } from './find-quote.ts';
import { collapseBlanks } from '../../text/collapse-blanks.ts';

/** The text of the file on both sides; null if the file does not exist on that side or is not text. */
export type SideTexts = { readonly new: string | null; readonly old: string | null };

export type QuotedPlace =
  /** The quote is on the lines that the finding names. */
  | { readonly kind: 'there'; readonly place: Place }
  /** The quote is elsewhere. `whole`: its lines contain nothing but the quote. */
  | { readonly kind: 'moved'; readonly place: Place; readonly whole: boolean }
  /** The quote was not found, or it is at several places but not at the place that the finding names. */
  | { readonly kind: 'unknown'; readonly place: Place };

type Range = { readonly startLine: number; readonly line: number };

/**
 * `isShown` says whether the diff shows these lines. If several places match, the only shown one is chosen. The other side
 * is searched only if the named side does not contain the quote at all.
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
