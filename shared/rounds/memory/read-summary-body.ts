/** Parses a posted summary into the parts that the poster wrote. */
import { FOLD_BEGIN, FOLD_END, type Fold, type SummaryBody } from '../model/posting/post-plan.ts';
import { stripMarkers } from './marker.ts';

const TITLE = /^<summary>([^<>]{1,120})<\/summary>$/;

/** Collapsed sections are between the text and the footer. Inside code, their tags are ordinary text. */
export const readSummaryBody = (body: string): SummaryBody => {
  const lines = withCode(stripMarkers(body.replaceAll('\r\n', '\n')).trim().split('\n'));
  const parts: Parts = { before: [], folds: [], after: [] };
  for (let at = 0; at < lines.length; ) at = readPart(lines, at, parts);
  const foot = parts.after.join('\n').trim();
  return {
    text: parts.before.join('\n').trim(),
    ...(parts.folds.length === 0 ? {} : { folds: parts.folds }),
    ...(foot === '' ? {} : { foot }),
  };
};

/** `nextEnd`: the first later line that closes a collapsed section; null if there is none. */
type Line = { readonly text: string; readonly isCode: boolean; readonly nextEnd: number | null };
type Parts = { readonly before: string[]; readonly folds: Fold[]; readonly after: string[] };

/** Reads a whole collapsed section, or one line; returns where the next part begins. A section that is not closed is text. */
const readPart = (lines: readonly Line[], at: number, { before, folds, after }: Parts): number => {
  const title = titleAt(lines, at);
  const end =
    title === null ? -1 : lines.findIndex((line, index) => index > at && !line.isCode && line.text === FOLD_END);
  if (title !== null && end !== -1) {
    const text = lines.slice(at + 2, end).map((line) => line.text);
    folds.push({ title, text: text.join('\n').trim() });
    return end + 1;
  }
  (folds.length === 0 ? before : after).push(lines[at]?.text ?? '');
  return at + 1;
};

const titleAt = (lines: readonly Line[], at: number): string | null => {
  const line = lines[at];
  if (line === undefined || line.isCode || line.text !== FOLD_BEGIN) return null;
  return TITLE.exec(lines[at + 1]?.text ?? '')?.[1] ?? null;
};

const withCode = (texts: readonly string[]): readonly Line[] => {
  let fence: string | null = null;
  const lines = texts.map((text) => {
    const isCode = fence !== null;
    fence = fenceAfter(text, fence);
    return { text, isCode };
  });
  let nextEnd: number | null = null;
  return lines
    .map((line, index) => ({ ...line, index }))
    .toReversed()
    .map(({ index, ...line }) => {
      const known = { ...line, nextEnd };
      if (!line.isCode && line.text === FOLD_END) nextEnd = index;
      return known;
    })
    .toReversed();
};

/** Returns the fence that is open after a line. The poster writes every fence at column 0 and closes it. */
const fenceAfter = (line: string, fence: string | null): string | null => {
  if (fence === null) return /^`{3,}(?=[^`]*$)/.exec(line)?.[0] ?? null;
  return line === fence ? null : fence;
};
