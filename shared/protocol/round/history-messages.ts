/** Rebuilds a change request's messages from the bot's markers, which hold places and outcomes but no comment text. */
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
  /** One per hand-off to a person, oldest first. */
  readonly handoffs: readonly Handoff[];
};

export const messagesOfHistory = (remembered: Remembered, clean: Clean): Exported => {
  const rounds = lastOfEachRound(remembered.history.reviewed);
  const handoffs = handoffsOf(remembered, rounds, clean);
  const messages: ReviewMessage[] = [];
  const packets: FindingsPacket[] = [];
  for (const [index, round] of rounds.entries()) {
    const next = rounds[index + 1] ?? null;
    const words = wordsOf(remembered, round);
    messages.push(requestOf(remembered, { ...words, handoff: handoffBefore(handoffs, round.round) }, clean));
    const answer = answerOfRound(
      {
        round: round.round,
        maxRounds: remembered.maxRounds,
        findings: findingsOf(remembered, round, { isLast: next === null, clean }),
        judgement: { verdict: round.verdict, reasons: [] },
        escalation: round.exceeded === true ? ESCALATIONS.budget : null,
        owner: remembered.facts.author.login,
        commands: round.commands,
        handoff: handoffAt(handoffs, round.head),
      },
      words.answer,
    );
    messages.push(answer.message);
    packets.push(answer.packet);
    if (next !== null && answer.message.type === 'review_feedback') messages.push(addressedOf(words, round, next));
  }
  return { messages, packets, handoffs: handoffs.map(({ path, packet }) => ({ path, packet })) };
};

const handoffsOf = (remembered: Remembered, rounds: readonly ReviewedInput[], clean: Clean): readonly PastHandoff[] => {
  const { facts, history, reviewer } = remembered;
  const besideOf = (round: number): string | null => {
    const last = rounds.findLast((each) => each.round <= round);
    return last === undefined ? null : packetPath(packetIdOf(wordsOf(remembered, last).answer, last.round));
  };
  return pastHandoffs({ facts, history, from: agentName(reviewer), topic: topicOf(facts), besideOf }, clean);
};

const lastOfEachRound = (reviewed: readonly ReviewedInput[]): readonly ReviewedInput[] =>
  [...new Map(reviewed.map((input) => [input.round, input])).values()].toSorted(
    (one, other) => one.round - other.round,
  );

type Words = { readonly request: Correspondence; readonly answer: Correspondence };

const topicOf = ({ changeRequest: { forge, projectId } }: ChangeRequestFacts): string => `${forge}-${projectId}`;

/** All messages get the summary's time, because the times of the rounds are not remembered. */
const wordsOf = ({ facts, history, reviewer }: Remembered, { round, head }: ReviewedInput): Words => {
  const atMs = history.summary?.comment.updatedAtMs ?? facts.updatedAtMs;
  const { forge, projectId, number } = facts.changeRequest;
  const bot = agentName(reviewer);
  const login = agentName(facts.author.login);
  // A bot may review a change of its own account, but sender and recipient must differ.
  const author = login === bot ? `${login.slice(0, 57)}-author` : login;
  const rest = {
    pr: number,
    topic: topicOf(facts),
    createdAtUtc: new Date(atMs).toISOString().replace(/\.\d{3}/, ''),
    key: `${forge}.${projectId}.${number} ${round} ${head}`,
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

const addressedOf = ({ request }: Words, round: ReviewedInput, next: ReviewedInput): ReviewAddressed =>
  ReviewAddressed.parse({
    ...envelopeOf(request, 'review_addressed', `Feedback addressed: round ${round.round} (#${request.pr})`),
    body: {
      commit_sha: next.head,
      changes_summary: `Pushed the head that round ${next.round} reviewed.`,
      round: round.round,
    },
  });

/** Earlier thread states are not remembered, so rounds before the last one list only the findings that they raised. */
const findingsOf = (
  { history }: Remembered,
  { round }: ReviewedInput,
  { isLast, clean }: { readonly isLast: boolean; readonly clean: Clean },
): readonly PacketFinding[] => {
  const raised = history.threads.filter((thread) => thread.round === round && (!isLast || thread.state === 'open'));
  const earlier = isLast ? history.threads.filter((thread) => !raised.includes(thread)) : [];
  const fresh = findingsOfThreads(raised, clean).map((finding): PacketFinding => ({ ...finding, status: 'open' }));
  return [...fresh, ...findingsOfThreads(earlier, clean)];
};
