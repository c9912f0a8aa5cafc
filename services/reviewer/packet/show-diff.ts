/** Shows the diff to a model: with code around it, redacted and cut to size. Depends only on the packet, so every execution shows the same text. */
import type { Protect } from '../../../shared/agent/present-result.ts';
import { protectDiff } from '../../../shared/agent/prompt/protect-diff.ts';
import type { ReviewPrompt } from '../../../shared/agent/prompt/review-opening.ts';
import { annotate } from '../../../shared/diff/annotate/annotate.ts';
import { cutHunk } from '../../../shared/diff/annotate/cut-hunk.ts';
import type { HunkDelta } from '../../../shared/diff/delta.ts';
import { hunkLines } from '../../../shared/diff/hunk-lines.ts';
import type { DiffFile, Hunk } from '../../../shared/diff/model.ts';
import type { OmittedFile } from '../../../shared/vocabulary/coverage.ts';
import { growDiff, type ShownFile } from './grow-diff.ts';
import type { Packet } from './packet.ts';

export type DiffSources = {
  readonly packet: Packet;
  /** Size limit of the annotated diff. Files beyond the limit are listed and count as not reviewed. */
  readonly maxDiffBytes: number;
  readonly protect: Protect;
};

export type ShownDiff = {
  readonly text: string;
  readonly size: ReviewPrompt['size'];
  /** Files that did not fit, under their redacted names. */
  readonly left: readonly OmittedFile[];
  readonly notShown: readonly OmittedFile[];
};

const withHunks = (file: DiffFile, hunks: readonly Hunk[]): DiffFile => {
  const kinds = hunks.flatMap((hunk) => hunkLines(hunk).map(({ kind }) => kind));
  const count = (wanted: 'added' | 'removed'): number => kinds.filter((kind) => kind === wanted).length;
  return { ...file, hunks, added: count('added'), removed: count('removed') };
};

/** Number of context rows around a change; the model can read the rest of the file. */
const CONTEXT_ROWS = 8;

/** Cuts a changed hunk to the touched lines: the hunk may be a whole new file in which the last push changed one line. */
const partsToShow = ({ hunk, state }: HunkDelta, touched: ReadonlySet<number> | null): readonly Hunk[] => {
  if (state !== 'changed' || touched === null) return [hunk];
  const parts = cutHunk(hunk, touched, CONTEXT_ROWS);
  return parts.length === 0 ? [hunk] : parts;
};

const filesToShow = ({ reviewable, delta, touchedSince }: Packet): readonly ShownFile[] => {
  if (delta === null) return reviewable.map((file) => ({ file, whole: file }));
  const touched = ({ newPath }: DiffFile): ReadonlySet<number> | null => touchedSince?.get(newPath) ?? null;
  const changed = new Map(
    delta.files
      .filter(({ unchanged }) => !unchanged)
      .map(({ file, hunks, metadataChanged }) => {
        const kept = hunks
          .filter(({ state }) => state !== 'unchanged')
          .flatMap((each) => partsToShow(each, touched(file)));
        return [file, metadataChanged && kept.length === 0 ? file : withHunks(file, kept)] as const;
      }),
  );
  return reviewable.flatMap((whole) => {
    const file = changed.get(whole);
    return file === undefined ? [] : [{ file, whole }];
  });
};

const sizeOf = (files: readonly DiffFile[]): ReviewPrompt['size'] => ({
  files: files.length,
  changedLines: files.reduce((sum, { added, removed }) => sum + added + removed, 0),
});

const shownFirst = (
  { openThreads }: Packet,
  files: readonly DiffFile[],
  safe: readonly DiffFile[],
): ReadonlySet<string> => {
  const paths = new Set(openThreads.flatMap(({ now }) => (now === null ? [] : [now.path])));
  return new Set(safe.flatMap(({ newPath }, index) => (paths.has(files[index]?.newPath ?? '') ? [newPath] : [])));
};

const showFiles = async (
  files: readonly DiffFile[],
  { packet, maxDiffBytes, protect }: DiffSources,
  signal: AbortSignal,
): Promise<Pick<ShownDiff, 'text' | 'left' | 'notShown'>> => {
  const safe = await protectDiff(files, { headText: packet.headText, baseText: packet.baseText, protect }, signal);
  const annotated = annotate(safe, { maxBytes: maxDiffBytes, first: shownFirst(packet, files, safe) });
  const names = new Map(safe.map(({ newPath }, index) => [newPath, files[index]?.newPath ?? newPath]));
  return {
    text: annotated.text,
    left: annotated.omitted,
    notShown: annotated.omitted.map(({ path, reason }) => ({ path: names.get(path) ?? path, reason })),
  };
};

/**
 * If anything does not fit, the code around the change is given up first.
 *
 * @throws what `protect` and the packet's readers throw: text that could not be searched must not be shown.
 */
export const showDiff = async (sources: DiffSources, signal: AbortSignal): Promise<ShownDiff> => {
  const { packet, maxDiffBytes } = sources;
  const shown = filesToShow(packet);
  const files = shown.map(({ file }) => file);
  const grown = await growDiff(shown, { packet, room: maxDiffBytes }, signal);
  const size = sizeOf(files);
  const isGrown = grown.some((file, index) => file !== files[index]);
  const first = await showFiles(grown, sources, signal);
  return { size, ...(isGrown && first.left.length > 0 ? await showFiles(files, sources, signal) : first) };
};
