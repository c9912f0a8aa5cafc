/** Code that all runners with a model share: the prompt, and the rules for reading a submission. */
import { compactAtTokens } from '../../../shared/agent/model/context-window.ts';
import type { Protect } from '../../../shared/agent/present-result.ts';
import type { PromptPart } from '../../../shared/agent/prompt/part-section.ts';
import { selectGuidelines } from '../../../shared/agent/prompt/select-guidelines.ts';
import type { ReviewPrompt } from '../../../shared/agent/prompt/review-opening.ts';
import type { SubmissionRules } from '../../../shared/agent/submission/read-submission.ts';
import type { SubmitReviewOptions } from '../../../shared/agent/tools/submit-review.ts';
import type { Agent } from '../../../shared/config/agent-settings.ts';
import { isGrave } from '../../../shared/rounds/model/blocking.ts';
import type { DiffFile } from '../../../shared/diff/model.ts';
import { readRepositorySettings } from '../rules/read-repository-settings.ts';
import type { Redactor } from '../../../shared/text/redact.ts';
import { guidelineOf, readGuidelines } from '../rules/guidelines.ts';
import type { Packet } from '../packet/packet.ts';
import { createClaimsOf } from './claims-to-verify.ts';
import { buildReviewPrompt } from './prompt.ts';
import type { RunnerInput } from './runner.ts';
import { type DiffSources, showDiff } from '../packet/show-diff.ts';
import { settleClaim } from '../check/settle-claim.ts';
import { commitMessages } from '../packet/commit-messages.ts';
import { removedBy } from '../packet/removed-by.ts';
import { findSurroundings } from '../packet/surroundings.ts';
import { isRefuted } from '../check/refutation.ts';
import { quotesFix, isShownFixed } from '../check/shown-fixed.ts';
import { hasHappened } from '../packet/thread-touch.ts';

export type ModelReview = Pick<RunnerInput, 'packet' | 'task' | 'revisions'> & {
  readonly agent: Agent;
  readonly duplicateThreshold: number;
  readonly redact: Redactor;
  readonly protect: Protect;
  /**
   * Maximum number of the model's claims that are verified; the others stay unsure. Null if claims are judged by their
   * evidence alone.
   */
  readonly verifyMax: number | null;
  /** Set for the review of one part of a large change; `packet` is then the packet of that part. */
  readonly part?: PartOfReview | undefined;
};

/** The maximum from the settings; `agent.verify_max = 0` verifies no claims. */
export const mostVerified = ({ verifyMax }: Pick<Agent, 'verifyMax'>): ModelReview['verifyMax'] =>
  verifyMax === 0 ? null : verifyMax;

export type PartOfReview = {
  readonly files: readonly DiffFile[];
  readonly about: PromptPart;
};

/** A token is about four bytes, so the diff fills at most half of a conversation before compaction. */
const DIFF_BYTES_PER_TOKEN = 2;
/** Applies to large windows too: models read a longer diff less carefully, and it is paid for in every turn. */
const MAX_DIFF_BYTES = 200_000;

export const changedPathsOf = ({ reviewable }: Packet): readonly string[] => reviewable.map(({ newPath }) => newPath);

/** The bytes of annotated diff that fit into one prompt. */
export const maxDiffBytesOf = (agent: Agent): number =>
  Math.min(MAX_DIFF_BYTES, compactAtTokens(agent, 'reviewer') * DIFF_BYTES_PER_TOKEN);

export const diffSourcesOf = ({ packet, agent, protect, part }: ModelReview): DiffSources => ({
  packet,
  protect,
  maxDiffBytes: maxDiffBytesOf(agent),
  files: part?.files,
});

export const submissionRulesOf = (review: ModelReview): SubmitReviewOptions => {
  const { packet, redact, protect, verifyMax } = review;
  const rules = readingRulesOf(review);
  return {
    ...rules,
    isShownFixed: async (fix) => isShownFixed(fix, packet, redact),
    isRefuted: async (refutation) => isRefuted(refutation, packet, redact),
    isFixedElsewhere: async ({ findingId, evidence = '' }) => {
      const thread = packet.openThreads.find(({ id }) => id === findingId);
      if (thread === undefined || (verifyMax === null && isGrave(thread.severity))) return false;
      return quotesFix(thread, evidence, { packet, redact });
    },
    faultOf: async (finding) => (await settleClaim(finding, { ...packet, redact })).fault,
    ...(verifyMax === null ? {} : { claimsOf: createClaimsOf({ packet, redact, protect, rules, max: verifyMax }) }),
  };
};

const readingRulesOf = ({ packet, duplicateThreshold }: ModelReview): SubmissionRules => ({
  openThreads: packet.openThreads.map((thread) => {
    const { id, severity, legalActions, handling, title, words = '', place, now, citedText } = thread;
    const claim = { place: now ?? place, title, body: words, citedCode: citedText };
    return { id, severity, legalActions, claim, idle: !hasHappened(thread), required: handling === 'must' };
  }),
  settledThreads: settledThreads(packet),
  unverified: packet.unverified.map(({ id }) => id),
  duplicateThreshold,
});

const settledThreads = ({ closedThreads }: Packet) =>
  closedThreads.filter(({ settled }) => settled !== undefined).map(({ id }) => id);

/** @throws the same errors as `buildReviewPrompt`. */
export const promptOf = async (review: ModelReview, signal: AbortSignal): Promise<ReviewPrompt> => {
  const { packet, task, revisions, redact, protect } = review;
  const target = packet.targetHead;
  const { settings } = await readRepositorySettings(revisions, { target, redact }, signal);
  const changedPaths = changedPathsOf(packet);
  const files = await readGuidelines(revisions, { target, changedPaths }, signal);
  const operators = selectGuidelines(task.operatorGuidelines ?? [], changedPaths);
  const guidelines = [...operators, ...guidelineOf(settings), ...files];
  const shown = await showDiff(diffSourcesOf(review), signal);
  const about = { packet, task, guidelines, shown, protect, part: review.part?.about };
  if (task.talk === true) return buildReviewPrompt(about, signal);
  const [removed, { usedIn, ...found }, commits] = await Promise.all([
    removedBy(packet, revisions, signal),
    findSurroundings(packet, revisions, signal),
    commitMessages({ packet, told: task }, revisions, signal),
  ]);
  return buildReviewPrompt({ ...about, removed, usedIn, around: { ...found, commits } }, signal);
};
