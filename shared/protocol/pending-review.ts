import { z } from 'zod';
import { ESCALATIONS } from './bodies.ts';
import { FindingsPacket } from './findings-packet.ts';
import { resolveSha } from './limits.ts';
import { type ReviewMessage, ReviewFeedback, ReviewLgtm, ReviewRequest } from './message.ts';
import { ReviewPacket, reviewPacketPath } from './review-packet.ts';

const Terminal = z.discriminatedUnion('type', [ReviewFeedback, ReviewLgtm]);

export const OutsideAnswer = z.object({
  message: Terminal,
  packet: FindingsPacket.nullable(),
  /** Epoch ms on the receiver's clock. */
  atMs: z.number().int().nonnegative(),
});
export type OutsideAnswer = z.output<typeof OutsideAnswer>;

export const PendingReview = z.object({
  v: z.literal(1),
  reviewer: z.string(),
  request: ReviewRequest,
  packet: ReviewPacket,
  askedAtMs: z.number().int().nonnegative(),
  /** Epoch ms. From this time on, no answer is accepted. */
  expiresAtMs: z.number().int().nonnegative(),
  answer: OutsideAnswer.nullable(),
  /** True if the run has ended and no answer is needed. */
  ended: z.boolean(),
  /** True if an earlier request got no answer: an answer that names no request could belong to that request. */
  mustName: z.boolean(),
});
export type PendingReview = z.output<typeof PendingReview>;

export type PendingAnswerText = { readonly message: ReviewMessage; readonly packet: FindingsPacket | null };

export type AnswerJudgement =
  | { readonly kind: 'accepted'; readonly answer: OutsideAnswer }
  | { readonly kind: 'repeated' }
  | { readonly kind: 'refused'; readonly reason: string; readonly expected: string };

/** A refused answer changes nothing; the request keeps waiting for a valid one. */
export const judgeAnswer = (asked: PendingReview | null, said: PendingAnswerText, nowMs: number): AnswerJudgement => {
  const refused = (reason: string, expected: string): AnswerJudgement => ({ kind: 'refused', reason, expected });
  if (asked === null) return refused('no review was requested', UNASKED);
  const message = Terminal.safeParse(said.message);
  if (!message.success) return refused(`${said.message.type} is not an answer`, expectedOf(asked));
  const before = asked.answer;
  if (before !== null && JSON.stringify(before.message) === JSON.stringify(message.data)) return { kind: 'repeated' };
  const stranger = whyAnotherRequest(asked, { ...said, message: message.data });
  if (stranger !== null) return refused(stranger, before === null && !asked.ended ? expectedOf(asked) : UNASKED);
  if (before !== null) return refused('the request already has an answer', UNASKED);
  if (asked.ended) return refused('the review that the message answers has ended', UNASKED);
  if (nowMs >= asked.expiresAtMs) return refused('the message comes too late', UNASKED);
  const mistake = whyNoAnswer(asked, { ...said, message: message.data });
  if (mistake !== null) return refused(mistake, expectedOf(asked));
  return { kind: 'accepted', answer: { message: message.data, packet: said.packet, atMs: nowMs } };
};

const UNASKED = 'nothing until the next review_request';

const expectedOf = ({ reviewer, request, packet }: PendingReview): string =>
  `review_feedback of round ${packet.round} or review_lgtm from ${reviewer} with parent_message_id ${request.id}, ` +
  `about head ${packet.head_sha}`;

type Terminated = Omit<PendingAnswerText, 'message'> & { readonly message: z.output<typeof Terminal> };

/**
 * An answer names its request by id, packet or head. An answer without a name is accepted while no other request is
 * open.
 */
const whyAnotherRequest = ({ reviewer, request, packet, mustName }: PendingReview, said: Terminated): string | null => {
  const { message } = said;
  if (message.from !== reviewer) return `the message does not come from ${reviewer}`;
  const parent = message.parent_message_id ?? null;
  if (parent !== null && parent !== request.id) return 'the message answers another request';
  const source = said.packet?.source_review_packet ?? '';
  const named = source === '' ? null : whyAnotherSource(source, { request, packet });
  if (named !== null) return named;
  return mustName && parent === null && source === '' ? 'the message does not say which request it answers' : null;
};

const SHA = /^[0-9a-f]{7,64}$/;

const whyAnotherSource = (
  source: string,
  { request, packet }: Pick<PendingReview, 'request' | 'packet'>,
): string | null => {
  if ([request.id, packet.packet_id, reviewPacketPath(packet.packet_id)].includes(source)) return null;
  if (!SHA.test(source)) return 'the packet is about another request';
  const resolved = resolveSha(source, [packet.head_sha]);
  return resolved.kind === 'resolved' ? null : 'the packet is about another head';
};

const whyNoAnswer = (asked: PendingReview, { message, packet }: Terminated): string | null => {
  if (message.type === 'review_lgtm') return whyNoPass(asked, message, packet);
  if (message.body.round !== asked.packet.round) return `body.round is ${message.body.round}`;
  if (packet === null) return 'the message comes without its findings packet';
  // A reviewer that ran out of budget may not have reached every finding.
  if (message.body.escalation === ESCALATIONS.budget) return null;
  const missing = asked.packet.open_findings.filter(({ id }) => !packet.findings.some((finding) => finding.id === id));
  return missing.length === 0 ? null : `the packet says nothing about ${missing.map(({ id }) => id).join(', ')}`;
};

const whyNoPass = (
  { packet: given }: PendingReview,
  { body }: ReviewLgtm,
  packet: FindingsPacket | null,
): string | null => {
  if (body.quality_gate_result === 'fail' || !body.merge_ready)
    return 'this is not a pass; send review_feedback instead';
  if ((packet?.summary.blocking_count ?? 0) > 0) return 'the packet has findings that block';
  const blocking = new Set<string>(given.open_findings.filter((finding) => finding.blocking).map(({ id }) => id));
  const deferred = (body.nits ?? []).find(({ source }) => source !== undefined && blocking.has(source));
  return deferred === undefined ? null : `${deferred.source} blocks, so it cannot be a nit`;
};
