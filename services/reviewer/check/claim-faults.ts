import type { Diff } from '../../../shared/diff/model.ts';
import type { SideTexts } from '../../../shared/diff/position/quoted-place.ts';
import { readQuotation } from '../../../shared/text/printed-quotation.ts';
import type { DraftFinding } from '../../../shared/vocabulary/finding.ts';

export type FaultyClaim = {
  readonly claim: DraftFinding;
  readonly evidenced: boolean;
  readonly said: DraftFinding['relation'];
};

const nameOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

export const noSuchFile = ({ path }: Pick<DraftFinding, 'path'>, { files }: Diff): string => {
  const paths = files.map(({ newPath }) => newPath);
  const meant = paths.find((each) => nameOf(each) === nameOf(path)) ?? nearest(path, paths)?.text;
  const hint = meant === undefined ? '' : `; did you mean ${meant}?`;
  return `there is no file ${path} at the head or the base${hint}`;
};

const MAX_SHOWN = 80;

const shown = (text: string): string => JSON.stringify(text.trim().slice(0, MAX_SHOWN));

type Quoted = Pick<DraftFinding, 'path' | 'line' | 'evidence'>;

export const notQuoted = ({ path, line, evidence }: Quoted, texts: SideTexts): string => {
  const ways = 'quote the code verbatim, lower the severity, or leave the finding out';
  if (evidence.trim() === '') return `evidence is missing: ${ways}`;
  const lines = (texts.new ?? texts.old ?? '').split('\n');
  const near = nearest(firstOf(evidence), lines, line - 1);
  const hint = near === null ? '' : `; the nearest is line ${near.index + 1}: ${shown(near.text)}`;
  return `evidence: this text is not in ${path} at the head or the base: ${shown(evidence)}${hint}; ${ways}`;
};

export const untouched = ({ path, line }: DraftFinding): string =>
  `the change does not touch ${path}:${line}: quote in evidence the changed line that makes it wrong (at least 8 ` +
  'characters), or set relation to outside_diff; otherwise it does not block';

const wordsOf = (text: string): ReadonlySet<string> => new Set(text.match(/\w+/g) ?? []);

const MIN_LIKENESS = 0.4;

/** The first line that contains a word, without line numbers, diff signs and fences. */
const firstOf = (evidence: string): string =>
  (readQuotation(evidence).at(-1) ?? '').split('\n').find((line) => wordsOf(line).size > 0) ?? '';

type Near = { readonly index: number; readonly text: string };

/** The line with the most words in common; if there are several, the one closest to `around`. */
const nearest = (text: string, lines: readonly string[], around = 0): Near | null => {
  const words = wordsOf(text);
  let best: Near | null = null;
  let most = MIN_LIKENESS;
  for (const [index, line] of lines.entries()) {
    const other = wordsOf(line);
    const shared = [...words].filter((word) => other.has(word)).length;
    const likeness = shared === 0 ? 0 : shared / (words.size + other.size - shared);
    const isCloser = best !== null && Math.abs(index - around) < Math.abs(best.index - around);
    if (likeness < most || (likeness === most && !isCloser)) continue;
    most = likeness;
    best = { index, text: line };
  }
  return best;
};
