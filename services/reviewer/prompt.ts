/** From the packet and what the forge says to the prompt of a model. Nothing leaves here with a secret in it. */
import type { Protect } from '../../shared/agent/present-result.ts';
import { protectDiff } from '../../shared/agent/prompt/protect-diff.ts';
import { protectTexts } from '../../shared/agent/prompt/protect-texts.ts';
import type { Guideline, PromptDelta, ReviewPrompt } from '../../shared/agent/prompt/review-opening.ts';
import { selectGuidelines } from '../../shared/agent/prompt/select-guidelines.ts';
import type { PromptComment, PromptReply } from '../../shared/agent/prompt/threads.ts';
import { annotate } from '../../shared/diff/annotate.ts';
import { cutHunk } from '../../shared/diff/cut-hunk.ts';
import type { HunkDelta } from '../../shared/diff/delta.ts';
import { hunkLines } from '../../shared/diff/hunk-lines.ts';
import type { DiffFile, Hunk } from '../../shared/diff/model.ts';
import type { BriefThread } from '../../shared/rounds/brief.ts';
import type { FindingId } from '../../shared/rounds/vocabulary.ts';
import { affectedPlaces } from './affected.ts';
import type { Packet } from './packet.ts';

/** What a review is about, beside the code. */
export type Task = {
  readonly title: string;
  readonly description: string;
  readonly author: string;
  readonly targetBranch: string;
  readonly round: number;
  readonly finalRound: boolean;
  /** Only the open threads are to be answered. Absent: no. */
  readonly talk?: boolean;
  readonly closedThreads: readonly BriefThread[];
  readonly comments: readonly PromptComment[];
  /** Answers in the open threads, oldest first. */
  readonly replies: ReadonlyMap<FindingId, readonly PromptReply[]>;
  readonly instructions: string | null;
  readonly earlierNotes: string | null;
};

export type PromptSources = {
  readonly packet: Packet;
  readonly task: Task;
  readonly guidelines: readonly Guideline[];
  /** Of the annotated diff; files beyond it are named and count as not reviewed. */
  readonly maxDiffBytes: number;
  readonly protect: Protect;
};

export type BuiltPrompt = {
  readonly prompt: ReviewPrompt;
  /** Files of the change that did not fit. */
  readonly notShown: ReviewPrompt['omitted'];
};

/** The file with some of its hunks, and the sizes that go with them. */
const withHunks = (file: DiffFile, hunks: readonly Hunk[]): DiffFile => {
  const kinds = hunks.flatMap((hunk) => hunkLines(hunk).map(({ kind }) => kind));
  const count = (wanted: 'added' | 'removed'): number => kinds.filter((kind) => kind === wanted).length;
  return { ...file, hunks, added: count('added'), removed: count('removed') };
};

/** Rows around what changed: enough to judge it by, and the rest can be read. */
const CONTEXT_ROWS = 8;

/** A hunk can be a whole new file, of which the last push changed one line. */
const partsToShow = ({ hunk, state }: HunkDelta, touched: ReadonlySet<number> | null): readonly Hunk[] => {
  if (state !== 'changed' || touched === null) return [hunk];
  const parts = cutHunk(hunk, touched, CONTEXT_ROWS);
  return parts.length === 0 ? [hunk] : parts;
};

/** In a later round only what changed since the last complete one. */
const filesToShow = ({ reviewable, delta, touchedSince }: Packet): readonly DiffFile[] => {
  if (delta === null) return reviewable;
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
  return reviewable.flatMap((file) => changed.get(file) ?? []);
};

const deltaOf = ({ delta, reviewable }: Packet): PromptDelta | null => {
  if (delta === null) return null;
  const known = new Set(reviewable);
  const unchanged = delta.files.filter(({ file, unchanged: same }) => same && known.has(file));
  return { unchangedPaths: unchanged.map(({ file }) => file.newPath), affected: affectedPlaces(delta) };
};

const sizeOf = (files: readonly DiffFile[]): ReviewPrompt['size'] => ({
  files: files.length,
  changedLines: files.reduce((sum, { added, removed }) => sum + added + removed, 0),
});

const threadsOf = ({ openThreads }: Packet, { replies }: Task): ReviewPrompt['openThreads'] =>
  openThreads.map(({ id, severity, title, now, citedText, count, stance, legalActions }) => {
    return { id, severity, title, now, citedText, count, stance, legalActions, replies: replies.get(id) ?? [] };
  });

/** Files with open threads, under the names by which they are shown. */
const shownFirst = (
  { openThreads }: Packet,
  files: readonly DiffFile[],
  safe: readonly DiffFile[],
): ReadonlySet<string> => {
  const paths = new Set(openThreads.flatMap(({ now }) => (now === null ? [] : [now.path])));
  return new Set(safe.flatMap(({ newPath }, index) => (paths.has(files[index]?.newPath ?? '') ? [newPath] : [])));
};

/** @throws what `protect` and the readers of the packet throw: what could not be looked at must not be shown. */
export const buildReviewPrompt = async (sources: PromptSources, signal: AbortSignal): Promise<BuiltPrompt> => {
  const { packet, task, protect, maxDiffBytes } = sources;
  const files = filesToShow(packet);
  const safe = await protectDiff(files, { headText: packet.headText, baseText: packet.baseText, protect }, signal);
  const annotated = annotate(safe, { maxBytes: maxDiffBytes, first: shownFirst(packet, files, safe) });
  const names = new Map(safe.map(({ newPath }, index) => [newPath, files[index]?.newPath ?? newPath]));
  const { title, description, author, targetBranch, closedThreads, comments, round, finalRound } = task;
  const texts = {
    header: { mode: 'change' as const, title, description, author, targetBranch, head: '' },
    guidelines: selectGuidelines(
      sources.guidelines,
      packet.reviewable.map(({ newPath }) => newPath),
    ),
    omitted: [...packet.omitted, ...packet.excluded, ...annotated.omitted],
    delta: deltaOf(packet),
    openThreads: threadsOf(packet, task),
    closedThreads: closedThreads.map(({ id, severity, title: claim, place }) => ({
      id,
      severity,
      title: claim,
      place,
    })),
    comments,
    earlierNotes: task.earlierNotes,
    instructions: task.instructions,
    round,
    finalRound,
    talk: task.talk ?? false,
  };
  const prompt = await protectTexts(texts, protect, signal);
  return {
    prompt: {
      ...prompt,
      header: { ...prompt.header, head: packet.head },
      diff: annotated.text,
      size: sizeOf(files),
    },
    notShown: annotated.omitted.map(({ path, reason }) => ({ path: names.get(path) ?? path, reason })),
  };
};
