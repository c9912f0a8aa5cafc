import type { Place } from '../../vocabulary/finding.ts';
import { findFile } from './find-file.ts';
import { createChangedSince } from './changed-since.ts';
import { createLineMap } from './line-map.ts';
import type { Diff, DiffFile } from '../model.ts';
import { findQuotedRanges } from './quoted-places.ts';

export type MoveAnchorInput = {
  readonly place: Place;
  /** The lines of the place when it was set. */
  readonly text: string;
  /**
   * The diff from the state of `place` to the current state: head to head for the new side, merge base to merge base for
   * the old side. Null if the earlier state is not available; then only `text` can find the place.
   */
  readonly between: Diff | null;
  readonly current: Diff;
};

export type MovedAnchor =
  /** All lines still exist. */
  | { readonly kind: 'at'; readonly place: Place; readonly by: 'lines' | 'text' }
  /** Some lines were replaced; `place` contains the remaining lines. */
  | { readonly kind: 'edited'; readonly place: Place }
  | { readonly kind: 'gone' };

/**
 * Finds the current location of an old place. `text` is used only if the lines cannot be followed and the text is unique.
 * Lines that were there before are other lines with the same text, so the text must be new there.
 */
export const moveAnchor = (input: MoveAnchorInput): MovedAnchor => {
  const followed = input.between === null ? null : followLines(input.place, input.between);
  if (followed !== null && followed.kind === 'at') return followed;
  const found = findByText(input, followed?.place.path ?? input.place.path);
  return found ?? followed ?? { kind: 'gone' };
};

type Followed = Exclude<MovedAnchor, { readonly kind: 'gone' }>;

const followLines = (place: Place, between: Diff): Followed | null => {
  const map = createLineMap(between);
  const stayed: number[] = [];
  let path = place.path;
  for (const line of linesToFollow(place)) {
    const now = map(place.path, line);
    if (now.kind === 'gone') continue;
    path = now.path;
    stayed.push(now.line);
  }
  const [startLine, line] = [stayed[0], stayed.at(-1)];
  if (startLine === undefined || line === undefined) return null;
  const moved = { ...place, path, startLine, line };
  const whole = line - startLine === place.line - place.startLine && stayed.length === linesToFollow(place).length;
  return whole ? { kind: 'at', place: moved, by: 'lines' } : { kind: 'edited', place: moved };
};

/** In a longer range, only the two ends are followed. */
const MAX_FOLLOWED = 1000;

const linesToFollow = ({ startLine, line }: Place): readonly number[] =>
  line - startLine >= MAX_FOLLOWED
    ? [startLine, line]
    : Array.from({ length: line - startLine + 1 }, (_, offset) => startLine + offset);

/** Searches the current file that has the path or was renamed from it. */
const findByText = ({ place, text, between, current }: MoveAnchorInput, path: string): Followed | null => {
  const renamed = between?.files.find((file) => file.status === 'renamed' && file.oldPath === path);
  const file = findFile(current, renamed?.newPath ?? path, place.side) ?? findRenamedFrom(current, path);
  if (file === null) return null;
  const now = place.side === 'new' ? file.newPath : file.oldPath;
  const isChanged = between === null ? () => true : createChangedSince(between);
  const ranges = findQuotedRanges(file, place.side, text).filter((range) => isChanged(now, range));
  const [only] = ranges;
  if (only === undefined || ranges.length > 1) return null;
  return { kind: 'at', place: { ...place, path: now, ...only }, by: 'text' };
};

const findRenamedFrom = (current: Diff, path: string): DiffFile | null =>
  current.files.find((file) => file.status === 'renamed' && file.oldPath === path) ?? null;
