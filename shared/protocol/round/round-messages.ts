import { createHash } from 'node:crypto';
import type { Judgement } from '../../rounds/gate/verdict.ts';
import type { RememberedCommand } from '../../rounds/model/marker-payload.ts';
import { type Escalation, ESCALATIONS } from '../bodies.ts';
import {
  countFindings,
  type FindingsPacket,
  isStanding,
  type PacketFinding,
  packetId,
  packetPath,
} from '../findings-packet.ts';
import {
  type ReviewFeedback,
  ReviewFeedback as FeedbackSchema,
  type ReviewLgtm,
  ReviewLgtm as LgtmSchema,
} from '../message.ts';
import type { Nit } from '../nit.ts';

/**
 * Participants, subject and time of a message. The caller provides the time, because pure functions must not read the
 * clock.
 */
export type Correspondence = {
  readonly from: string;
  readonly to: string;
  readonly pr: number;
  /** The topic for human readers, which packets also use. */
  readonly topic: string;
  /** Names the project for a receiver of messages about several projects. */
  readonly channel?: string;
  /** The time in the form `YYYY-MM-DDTHH:MM:SSZ`. */
  readonly createdAtUtc: string;
  /** Identifies the message, for example by a run id; the same key gives the same message id. */
  readonly key: string;
};

export type RoundResult = {
  readonly round: number;
  readonly maxRounds: number;
  readonly findings: readonly PacketFinding[];
  readonly judgement: Judgement;
  /** Why there is no verdict, if the reason is outside the round, such as `reviewer_budget_exceeded`. */
  readonly escalation: Escalation | null;
  /** The owner of deferred items, who is the author of the change request. */
  readonly owner: string;
  /** Results of the operator's commands on the head; absent if none ran. */
  readonly commands?: readonly RememberedCommand[] | undefined;
  /**
   * Path of the hand-off packet if the bot has handed the change request to a person. The feedback refers to this
   * packet.
   */
  readonly handoff?: string | undefined;
};

export type Answer =
  | { readonly message: ReviewFeedback; readonly packet: FindingsPacket }
  | { readonly message: ReviewLgtm; readonly packet: FindingsPacket };

/** `lgtm` leads to `review_lgtm` with deferred findings as nits. Other verdicts lead to `review_feedback`, with an escalation if needed. */
export const answerOfRound = (result: RoundResult, words: Correspondence): Answer => {
  const packet = packetOf(result, words);
  if (result.judgement.verdict === 'lgtm') return { message: lgtmOf(result, words), packet };
  const escalation = escalationOf(result);
  const message = FeedbackSchema.parse({
    ...envelopeOf(words, 'review_feedback', `Review feedback: round ${result.round} (#${words.pr})`),
    ...(result.handoff === undefined ? {} : { related_packet: result.handoff }),
    body: {
      findings_packet: packetPath(packet.packet_id),
      round: result.round,
      blocking_count: packet.summary.blocking_count,
      ...(escalation === null ? {} : { escalation }),
    },
  });
  return { message, packet };
};

const escalationOf = ({ round, maxRounds, judgement, escalation }: RoundResult): Escalation | null => {
  if (escalation !== null) return escalation;
  if (round >= maxRounds) return ESCALATIONS.maxRounds;
  return judgement.verdict === 'inconclusive' ? ESCALATIONS.incomplete : null;
};

const lgtmOf = (result: RoundResult, words: Correspondence): ReviewLgtm => {
  const nits = result.findings.filter(isStanding).map((finding) => nitOf(finding, result.owner));
  return LgtmSchema.parse({
    ...envelopeOf(words, 'review_lgtm', `LGTM: ${words.topic} (#${words.pr})`),
    body: { quality_gate_result: 'pass', merge_ready: true, ...(nits.length === 0 ? {} : { nits: fitting(nits) }) },
  });
};

/** Limits the nits so that the body does not exceed its limit; the packet lists all findings. */
const MAX_NITS = 40;

const fitting = (nits: readonly Nit[]): readonly Nit[] =>
  nits.toSorted((one, other) => one.tier.localeCompare(other.tier)).slice(0, MAX_NITS);

/** A P0 or P1 outside the diff does not block; it becomes a nit of tier P2. */
const nitOf = ({ id, severity, repro, file, line }: PacketFinding, owner: string): Nit => ({
  nit_id: `NIT-${id.replace(/^F-/, '')}`,
  tier: severity === 'P3' ? 'P3' : 'P2',
  summary: oneLine(file === '' ? repro : `${file}:${line}: ${repro}`),
  owner,
  next_action: 'Fix it in a separate change, or decline it in its thread',
  source: id,
});

const oneLine = (text: string): string => text.trim().split('\n', 1).join('').slice(0, 200) || 'See the finding';

const packetOf = (result: RoundResult, words: Correspondence): FindingsPacket => {
  const { round, findings, judgement, commands = [] } = result;
  return {
    packet_id: packetIdOf(words, round),
    source_review_packet: '',
    reviewer: words.from,
    round,
    created_at_utc: words.createdAtUtc,
    summary: { verdict: judgement.verdict, ...countFindings(findings) },
    findings: [...findings],
    ...(commands.length === 0 ? {} : { qa_validation: { commands_run: commands.map(commandRun) } }),
  };
};

type CommandRun = NonNullable<FindingsPacket['qa_validation']>['commands_run'][number];

const commandRun = ({ name, result }: RememberedCommand): CommandRun => {
  switch (result) {
    case 'passed':
      return { command: name, result: 'pass' };
    case 'failed':
      return { command: name, result: 'fail' };
    case 'not_run':
      return { command: name, result: 'warn', notes: 'It could not be run, so it says nothing about the code.' };
    default:
      return result satisfies never;
  }
};

export const packetIdOf = ({ createdAtUtc, pr, topic, from }: Correspondence, round: number): string => {
  const dayUtc = createdAtUtc.slice(0, 10).replaceAll('-', '');
  return packetId({ dayUtc, topic: `${pr}-${topic}`, owner: from, round });
};

/** Returns all fields except the body. `subject` is cut to the envelope's limit. */
export const envelopeOf = <const Type extends string>(words: Correspondence, type: Type, subject: string) => ({
  id: messageId(words, type),
  from: words.from,
  to: words.to,
  type,
  priority: 'P1' as const,
  created_at_utc: words.createdAtUtc,
  related_pr: String(words.pr),
  ...(words.channel === undefined ? {} : { channel: words.channel }),
  subject: subject.replaceAll(/\s+/g, ' ').slice(0, 200),
});

/** The id is `msg-<time>-<sender>-<4 hex>`. The suffix is a hash of the key, so that a repeated message has the same id. */
const messageId = ({ createdAtUtc, from, key }: Correspondence, type: string): string => {
  const time = createdAtUtc.replaceAll(/\D/g, '');
  const suffix = createHash('sha256').update(`${key}\n${type}`).digest('hex').slice(0, 4);
  return `msg-${time}-${from}-${suffix}`;
};

/** Converts a forge account name to an agent name; invalid characters become "-". */
export const agentName = (login: string): string =>
  login
    .replaceAll(/[^A-Za-z0-9._-]/g, '-')
    .replace(/^[^A-Za-z0-9]+/, '')
    .slice(0, 64) || 'unnamed';
