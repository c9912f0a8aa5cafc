/**
 * Messages to and from an agent that uses the protocol, in the local loop. Implementer and fixer get a `review_feedback`
 * whose packet holds the task, and answer with `review_addressed`. The reviewer gets a `review_request` and answers with
 * `review_lgtm` or `review_feedback`. Pure.
 */
import {
  type FindingsPacket,
  isStanding,
  packetId,
  type PacketFinding,
} from '../../shared/protocol/findings-packet.ts';
import type { ReviewFeedback, ReviewMessage, ReviewRequest } from '../../shared/protocol/message.ts';
import { parseMessage } from '../../shared/protocol/parse-message.ts';
import { readAddressed } from '../../shared/protocol/read-addressed.ts';
import { capPart } from './task/cap-part.ts';
import type { ReadVerdict } from './verdict.ts';

export type Talk = {
  /** A name that is unique in the repository, made of run, iteration and slot. */
  readonly name: string;
  readonly branch: string;
  readonly slot: number;
  /** Rounds count from 1. The task itself and the first review are both round 1. */
  readonly round: number;
  readonly what: 'task' | 'review' | 'fix';
  /** The time as ISO 8601 in UTC with whole seconds, ending in `Z`. */
  readonly nowUtc: string;
};

const LOOP = 'fixpoint-loop';
/** The protocol's limit for one text field. */
const MAX_TEXT = 8_000;
const NOTICE_ROOM = 100;

const cap = (text: string): string => (text.length <= MAX_TEXT ? text : capPart(text, MAX_TEXT - NOTICE_ROOM));

const envelope = ({ name, round, what, nowUtc }: Talk, to: string) => ({
  id: `${name}-r${round}-${what}`,
  from: LOOP,
  to,
  priority: 'P2' as const,
  created_at_utc: nowUtc,
});

export const packetOfText = (
  talk: Talk,
  { title, text }: { readonly title: string; readonly text: string },
): FindingsPacket => {
  const finding: PacketFinding = {
    id: 'F-001',
    severity: 'P1',
    blocking: true,
    status: 'open',
    area: 'other',
    file: '',
    line: null,
    repro: cap(title),
    expected: '',
    evidence: '',
    recommendation: cap(text === '' ? title : text),
  };
  return {
    packet_id: packetId({
      dayUtc: talk.nowUtc.slice(0, 10).replaceAll('-', ''),
      topic: talk.name,
      owner: LOOP,
      round: talk.round,
    }),
    source_review_packet: '',
    reviewer: LOOP,
    round: talk.round,
    created_at_utc: talk.nowUtc,
    summary: { verdict: 'drift', blocking_count: 1, non_blocking_count: 0 },
    findings: [finding],
  };
};

export const feedbackOf = (talk: Talk, packet: FindingsPacket, path: string): ReviewFeedback => ({
  ...envelope(talk, 'author'),
  type: 'review_feedback',
  subject: `Round ${talk.round} of ${talk.name}`,
  body: { findings_packet: path, round: talk.round, blocking_count: packet.summary.blocking_count },
});

/** `context` is the path of the reviewer's context, relative to the work tree. */
export const requestMessageOf = (
  talk: Talk,
  {
    summary,
    context,
    maxRuntimeS,
  }: { readonly summary: string; readonly context: string; readonly maxRuntimeS: number },
): ReviewRequest => ({
  ...envelope(talk, 'reviewer'),
  type: 'review_request',
  subject: `Round ${talk.round} of ${talk.name}`,
  body: {
    pr: talk.slot,
    branch: talk.branch,
    diff_summary: cap(summary === '' ? 'no changes' : summary),
    handoff_ref: context,
    max_runtime_s_reviewer: maxRuntimeS,
  },
});

const read = (stdout: string): { readonly message: ReviewMessage } | { readonly reason: string } => {
  const reading = parseMessage(stdout);
  if (reading.kind === 'message') return { message: reading.message };
  const [first] = reading.problems;
  return { reason: `the answer is not a protocol message: ${first?.field ?? ''} ${first?.message ?? ''}`.trim() };
};

/** Returns null when the answer is correct, otherwise the reason. `head` is the full commit id of the work tree's HEAD. */
export const whyNotAddressed = (
  stdout: string,
  work: { readonly round: number; readonly head: string },
): string | null => {
  const answer = readAddressed(stdout, work);
  return answer.kind === 'refused' ? answer.reason : null;
};

export type ReviewMessageAnswer =
  | { readonly kind: 'pass'; readonly summary: string }
  /** `packet` is the path of the findings packet in the work tree. The caller still has to read it. */
  | { readonly kind: 'drift'; readonly packet: string; readonly blocking: number }
  | { readonly kind: 'violation'; readonly reason: string };

export const readReviewMessage = (stdout: string, round: number): ReviewMessageAnswer => {
  const answer = read(stdout);
  const violation = (reason: string): ReviewMessageAnswer => ({ kind: 'violation', reason });
  if ('reason' in answer) return violation(answer.reason);
  const { message } = answer;
  if (message.type === 'review_lgtm') {
    if (message.body.quality_gate_result !== 'pass') return violation('the quality gate of review_lgtm failed');
    return { kind: 'pass', summary: message.subject };
  }
  if (message.type !== 'review_feedback') {
    return violation(`the answer is ${message.type}; expected review_feedback or review_lgtm`);
  }
  const { body } = message;
  if (body.round !== round) return violation(`the answer is for round ${body.round}; expected ${round}`);
  if (body.escalation !== undefined) return violation(`the reviewer came to no verdict: ${body.escalation}`);
  return { kind: 'drift', packet: body.findings_packet, blocking: body.blocking_count };
};

const lineOf = ({ id, severity, file, line, repro, expected, recommendation }: PacketFinding): string => {
  const place = file === '' ? '' : ` ${file}${line === null ? '' : `:${line}`}`;
  const texts = [repro, expected === '' ? '' : `Expected: ${expected}`, recommendation].filter((text) => text !== '');
  return `${id} (${severity})${place}: ${texts.join('\n')}`;
};

/** Turns the packet's open findings into a verdict in prose, for a fixer that does not use messages. */
export const verdictOfPacket = (
  packet: FindingsPacket,
  said: { readonly round: number; readonly blocking: number },
): ReadVerdict => {
  if (packet.round !== said.round)
    return { kind: 'violation', reason: `the packet is for round ${packet.round}; expected ${said.round}` };
  if (packet.summary.blocking_count !== said.blocking) {
    return { kind: 'violation', reason: 'message and packet differ in blocking_count' };
  }
  const standing = packet.findings.filter(isStanding);
  if (standing.length === 0) return { kind: 'violation', reason: 'the feedback has no finding; expected review_lgtm' };
  return { kind: 'verdict', verdict: { verdict: 'drift', followUpPrompt: standing.map(lineOf).join('\n\n') } };
};
