/** Carries out the plan of a review in parts: one conversation for each part, merged into one result. */
import type { Outcome } from '../../../shared/agent/outcome.ts';
import type { OmittedFile } from '../../../shared/vocabulary/coverage.ts';
import type { Packet } from '../packet/packet.ts';
import { showDiff, withheldFiles } from '../packet/show-diff.ts';
import { foldersOf } from '../parts/folders-of.ts';
import { packetOfPart, type ReviewPart } from '../parts/review-parts.ts';
import { type MergedParts, mergeParts } from './merge-parts.ts';
import { diffSourcesOf, type ModelReview, type PartOfReview } from './model-review.ts';
import { LANES, type PartsPlan } from './plan-review.ts';
import { transcriptOfPart } from '../../../shared/vocabulary/question.ts';
import type { ConversationResult } from './run-conversation.ts';
import { runParts } from './run-parts.ts';

export type PartTalk = {
  readonly packet: Packet;
  readonly part: PartOfReview;
  /** Id of its transcript. */
  readonly id: string;
  readonly leftMs: number;
  /** The part's share of a total. The shares of all reviewed parts add up to the total. */
  readonly shareOf: (total: number) => number;
};

/** Contract: continues the conversation with this id if it was begun; it waits for verifiers only. */
export type TalkAboutPart = (talk: PartTalk, signal: AbortSignal) => Promise<ConversationResult>;

type InParts = {
  readonly plan: PartsPlan;
  readonly runId: string;
  readonly wallMs: number;
  readonly talkAbout: TalkAboutPart;
};

export const reviewInParts = async (
  review: ModelReview,
  { plan, runId, wallMs, talkAbout }: InParts,
  signal: AbortSignal,
): Promise<(MergedParts & { readonly kind: 'ended' }) | { readonly kind: 'superseded' | 'waits' }> => {
  const { packet } = review;
  const { parts, chosen, begun, left } = plan;
  const result = await runParts(
    {
      parts: chosen,
      begun,
      lanes: Math.max(1, Math.min(LANES, chosen.length)),
      wallMs,
      talk: async (part, leftMs, waiting) => {
        const id = transcriptOfPart(runId, part.number);
        const own = packetOfPart(packet, part, parts);
        const shareOf = (total: number): number => shareAt(chosen.indexOf(part), chosen.length, total);
        return talkAbout({ packet: own, part: asPart(part, parts), id, leftMs, shareOf }, waiting);
      },
    },
    signal,
  );
  if (result.kind !== 'ended') return result;
  const notShown = [...withheldFiles(packet), ...(await overflowOf(review, plan, signal))];
  const merged = mergeParts({ packet, parts, ended: result.parts, left, notShown, wallMs: result.wallMs });
  return { kind: 'ended', ...merged, ...(chosen.length === 0 ? { outcome: nothingFits(plan) } : {}) };
};

/** If the total cannot be divided evenly, each of the first parts gets one unit more. */
const shareAt = (index: number, count: number, total: number): number =>
  Math.floor(total / count) + (index < total % count ? 1 : 0);

/**
 * Files that did not fit into the prompt of their part, because redaction made them longer. Computed again, because
 * another execution may have built the prompt.
 */
const overflowOf = async (
  review: ModelReview,
  { parts, chosen }: PartsPlan,
  signal: AbortSignal,
): Promise<readonly OmittedFile[]> => {
  const left: OmittedFile[] = [];
  for (const part of chosen) {
    const own = { ...review, packet: packetOfPart(review.packet, part, parts), part: asPart(part, parts) };
    left.push(...(await showDiff(diffSourcesOf(own), signal)).notShown);
  }
  return left;
};

/** Not even one part fits, so the run ends as if its first call had been refused. */
const nothingFits = ({ budget, unfit }: PartsPlan): Outcome => ({
  kind: 'budget_exceeded',
  exceeded: { budget: unfit, scope: 'run', limit: Math.max(0, unfit === 'money' ? budget.microUsd : budget.tokens) },
  notes: '',
});

const asPart = (part: ReviewPart, parts: readonly ReviewPart[]): PartOfReview => ({
  files: part.files,
  about: {
    number: part.number,
    of: parts.length,
    others: foldersOf(
      parts.filter((other) => other !== part).flatMap(({ files }) => files.map(({ newPath }) => newPath)),
    ).map(({ folder, files }) => `${folder} ${files}`),
  },
});
