/** Shows the diff to a model: with code around it, redacted and cut to size. Depends only on the packet, so every execution shows the same text. */
import type { Protect } from '../../../shared/agent/present-result.ts';
import { protectDiff } from '../../../shared/agent/prompt/protect-diff.ts';
import type { ReviewPrompt } from '../../../shared/agent/prompt/review-opening.ts';
import { annotate } from '../../../shared/diff/annotate/annotate.ts';
import { withHunks } from '../../../shared/diff/annotate/with-hunks.ts';
import type { DiffFile } from '../../../shared/diff/model.ts';
import type { OmittedFile } from '../../../shared/vocabulary/coverage.ts';
import { cutToTouched } from './cut-to-touched.ts';
import { growDiff, type ShownFile } from './grow-diff.ts';
import type { Packet } from './packet.ts';

export type DiffSources = {
  readonly packet: Packet;
  /** Size limit of the annotated diff. Files beyond the limit are listed and count as not reviewed. */
  readonly maxDiffBytes: number;
  readonly protect: Protect;
  /** The files to show, for one part of a large change. Absent: `filesToShow` of the packet. */
  readonly files?: readonly DiffFile[] | undefined;
};

export type ShownDiff = {
  readonly text: string;
  readonly size: ReviewPrompt['size'];
  /** Files that are not shown. The names of files that did not fit are redacted. */
  readonly left: readonly OmittedFile[];
  readonly notShown: readonly OmittedFile[];
};

/** The files of this review, each with the hunks to review. */
export const filesToShow = (packet: Packet): readonly DiffFile[] => {
  const { withheld } = packet;
  return changedFiles(packet).filter(({ newPath }) => !withheld.has(newPath));
};

const changedFiles = ({ reviewable, delta, touchedSince }: Packet): readonly DiffFile[] => {
  if (delta === null) return reviewable;
  const touched = ({ newPath }: DiffFile): ReadonlySet<number> | null => touchedSince?.get(newPath) ?? null;
  const changed = new Map(
    delta.files
      .filter(({ unchanged }) => !unchanged)
      .map((each) => {
        const { file, metadataChanged } = each;
        const kept = cutToTouched(each, touched(file));
        return [file, metadataChanged && kept.length === 0 ? file : withHunks(file, kept)] as const;
      }),
  );
  return reviewable.flatMap((file) => changed.get(file) ?? []);
};

/** The file of the change, of which `file` may show only a part. */
const withWhole = (files: readonly DiffFile[], { reviewable }: Packet): readonly ShownFile[] => {
  const known = new Map(reviewable.map((whole) => [whole.newPath, whole]));
  return files.map((file) => ({ file, whole: known.get(file.newPath) ?? file }));
};

/** Why a file is not shown: an earlier review left it out, and this review was not asked to cover it. */
const NOT_ASKED = 'an earlier review left this file out, and this review was asked for another path';

export const withheldFiles = ({ reviewable, withheld }: Packet): readonly OmittedFile[] =>
  reviewable.flatMap(({ newPath: path }) => (withheld.has(path) ? [{ path, reason: NOT_ASKED }] : []));

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
  const withheld = withheldFiles(packet);
  const names = new Map(safe.map(({ newPath }, index) => [newPath, files[index]?.newPath ?? newPath]));
  return {
    text: annotated.text,
    left: [...annotated.omitted, ...withheld],
    notShown: [
      ...annotated.omitted.map(({ path, reason }) => ({ path: names.get(path) ?? path, reason })),
      ...withheld,
    ],
  };
};

/**
 * If not everything fits, the code around the change is left out first.
 *
 * @throws what `protect` and the packet's readers throw: text that could not be searched must not be shown.
 */
export const showDiff = async (sources: DiffSources, signal: AbortSignal): Promise<ShownDiff> => {
  const { packet, maxDiffBytes } = sources;
  const files = sources.files ?? filesToShow(packet);
  const grown = await growDiff(withWhole(files, packet), { packet, room: maxDiffBytes }, signal);
  const size = sizeOf(files);
  const isGrown = grown.some((file, index) => file !== files[index]);
  const first = await showFiles(grown, sources, signal);
  return {
    size,
    ...(isGrown && first.left.length > withheldFiles(packet).length ? await showFiles(files, sources, signal) : first),
  };
};
