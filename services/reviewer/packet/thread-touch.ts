import { findFile } from '../../../shared/diff/position/find-file.ts';
import { hunksTouching } from '../../../shared/diff/position/position-lines.ts';
import type { Diff } from '../../../shared/diff/model.ts';
import { isSilenced, type Touch, touchOf } from '../../../shared/diff/position/touched.ts';
import type { Place } from '../../../shared/vocabulary/finding.ts';
import type { Handling, PacketThread, ThreadTouch } from './packet.ts';

const UNTOUCHED: ThreadTouch = { kind: 'untouched', silenced: false };

export type Since = {
  /** The diff from the thread's last cycle to this head; null if it cannot be computed. */
  readonly since: Diff | null;
  /** The thread's place at its last cycle; null if its lines were already gone. */
  readonly placed: Place | null;
  /** Returns the text of a file at the thread's last cycle; null if there was none. */
  readonly textAt: (path: string) => Promise<string | null>;
  readonly diff: Diff;
};

type Followed = Pick<PacketThread, 'place' | 'now' | 'citedText'>;

export const touchOfThread = async (thread: Followed, { since, placed, textAt, diff }: Since): Promise<ThreadTouch> => {
  const { place } = thread;
  if (since === null) return withoutComparison(thread);
  if (place.side === 'old') return { kind: touchOfOldSide(place, { since, diff }), silenced: false };
  if (placed === null) return { kind: changesFile(since, place.path) ? 'near' : 'untouched', silenced: false };
  const touched = { place: placed, between: since };
  return { kind: touchOf({ ...touched, text: await textAt(placed.path) }), silenced: isSilenced(touched) };
};

/** If the earlier commit is gone, a thread counts as touched only if its cited lines are known and no longer exist. */
const withoutComparison = ({ now, citedText }: Followed): ThreadTouch =>
  now === null && citedText.trim() !== '' ? { kind: 'touched', silenced: false } : UNTOUCHED;

/** Lines of the old side are touched if the change no longer removes them or if their hunk changed. */
const touchOfOldSide = (place: Place, { since, diff }: { readonly since: Diff; readonly diff: Diff }): Touch => {
  const file = findFile(diff, place.path, 'old');
  const hunks = file === null ? [] : hunksTouching(file, 'old', place.startLine, place.line);
  if (file === null || hunks.length === 0) return 'touched';
  const pushed = since.files.find(({ newPath }) => newPath === file.newPath);
  if (pushed === undefined) return 'untouched';
  const isTouched = hunks.some(({ newStart, newLines }) =>
    pushed.hunks.some((hunk) => hunk.newStart <= newStart + newLines && hunk.newStart + hunk.newLines >= newStart),
  );
  return isTouched ? 'touched' : 'untouched';
};

const changesFile = ({ files }: Diff, path: string): boolean =>
  files.some(({ oldPath, newPath }) => oldPath === path || newPath === path);

export const hasHappened = ({ touch, answered }: Pick<PacketThread, 'touch' | 'answered'>): boolean =>
  answered === true || (touch ?? UNTOUCHED).kind !== 'untouched';

export const handlingOf = ({ touch, answered }: Pick<PacketThread, 'touch' | 'answered'>): Handling => {
  const { kind } = touch ?? UNTOUCHED;
  if (answered === true || kind === 'touched') return 'must';
  return kind === 'near' ? 'may' : 'waits';
};
