/** External programs that use only the protocol's messages: what they receive and send. */
import { z } from 'zod';
import {
  FindingsPacket,
  type PacketFinding,
  packetPath,
  countFindings,
} from '../../shared/protocol/findings-packet.ts';
import { MailboxMessage } from '../../shared/mailbox/mailbox-message.ts';
import { ReviewMessage } from '../../shared/protocol/message.ts';
import { printPacket } from '../../shared/protocol/packet-text.ts';
import { printMessage } from '../../shared/protocol/print-message.ts';
import type { ReviewPacket } from '../../shared/protocol/review-packet.ts';
import { eventually } from './story-world.ts';

const Body = z.record(z.string(), z.unknown());
const Heard = z.object({ messages: MailboxMessage.array() });

export type Said = { readonly status: number; readonly body: z.output<typeof Body> };

export type Speaker = {
  readonly name: string;
  /** Sends a message, with the packet that it refers to. */
  readonly say: (message: ReviewMessage, packet?: FindingsPacket) => Promise<Said>;
  readonly heard: () => Promise<readonly MailboxMessage[]>;
};

export const speakerOverHttp = (ingressUrl: string, name: string, token: string): Speaker => {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/yaml' };
  const url = `${ingressUrl}/messages`;
  return {
    name,
    say: async (message, packet) => {
      const body = packet === undefined ? printMessage(message) : `${printMessage(message)}---\n${printPacket(packet)}`;
      const answer = await fetch(url, { method: 'POST', headers, body });
      return { status: answer.status, body: Body.parse(await answer.json()) };
    },
    heard: async () => {
      const answer = await fetch(`${url}?to=${name}`, { headers });
      return Heard.parse(await answer.json()).messages;
    },
  };
};

/** Waits for the nth message of a type, counted from 1. */
export const hear = async (speaker: Speaker, type: ReviewMessage['type'], nth = 1): Promise<MailboxMessage> => {
  let found: MailboxMessage | undefined;
  await eventually(`${type} ${nth} for ${speaker.name}`, async () => {
    found = (await speaker.heard()).filter(({ message }) => message.type === type)[nth - 1];
    return found !== undefined;
  });
  if (found === undefined) throw new Error(`no ${type}`);
  return found;
};

export type Request = {
  readonly id: string;
  readonly review: ReviewPacket;
  readonly pr: string;
  readonly channel?: string | undefined;
};

export const hearRequest = async (speaker: Speaker, nth = 1): Promise<Request> => {
  const { message, review } = await hear(speaker, 'review_request', nth);
  if (review === null) throw new Error('a request without its packet');
  return { id: message.id, review, pr: message.related_pr ?? '', channel: message.channel };
};

let count = 0;

const envelope = (from: string, type: ReviewMessage['type'], pr: string) => {
  count += 1;
  return {
    id: `msg-20300105093000-${from}-${String(count).padStart(4, '0')}`,
    from,
    to: 'fixpoint',
    type,
    priority: 'P1',
    created_at_utc: '2030-01-05T09:30:00Z',
    related_pr: pr,
    subject: `${type} of ${from}`,
  };
};

export type Finding = Partial<PacketFinding> & Pick<PacketFinding, 'id'>;

export const finding = (wish: Finding): PacketFinding => ({
  severity: 'P1',
  blocking: true,
  status: 'open',
  area: 'code',
  file: '',
  line: null,
  repro: '',
  expected: '',
  evidence: '',
  recommendation: '',
  ...wish,
});

export type Feedback = {
  readonly from: string;
  readonly to: Request;
  readonly findings: readonly PacketFinding[];
  readonly round?: number;
  readonly escalation?: string;
  readonly parent?: string | null;
  readonly source?: string;
};

export const feedback = (wish: Feedback): readonly [ReviewMessage, FindingsPacket] => {
  const { from, to, findings, round = to.review.round, escalation, parent = to.id, source = '' } = wish;
  const counts = countFindings(findings);
  const packet = FindingsPacket.parse({
    packet_id: `20300105_${to.pr}_${from}_r${round}`,
    source_review_packet: source,
    reviewer: from,
    round,
    created_at_utc: '2030-01-05T09:30:00Z',
    summary: { verdict: 'feedback', ...counts },
    findings,
  });
  const message = ReviewMessage.parse({
    ...envelope(from, 'review_feedback', to.pr),
    channel: to.channel,
    ...(parent === null ? {} : { parent_message_id: parent }),
    body: {
      findings_packet: packetPath(packet.packet_id),
      round,
      blocking_count: counts.blocking_count,
      ...(escalation === undefined ? {} : { escalation }),
    },
  });
  return [message, packet];
};

export const lgtm = (from: string, to: Request, body: object = {}, parent: string | null = to.id): ReviewMessage =>
  ReviewMessage.parse({
    ...envelope(from, 'review_lgtm', to.pr),
    channel: to.channel,
    ...(parent === null ? {} : { parent_message_id: parent }),
    body: { quality_gate_result: 'pass', merge_ready: true, ...body },
  });

export const addressed = (from: string, pr: number, body: object): ReviewMessage =>
  ReviewMessage.parse({
    ...envelope(from, 'review_addressed', String(pr)),
    body: { changes_summary: 'Closed the file.', round: 1, ...body },
  });
