/** Decides whether a push touched the code of a thread. A comment that silences a check does not count. */
import type { Place } from '../../vocabulary/finding.ts';
import { enclosingBlock } from './enclosing-block.ts';
import type { LineSpan } from './indentation.ts';
import { hunkLines } from '../hunk-lines.ts';
import type { Diff, DiffFile, HunkLine } from '../model.ts';
import { isSuppression, withoutSuppression } from './suppressions.ts';

/** `touched`: the lines changed or were removed. `near`: the lines around them changed, or the file was renamed. */
export type Touch = 'touched' | 'near' | 'untouched';

export type TouchInput = {
  /** A place on the new side of the earlier state. */
  readonly place: Place;
  /** The diff from the earlier state to the later one. */
  readonly between: Diff;
  /** The text of the file in the earlier state; null if it is not available. */
  readonly text: string | null;
};

const NEAR_LINES = 3;

export const touchOf = ({ place, between, text }: TouchInput): Touch => {
  const file = fileOf(between, place.path);
  if (file === undefined) return 'untouched';
  if (file.status === 'deleted' || !canRead(file)) return 'touched';
  const blocks = file.hunks.flatMap((hunk) => blocksOf(hunkLines(hunk))).filter((block) => !block.onlySilences);
  if (blocks.some((block) => isInside(block, place))) return 'touched';
  const around = text === null ? null : enclosingBlock(text.split('\n'), place.line);
  const isNear = blocks.some((block) => isWithin(block, place) || (around !== null && isInside(block, around)));
  return isNear || file.newPath !== place.path ? 'near' : 'untouched';
};

/** True if the push adds a comment that silences a check on the lines, near them, or for the whole file. */
export const isSilenced = ({ place, between }: Pick<TouchInput, 'place' | 'between'>): boolean => {
  const file = fileOf(between, place.path);
  if (file === undefined || !canRead(file)) return false;
  return file.hunks.some((hunk) =>
    blocksOf(hunkLines(hunk)).some(
      (block) => block.silences && (isWithin(block, place) || block.silencesFile || block.onlySilences),
    ),
  );
};

const fileOf = ({ files }: Diff, path: string): DiffFile | undefined =>
  files.find(({ oldPath, status }) => oldPath === path && status !== 'copied' && status !== 'added');

const canRead = (file: DiffFile): boolean =>
  file.complete && !file.binary && file.parents === 1 && file.status !== 'type_changed';

/** A run of removed and added lines. If `first > last`, lines were only added, after the line `last`. */
type Block = {
  readonly first: number;
  readonly last: number;
  readonly silences: boolean;
  readonly silencesFile: boolean;
  /** True if the only changes are comments that silence a check. */
  readonly onlySilences: boolean;
};

const blocksOf = (lines: readonly HunkLine[]): readonly Block[] => {
  const blocks: Block[] = [];
  let open: HunkLine[] = [];
  let before = 0;
  const close = (): void => {
    if (open.length > 0) blocks.push(blockOf(open, before));
    open = [];
  };
  for (const line of lines) {
    if (line.kind === 'context') {
      close();
      before = line.oldLine ?? before;
    } else {
      if (open.length === 0 && line.kind === 'removed') before = (line.oldLine ?? 1) - 1;
      open.push(line);
    }
  }
  close();
  return blocks;
};

const blockOf = (lines: readonly HunkLine[], before: number): Block => {
  const removed = lines.filter(({ kind }) => kind === 'removed');
  const added = lines.filter(({ kind }) => kind === 'added').map(({ text }) => text);
  const [first, last] = [removed[0]?.oldLine ?? before + 1, removed.at(-1)?.oldLine ?? before];
  const silencing = added.filter(isSuppression);
  const plain = (texts: readonly string[]): string =>
    texts
      .map((text) => withoutSuppression(text).replaceAll(/\s+/g, ' ').trim())
      .filter((text) => text !== '')
      .join('\n');
  return {
    first,
    last,
    silences: silencing.length > 0,
    silencesFile: silencing.some((text) =>
      /^\s*\/\*\s*(?:eslint|tslint)-disable(?!-)|nocheck|file-ignores?/i.test(text),
    ),
    onlySilences: silencing.length > 0 && plain(removed.map(({ text }) => text)) === plain(added),
  };
};

/** Added lines are inside the span only if they are between two of its lines. */
const isInside = ({ first, last }: Block, { startLine, line }: LineSpan): boolean =>
  first > last ? last >= startLine && last < line : first <= line && last >= startLine;

const isWithin = ({ first, last }: Block, { startLine, line }: LineSpan): boolean =>
  Math.min(first, last) <= line + NEAR_LINES && Math.max(first, last) >= startLine - NEAR_LINES;
