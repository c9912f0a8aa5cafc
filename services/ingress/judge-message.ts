/** A client may send messages only under its own name, role and project. */
import type { NamedClient } from '../../shared/config/projects/message-reach.ts';
import { channelOf, parseChannel } from '../../shared/protocol/channel.ts';
import type { MessageType } from '../../shared/protocol/bodies.ts';
import type { FindingsPacket } from '../../shared/protocol/findings-packet.ts';
import type { HandoffPacket } from '../../shared/protocol/handoff-packet.ts';
import { packetPath } from '../../shared/protocol/findings-packet.ts';
import { ReviewMessage, type ReviewRequest } from '../../shared/protocol/message.ts';
import { parseFindingsPacket, parseHandoffPacket } from '../../shared/protocol/packet-text.ts';
import { parseMessage } from '../../shared/protocol/parse-message.ts';
import type { Problem } from '../../shared/protocol/yaml/problem.ts';
import { ChangeRequest } from '../../shared/vocabulary/ids.ts';

export type MessageJudgement =
  | { readonly kind: 'malformed'; readonly problems: readonly Problem[] }
  | { readonly kind: 'forbidden'; readonly reason: string }
  | {
      readonly kind: 'accepted';
      readonly changeRequest: ChangeRequest;
      readonly message: ReviewMessage;
      readonly packet: FindingsPacket | null;
      /** The hand-off packet that came with a request; null if the request had none. */
      readonly handoff: HandoffPacket | null;
    };

const ROLE_OF: Readonly<Record<MessageType, NamedClient['role']>> = {
  review_request: 'author',
  review_addressed: 'author',
  review_feedback: 'reviewer',
  review_lgtm: 'reviewer',
};

/**
 * Contract: whether a client with patterns may write about the project of `changeRequest` is not decided here.
 *
 * `text`: a message, optionally followed by a line `---` and the findings or hand-off packet that the
 * message names.
 */
export const judgeMessage = (client: NamedClient, text: string): MessageJudgement => {
  const { message: first, packet: second } = splitStream(text);
  const reading = parseMessage(first);
  if (reading.kind === 'refused') return { kind: 'malformed', problems: reading.problems };
  const { message: sent } = reading;
  if (sent.from !== client.name) return forbidden(`this token may send messages only from ${client.name}`);
  if (ROLE_OF[sent.type] !== client.role)
    return forbidden(`this token is for a ${client.role}, who may not send ${sent.type}`);
  const project = projectOf(client, sent);
  if (project === null) return malformed('channel', CHANNEL_MISSING);
  const number = sent.type === 'review_request' ? sent.body.pr : Number(sent.related_pr);
  const changeRequest = ChangeRequest.safeParse({ ...project, number });
  if (!changeRequest.success) return malformed('related_pr', 'is missing; expected the number of the change request');
  const message = inChannel(sent, changeRequest.data);
  if (second === null)
    return { kind: 'accepted', changeRequest: changeRequest.data, message, packet: null, handoff: null };
  if (message.type === 'review_request')
    return withHandoff(message, { changeRequest: changeRequest.data, text: second });
  const packet = parseFindingsPacket(second);
  if (packet.kind === 'refused') return { kind: 'malformed', problems: packet.problems };
  const mistake = whyNotItsPacket(message, packet.packet);
  if (mistake !== null) return malformed('packet_id', mistake);
  return { kind: 'accepted', changeRequest: changeRequest.data, message, packet: packet.packet, handoff: null };
};

const CHANNEL_MISSING =
  'names no project; expected the forge and the id of the project, such as forgejo-42, as in messages from Fixpoint';

/** A client of one project need not name it. */
const projectOf = ({ forge, projectId, match }: NamedClient, { channel = '' }: ReviewMessage) =>
  match === null ? { forge, projectId } : parseChannel(channel);

/**
 * Readers with patterns learn the project from `channel`, so a client of one project may not name another one there. It is
 * parsed again, because a repeated message is recognised by its text, in which the order of the fields counts.
 */
const inChannel = (message: ReviewMessage, of: ChangeRequest): ReviewMessage =>
  ReviewMessage.parse({ ...message, channel: channelOf(of) });

type Beside = { readonly changeRequest: ChangeRequest; readonly text: string };

const withHandoff = (message: ReviewRequest, { changeRequest, text }: Beside): MessageJudgement => {
  if (message.body.handoff_ref === undefined)
    return malformed('body.handoff_ref', 'is missing; expected the path of the hand-off packet that was sent');
  const handoff = parseHandoffPacket(text);
  return handoff.kind === 'refused'
    ? { kind: 'malformed', problems: handoff.problems }
    : { kind: 'accepted', changeRequest, message, packet: null, handoff: handoff.packet };
};

const forbidden = (reason: string): MessageJudgement => ({ kind: 'forbidden', reason });

const malformed = (field: string, message: string): MessageJudgement => ({
  kind: 'malformed',
  problems: [{ field, line: null, message }],
});

/**
 * No line inside a document begins with `---`, because multi-line strings are indented. Only a line feed ends a line: with
 * the flag `m`, `^` would also match after U+2028 and U+2029, which YAML allows within a line.
 */
const splitStream = (text: string): { readonly message: string; readonly packet: string | null } => {
  const [message = '', ...rest] = text.replace(/^---\r?\n/, '').split(/(?<=\n)---\r?\n/);
  return { message, packet: rest.length === 0 ? null : rest.join('---\n') };
};

const whyNotItsPacket = (message: ReviewMessage, packet: FindingsPacket): string | null => {
  if (message.type === 'review_lgtm') return null;
  if (message.type !== 'review_feedback') return 'was sent with a message that takes no findings packet';
  const { findings_packet: path, round, blocking_count: blocking } = message.body;
  if (path !== packetPath(packet.packet_id) && !path.endsWith(`/${packet.packet_id}.yaml`))
    return 'is not the packet of body.findings_packet';
  if (packet.round !== round) return 'belongs to a different round than body.round';
  return packet.summary.blocking_count === blocking ? null : 'does not match body.blocking_count';
};
