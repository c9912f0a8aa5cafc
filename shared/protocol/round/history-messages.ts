/** Rebuilds a change request's messages from the bot's markers, which contain places and outcomes but no comment text. */
import type { ChangeRequestFacts } from '../../forge/port-facts.ts';
import type { History, ReviewedInput } from '../../rounds/model/history.ts';
import { ESCALATIONS } from '../bodies.ts';
import { type FindingsPacket, packetPath, type PacketFinding } from '../findings-packet.ts';
import { ReviewAddressed, type ReviewMessage, ReviewRequest } from '../message.ts';
import { type Clean, findingsOfThreads } from './round-findings.ts';
import { handoffAt, handoffBefore, type PastHandoff, pastHandoffs } from './history-handoffs.ts';
import type { Handoff } from './round-handoff.ts';
import { agentName, answerOfRound, type Correspondence, envelopeOf, packetIdOf } from './round-messages.ts';

export type Remembered = {
  readonly facts: ChangeRequestFacts;
  readonly history: History;
  readonly maxRounds: number;
  readonly reviewer: string;
};

export type Exported = {
  readonly messages: readonly ReviewMessage[];
  readonly packets: readonly FindingsPacket[];
  /** The hand-offs to a person, oldest first. */
  readonly handoffs: readonly Handoff[];
};

export const messagesOfHistory = (remembered: Remembered, clean: Clean): Exported => {
  const inputs = lastOfEachReview(remembered.history.reviewed);
  const handoffs = handoffsOf(remembered, inputs, clean);
  const messages: ReviewMessage[] = [];
  const packets: FindingsPacket[] = [];
  for (const [index, reviewed] of inputs.entries()) {
    const next = inputs[index + 1] ?? null;
    const words = wordsOf(remembered, reviewed);
    messages.push(requestOf(remembered, { ...words, handoff: handoffBefore(handoffs, reviewed.review) }, clean));
    const answer = answerOfRound(
      {
        round: reviewed.review,
        maxRounds: remembered.maxRounds,
        findings: findingsOf(remembered, reviewed, { isLast: next === null, clean }),
        judgement: { verdict: reviewed.verdict, reasons: [] },
        escalation: reviewed.exceeded === true ? ESCALATIONS.budget : null,
        owner: remembered.facts.author.login,
        commands: reviewed.commands,
        handoff: handoffAt(handoffs, reviewed.head),
      },
      words.answer,
    );
    messages.push(answer.message);
    packets.push(answer.packet);
    if (next !== null && answer.message.type === 'review_feedback') messages.push(addressedOf(words, reviewed, next));
  }
  return { messages, packets, handoffs: handoffs.map(({ path, packet }) => ({ path, packet })) };
};

const handoffsOf = (remembered: Remembered, inputs: readonly ReviewedInput[], clean: Clean): readonly PastHandoff[] => {
  const { facts, history, reviewer } = remembered;
  const besideOf = (review: number): string | null => {
    const last = inputs.findLast((each) => each.review <= review);
    return last === undefined ? null : packetPath(packetIdOf(wordsOf(remembered, last).answer, last.review));
  };
  return pastHandoffs({ facts, history, from: agentName(reviewer), topic: topicOf(facts), besideOf }, clean);
};

const lastOfEachReview = (reviewed: readonly ReviewedInput[]): readonly ReviewedInput[] =>
  [...new Map(reviewed.map((input) => [input.review, input])).values()].toSorted(
    (one, other) => one.review - other.review,
  );

type Words = { readonly request: Correspondence; readonly answer: Correspondence };

const topicOf = ({ changeRequest: { forge, projectId } }: ChangeRequestFacts): string => `${forge}-${projectId}`;

/** All messages get the time of the summary, because the times of the reviews are not stored. */
const wordsOf = ({ facts, history, reviewer }: Remembered, { review, head }: ReviewedInput): Words => {
  const atMs = history.summary?.comment.updatedAtMs ?? facts.updatedAtMs;
  const { forge, projectId, number } = facts.changeRequest;
  const bot = agentName(reviewer);
  const login = agentName(facts.author.login);
  // A bot may review a change by its own account, but sender and recipient must differ.
  const author = login === bot ? `${login.slice(0, 57)}-author` : login;
  const rest = {
    pr: number,
    topic: topicOf(facts),
    createdAtUtc: new Date(atMs).toISOString().replace(/\.\d{3}/, ''),
    key: `${forge}.${projectId}.${number} ${review} ${head}`,
  };
  return { request: { ...rest, from: author, to: bot }, answer: { ...rest, from: bot, to: author } };
};

type Asking = Pick<Words, 'request'> & { readonly handoff: string | undefined };

const requestOf = ({ facts }: Remembered, { request, handoff }: Asking, clean: Clean): ReviewRequest =>
  ReviewRequest.parse({
    ...envelopeOf(request, 'review_request', `Review: ${clean(facts.title)} (#${request.pr})`),
    body: {
      pr: request.pr,
      branch: facts.sourceBranch,
      diff_summary: clean(facts.title).slice(0, 1000).trim() || `Change request ${request.pr}`,
      ...(handoff === undefined ? {} : { handoff_ref: handoff }),
    },
  });

const addressedOf = ({ request }: Words, reviewed: ReviewedInput, next: ReviewedInput): ReviewAddressed =>
  ReviewAddressed.parse({
    ...envelopeOf(request, 'review_addressed', `Feedback addressed: round ${reviewed.review} (#${request.pr})`),
    body: {
      commit_sha: next.head,
      changes_summary: `Pushed the head that round ${next.review} reviewed.`,
      round: reviewed.review,
    },
  });

/** Earlier states of threads are not stored, so a packet before the last one lists only the findings of its own review. */
const findingsOf = (
  { history }: Remembered,
  { review }: ReviewedInput,
  { isLast, clean }: { readonly isLast: boolean; readonly clean: Clean },
): readonly PacketFinding[] => {
  const raised = history.threads.filter((thread) => thread.review === review && (!isLast || thread.state === 'open'));
  const earlier = isLast ? history.threads.filter((thread) => !raised.includes(thread)) : [];
  const fresh = findingsOfThreads(raised, clean).map((finding): PacketFinding => ({ ...finding, status: 'open' }));
  return [...fresh, ...findingsOfThreads(earlier, clean)];
};
