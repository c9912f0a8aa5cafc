/** Where a quotation says that a finding is: lines and side follow from it, and the numbers beside it choose. */
import type { Place } from '../../vocabulary/finding.ts';
import { findQuote } from './find-quote.ts';
import { collapseBlanks } from '../../text/collapse-blanks.ts';

/** The file on both sides; null where it has no text there. */
export type SideTexts = { readonly new: string | null; readonly old: string | null };

export type QuotedPlace =
  /** The quotation is on the lines that were named. */
  | { readonly kind: 'there'; readonly place: Place }
  /** It is elsewhere. `whole`: those lines hold nothing but the quotation. */
  | { readonly kind: 'moved'; readonly place: Place; readonly whole: boolean }
  /** It is nowhere, or at several places that are all elsewhere. */
  | { readonly kind: 'unknown'; readonly place: Place };

type Range = { readonly startLine: number; readonly line: number };

/**
 * `isShown`: whether the change shows lines of that side; of several places the only one that it shows counts. The
 * other side is looked at when the named one does not have the quotation at all.
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
