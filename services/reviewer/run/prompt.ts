import type { Protect } from '../../../shared/agent/present-result.ts';
import { protectTexts } from '../../../shared/agent/prompt/protect-texts.ts';
import type { Guideline, PromptDelta, ReviewPrompt } from '../../../shared/agent/prompt/review-opening.ts';
import type { PromptPart } from '../../../shared/agent/prompt/part-section.ts';
import { NOTHING_AROUND, type AroundChange } from '../../../shared/agent/prompt/surroundings.ts';
import type { PromptComment, PromptReply } from '../../../shared/agent/prompt/threads.ts';
import type { Brief, BriefThread } from '../../../shared/rounds/model/brief.ts';
import type { Stage } from '../../../shared/rounds/model/counts.ts';
import type { FindingId } from '../../../shared/vocabulary/ids.ts';
import { affectedPlaces } from '../packet/affected.ts';
import type { Packet } from '../packet/packet.ts';
import { hasHappened } from '../packet/thread-touch.ts';
import { codeAround } from '../check/refutation.ts';
import type { ShownDiff } from '../packet/show-diff.ts';

export type ReviewTask = {
  readonly title: string;
  readonly description: string;
  readonly author: string;
  readonly targetBranch: string;
  /** The source branch; absent if the prompt does not need its name. */
  readonly branch?: string;
  readonly review: number;
  readonly stage: Stage;
  /** True if only the open threads need an answer. If absent, false. */
  readonly talk?: boolean;
  readonly closedThreads: readonly BriefThread[];
  readonly comments: readonly PromptComment[];
  /** Replies in the open threads, oldest first. */
  readonly replies: ReadonlyMap<FindingId, readonly PromptReply[]>;
  /** The hand-off, for an external reviewer; absent or null if no person has been called so far. */
  readonly handoff?: Brief['handoff'];
  /** Issues that the change closes. Absent or empty if none is known. */
  readonly issues?: Brief['issues'];
  /** CI jobs of the head that have failed. Absent or empty if none is known. */
  readonly failedChecks?: readonly string[];
  readonly instructions: string | null;
  readonly earlierNotes: string | null;
  /** Guidelines of the operator's sources. Absent or empty if there are none. */
  readonly operatorGuidelines?: readonly Guideline[];
};

export type PromptSources = {
  readonly packet: Packet;
  readonly task: ReviewTask;
  readonly guidelines: readonly Guideline[];
  readonly shown: ShownDiff;
  /** See `removedBy`. Absent or empty if nothing is known. */
  readonly removed?: readonly string[];
  /** See `findSurroundings` and `commitMessages`. Absent if nothing is known. */
  readonly around?: AroundChange;
  /** Number of files outside the diff that use the changed code. Absent if that is not known. */
  readonly usedIn?: number;
  readonly protect: Protect;
  readonly part?: PromptPart | undefined;
};

const deltaOf = ({ delta, reviewable }: Packet): PromptDelta | null => {
  if (delta === null) return null;
  const known = new Set(reviewable);
  const unchanged = delta.files.filter(({ file, unchanged: same }) => same && known.has(file));
  return { unchangedPaths: unchanged.map(({ file }) => file.newPath) };
};

/** Uses in hunks that were reviewed before come first: a push may have broken them. */
const aroundOf = ({ delta }: Packet, around: AroundChange): AroundChange => {
  const affected = delta === null ? [] : affectedPlaces(delta);
  return { ...around, uses: [...new Set([...affected, ...around.uses])] };
};

const threadsOf = ({ openThreads }: Packet, { replies }: ReviewTask): ReviewPrompt['openThreads'] =>
  openThreads.map((thread) => {
    const { id, severity, title, now, citedText, body, count, stance, legalActions, handling } = thread;
    const said = { ...(body === undefined ? {} : { body }), ...suggested(thread.suggestion) };
    return {
      id,
      severity,
      title,
      now,
      citedText,
      ...said,
      count,
      stance,
      legalActions,
      handling: handling ?? 'must',
      idle: !hasHappened(thread),
      replies: replies.get(id) ?? [],
    };
  });

const suggested = (suggestion: string | undefined): { readonly suggestion?: string } =>
  suggestion === undefined ? {} : { suggestion };

const claimsOf = async ({
  unverified,
  headText,
  baseText,
}: Packet): Promise<NonNullable<ReviewPrompt['unverified']>> => {
  const claims = [];
  for (const { id, severity, title, now } of unverified)
    claims.push({ id, severity, title, now, code: await codeAround({ now }, { headText, baseText }) });
  return claims;
};

const settledText = ({ closedThreads }: Packet, id: string): { readonly settledText?: string } => {
  const thread = closedThreads.find((each) => each.id === id && each.settled !== undefined);
  return thread === undefined ? {} : { settledText: thread.citedText };
};

/** @throws what `protect` throws: text that could not be searched must not be shown. */
export const buildReviewPrompt = async (
  { packet, task, guidelines, shown, removed = [], around = NOTHING_AROUND, usedIn = 0, protect, part }: PromptSources,
  signal: AbortSignal,
): Promise<ReviewPrompt> => {
  const { title, description, author, targetBranch, closedThreads, comments, review, stage } = task;
  const texts = {
    header: { mode: 'change' as const, title, description, author, targetBranch, head: '' },
    guidelines,
    omitted: [...packet.omitted, ...packet.excluded, ...shown.left],
    delta: deltaOf(packet),
    removed,
    ...(part === undefined ? {} : { part }),
    around: aroundOf(packet, around),
    ...(task.talk === true ? {} : { issues: task.issues ?? [], failedChecks: task.failedChecks ?? [] }),
    openThreads: threadsOf(packet, task),
    unverified: await claimsOf(packet),
    closedThreads: closedThreads.map(({ id, severity, title: claim, place, suggestion }) => ({
      id,
      severity,
      title: claim,
      place,
      ...suggested(suggestion),
      ...settledText(packet, id),
    })),
    comments,
    earlierNotes: task.earlierNotes,
    instructions: task.instructions,
    review,
    stage,
    talk: task.talk ?? false,
  };
  const safe = await protectTexts(texts, protect, signal);
  return { ...safe, header: { ...safe.header, head: packet.head }, diff: shown.text, size: { ...shown.size, usedIn } };
};
