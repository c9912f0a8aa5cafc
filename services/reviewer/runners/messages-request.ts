/** Builds the request to an external reviewer: the message, and a packet with everything that a model would get. */
import type { ReviewPrompt } from '../../../shared/agent/prompt/review-opening.ts';
import type { StoredRequest } from '../../../shared/mailbox/review-request-store.ts';
import { ReviewRequestBody } from '../../../shared/protocol/bodies.ts';
import { channelOf } from '../../../shared/protocol/channel.ts';
import { packetId } from '../../../shared/protocol/findings-packet.ts';
import { ReviewRequest } from '../../../shared/protocol/message.ts';
import { type OpenFinding, ReviewPacket, reviewPacketPath } from '../../../shared/protocol/review-packet.ts';
import { type Correspondence, envelopeOf } from '../../../shared/protocol/round/round-messages.ts';
import { utcSecond } from '../../../shared/vocabulary/utc-text.ts';
import { changedPathsOf, type ModelReview, promptOf } from '../run/model-review.ts';
import type { RunScope } from '../run/runner.ts';
import { handoffOfReview } from './messages-handoff.ts';

export type RequestInput = {
  readonly review: ModelReview;
  readonly scope: RunScope;
  readonly from: string;
  readonly to: string;
  readonly maxRounds: number;
  readonly nowMs: number;
};

/** All texts are redacted as for a model. The review's time limit starts with the request. */
export const storedRequestOf = async (
  input: RequestInput,
  signal: AbortSignal,
): Promise<Omit<StoredRequest, 'reviewer'>> => {
  const { review, scope, nowMs } = input;
  const prompt = await promptOf(review, signal);
  const expiresAtMs = nowMs + scope.maxRuntimeS * 1000;
  const words = wordsOf(input);
  const packet = packetOf(input, prompt, words);
  const handoff = handoffOfReview(review, words, packet);
  const { title } = packet;
  const request = ReviewRequest.parse({
    ...envelopeOf(words, 'review_request', `Review: ${title} (#${words.pr})`),
    related_packet: reviewPacketPath(packet.packet_id),
    expires_at: utcSecond(expiresAtMs),
    body: {
      pr: words.pr,
      branch: packet.branch,
      diff_summary: title.trim() === '' ? `Change request ${words.pr}` : title,
      ...(handoff === null ? {} : { handoff_ref: handoff.path }),
      max_turns_reviewer: scope.maxTurns,
      max_runtime_s_reviewer: scope.maxRuntimeS,
    },
  });
  return { request, packet, handoff: handoff?.packet ?? null, askedAtMs: nowMs, expiresAtMs };
};

const wordsOf = ({ scope, from, to, nowMs }: RequestInput): Correspondence => ({
  from,
  to,
  pr: scope.changeRequest.number,
  topic: channelOf(scope.changeRequest),
  channel: channelOf(scope.changeRequest),
  createdAtUtc: utcSecond(nowMs),
  key: scope.runId,
});

const MAX_TEXT = 50_000;
const MAX_TITLE = 1000;
const MAX_PATHS = 20_000;
const MAX_LISTED = 2000;

const packetOf = (
  { review: { packet, task }, scope, maxRounds, from }: RequestInput,
  prompt: ReviewPrompt,
  { pr, topic, createdAtUtc }: Correspondence,
): ReviewPacket => {
  const { review, stage } = task;
  const isLast = stage !== 'open';
  const dayUtc = createdAtUtc.slice(0, 10).replaceAll('-', '');
  return ReviewPacket.parse({
    packet_id: packetId({ dayUtc, topic: `${pr}-${topic}-${scope.runId}`, owner: from, round: review }),
    created_at_utc: createdAtUtc,
    run: scope.runId,
    round: review,
    max_rounds: isLast ? review : Math.max(review, maxRounds),
    final_round: isLast,
    only_open_findings: task.talk === true,
    head_sha: packet.head,
    base_sha: packet.base,
    branch: branchOf(task.branch),
    ...wordsOfChange(prompt),
    open_findings: prompt.openThreads.slice(0, MAX_LISTED).map((thread) => openFinding(thread, packet)),
    closed_findings: prompt.closedThreads.slice(0, MAX_LISTED).map(({ id, severity, title, place, settledText }) => ({
      id,
      severity,
      title: title.slice(0, MAX_TITLE),
      file: place.path,
      ...(settledText === undefined ? {} : { with_human: true }),
    })),
    discussion: prompt.comments
      .slice(-MAX_LISTED)
      .map(({ author, text, where }) => ({ author, text: text.slice(0, MAX_TEXT), file: where?.path ?? '' })),
    omitted: prompt.omitted
      .slice(0, MAX_PATHS)
      .map(({ path, reason }) => ({ path, reason: reason.slice(0, MAX_TITLE) })),
    changed_files: changedPathsOf(packet).slice(0, MAX_PATHS),
    diff: prompt.diff ?? '',
  });
};

const wordsOfChange = ({ header, instructions, guidelines }: ReviewPrompt) => {
  const change = header.mode === 'change' ? header : null;
  return {
    target_branch: change?.targetBranch ?? '',
    title: (change?.title ?? '').slice(0, MAX_TITLE),
    description: (change?.description ?? '').slice(0, MAX_TEXT),
    author: (change?.author ?? '').slice(0, 255),
    instructions: instructions === null ? null : instructions.slice(0, MAX_TEXT),
    guidelines: guidelines.map(({ path, text }) => ({ path, text: text.slice(0, MAX_TEXT) })),
  };
};

/** Used in place of a branch name that is not allowed in a message. */
const NO_BRANCH = 'unknown';

const branchOf = (branch: string | undefined): string =>
  ReviewRequestBody.shape.branch.safeParse(branch).data ?? NO_BRANCH;

const openFinding = (
  { id, severity, title, now, citedText, legalActions, replies }: ReviewPrompt['openThreads'][number],
  { openThreads }: ModelReview['packet'],
): OpenFinding => ({
  id,
  severity,
  blocking: openThreads.find((thread) => thread.id === id)?.blocking ?? false,
  title: title.slice(0, MAX_TITLE),
  file: now?.path ?? '',
  line: now?.line ?? null,
  cited_code: citedText.slice(0, MAX_TEXT),
  legal_actions: [...legalActions],
  replies: replies.map(({ author, text }) => ({ author, text: text.slice(0, MAX_TEXT) })),
});
