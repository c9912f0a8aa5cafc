/** Decides whether a suggestion may be offered: applying it must have exactly the effect that the finding shows. */
import type { Place } from '../../vocabulary/finding.ts';
import type { QuotedPlace } from './quoted-place.ts';
import { REDACTED } from '../../text/redact.ts';
import { copiesShown } from '../../text/visible.ts';
import { isOnlyBlank } from './suggestion.ts';

export type Suggesting = {
  readonly suggestion: string | null;
  readonly named: Place;
  readonly quoted: QuotedPlace;
  /** The text of the file on the new side; null if the file does not exist there. */
  readonly text: string | null;
};

/** Returns null if the suggestion is unsafe; the finding is then posted without it. */
export const safeSuggestion = ({ suggestion, named, quoted, text }: Suggesting): string | null => {
  const { place } = quoted;
  if (suggestion === null || text === null || place.side === 'old' || quoted.kind === 'unknown') return null;
  const sameCount = place.line - place.startLine === named.line - named.startLine;
  if (quoted.kind === 'moved' && !(quoted.whole && sameCount)) return null;
  const lines = text.split('\n');
  const own = lines.slice(place.startLine - 1, place.line);
  if (own.length !== place.line - place.startLine + 1 || isOnlyBlank(suggestion)) return null;
  if (mixesLineEnds(own, suggestion) || own.join('\n') === suggestion || copiesMarks(own, suggestion)) return null;
  return repeatsNeighbour(suggestion, lines, place) ? null : suggestion;
};

/** A forge keeps only the line end of the last replaced line and ends the other lines with a line feed. */
const mixesLineEnds = (own: readonly string[], suggestion: string): boolean =>
  own.some((line) => line.endsWith('\r')) && suggestion.includes('\n');

/** The reviewer saw marks in place of secrets and hidden characters. Applied, the suggestion would write the marks. */
const copiesMarks = (own: readonly string[], suggestion: string): boolean => {
  const text = own.join('\n');
  return (
    copiesShown(text.replaceAll('\r', ''), suggestion) || (suggestion.includes(REDACTED) && !text.includes(REDACTED))
  );
};

/** Minimum length of a statement; shorter lines, such as brackets, repeat by chance. */
const MIN_STATEMENT = 8;

/** If true, the reviewer meant more lines than it named, and applying the suggestion would duplicate the neighbouring line. */
const repeatsNeighbour = (suggestion: string, lines: readonly string[], { startLine, line }: Place): boolean => {
  const rows = suggestion.split('\n').map((row) => row.trim());
  const isSame = (row: string | undefined, neighbour: string | undefined): boolean =>
    row !== undefined && row.length >= MIN_STATEMENT && row === neighbour?.trim();
  return isSame(rows[0], lines[startLine - 2]) || isSame(rows.at(-1), lines[line]);
};
