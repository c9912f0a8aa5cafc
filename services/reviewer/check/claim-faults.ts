import type { Diff } from '../../../shared/diff/model.ts';
import type { SideTexts } from '../../../shared/diff/position/quoted-place.ts';
import type { DraftFinding } from '../../../shared/vocabulary/finding.ts';

export type FaultyClaim = {
  readonly claim: DraftFinding;
  readonly evidenced: boolean;
  readonly said: DraftFinding['relation'];
};

const nameOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

export const noSuchFile = ({ path }: DraftFinding, { files }: Diff): string => {
  const paths = files.map(({ newPath }) => newPath);
  const meant = paths.find((each) => nameOf(each) === nameOf(path)) ?? nearest(path, paths)?.text;
  const hint = meant === undefined ? '' : `; did you mean ${meant}?`;
  return `there is no file ${path} at the head or the base${hint}`;
};

const MAX_SHOWN = 80;

const shown = (text: string): string => JSON.stringify(text.trim().slice(0, MAX_SHOWN));

export const notQuoted = ({ path, evidence }: DraftFinding, texts: SideTexts): string => {
  const ways = 'quote the code verbatim, lower the severity, or leave the finding out';
  if (evidence.trim() === '') return `evidence is missing: ${ways}`;
  const lines = (texts.new ?? texts.old ?? '').split('\n');
  const near = nearest(evidence.trim().split('\n')[0] ?? '', lines);
  const hint = near === null ? '' : `; the nearest is line ${near.index + 1}: ${shown(near.text)}`;
  return `evidence: this text is not in ${path} at the head or the base: ${shown(evidence)}${hint}; ${ways}`;
};

export const untouched = ({ path, line }: DraftFinding): string =>
  `the change does not touch ${path}:${line}: quote in evidence the changed line that makes it wrong (at least 8 ` +
  'characters), or set relation to outside_diff; otherwise it does not block';

const wordsOf = (text: string): ReadonlySet<string> => new Set(text.match(/\w+/g) ?? []);

const MIN_LIKENESS = 0.4;

const nearest = (text: string, lines: readonly string[]): { readonly index: number; readonly text: string } | null => {
  const words = wordsOf(text);
  let best: { readonly index: number; readonly text: string } | null = null;
  let most = MIN_LIKENESS;
  for (const [index, line] of lines.entries()) {
    const other = wordsOf(line);
    const shared = [...words].filter((word) => other.has(word)).length;
    const likeness = shared === 0 ? 0 : shared / (words.size + other.size - shared);
    if (likeness <= most) continue;
    most = likeness;
    best = { index, text: line };
  }
  return best;
};
