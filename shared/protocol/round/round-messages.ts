/** The one terminal answer of a round of Fixpoint's own, with its findings packet. */
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

/** Who speaks to whom about what, and when. The time is the caller's: these folders have no clock. */
export type Correspondence = {
  readonly from: string;
  readonly to: string;
  /** Number of the change request. */
  readonly pr: number;
  /** For people; also the topic of packets. */
  readonly topic: string;
  /** `YYYY-MM-DDTHH:MM:SSZ`. */
  readonly createdAtUtc: string;
  /** Whatever the message is one of a kind for, such as a run id: the same key makes the same id. */
  readonly key: string;
};

export type RoundResult = {
  readonly round: number;
  readonly maxRounds: number;
  readonly findings: readonly PacketFinding[];
  readonly judgement: Judgement;
  /** Why there is no verdict when it is not for the round's own reasons, such as `reviewer_budget_exceeded`. */
  readonly escalation: Escalation | null;
  /** Who owns what is deferred: the author of the change request. */
  readonly owner: string;
  /** The operator's commands that were run on the head; none: nothing is said about them. */
  readonly commands?: readonly RememberedCommand[] | undefined;
  /** Path of the hand-off packet, where a human was called; feedback points to it. */
  readonly handoff?: string | undefined;
};

export type Answer =
  | { readonly message: ReviewFeedback; readonly packet: FindingsPacket }
  | { readonly message: ReviewLgtm; readonly packet: FindingsPacket };

/**
 * `lgtm` becomes `review_lgtm` with every deferred finding as a nit; everything else `review_feedback`. What blocks in
 * the last round, and what has no verdict, carries an escalation.
 */
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

/** A body has a bound; the packet holds what did not fit. */
const MAX_NITS = 40;

const fitting = (nits: readonly Nit[]): readonly Nit[] =>
  nits.toSorted((one, other) => one.tier.localeCompare(other.tier)).slice(0, MAX_NITS);

/** A grave finding outside of the diff does not block either; as a nit it is of the graver tier. */
const nitOf = ({ id, severity, repro, file, line }: PacketFinding, owner: string): Nit => ({
  nit_id: `NIT-${id.replace(/^F-/, '')}`,
  tier: severity === 'P3' ? 'P3' : 'P2',
  summary: oneLine(file === '' ? repro : `${file}:${line}: ${repro}`),
  owner,
  next_action: 'Take it up in a change of its own, or decline it in its thread',
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

/** The command by the operator's name for it: what it consists of is nobody's business outside. */
const commandRun = ({ name, result }: RememberedCommand): CommandRun => {
  switch (result) {
    case 'passed':
      return { command: name, result: 'pass' };
    case 'failed':
      return { command: name, result: 'fail' };
    case 'not_run':
      return { command: name, result: 'warn', notes: 'It could not be run, so that it says nothing about the code.' };
    default:
      return result satisfies never;
  }
};

/** Of the findings packet that goes with the answer to a round. */
export const packetIdOf = ({ createdAtUtc, pr, topic, from }: Correspondence, round: number): string => {
  const dayUtc = createdAtUtc.slice(0, 10).replaceAll('-', '');
  return packetId({ dayUtc, topic: `${pr}-${topic}`, owner: from, round });
};

/** Everything but the body. `subject` is cut to what an envelope takes. */
export const envelopeOf = <const Type extends string>(words: Correspondence, type: Type, subject: string) => ({
  id: messageId(words, type),
  from: words.from,
  to: words.to,
  type,
  priority: 'P1' as const,
  created_at_utc: words.createdAtUtc,
  related_pr: String(words.pr),
  subject: subject.replaceAll(/\s+/g, ' ').slice(0, 200),
});

/** `msg-<time>-<sender>-<4 hex>`: the last part is made of the key, so that saying it twice is saying it once. */
const messageId = ({ createdAtUtc, from, key }: Correspondence, type: string): string => {
  const time = createdAtUtc.replaceAll(/\D/g, '');
  const suffix = createHash('sha256').update(`${key}\n${type}`).digest('hex').slice(0, 4);
  return `msg-${time}-${from}-${suffix}`;
};

/** A forge's account name as the name of an agent: what such a name may not hold becomes "-". */
export const agentName = (login: string): string =>
  login
    .replaceAll(/[^A-Za-z0-9._-]/g, '-')
    .replace(/^[^A-Za-z0-9]+/, '')
    .slice(0, 64) || 'unnamed';
