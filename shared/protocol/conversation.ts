/**
 * The order of messages about one change request between one author and one reviewer. A message out of order is refused with a
 * note of what was expected; a repeated message changes nothing.
 *
 *     idle ──request──▶ requested ──feedback──▶ answered ──addressed──▶ addressed ──request──▶ requested …
 *                           │                                               (until the last round)
 *                           └──lgtm──▶ approved ──request──▶ requested
 *
 * A leading reviewer (see `OrderRules`) may answer in any phase.
 */
import type { MessageType } from './bodies.ts';
import { ESCALATIONS } from './bodies.ts';
import { type ReviewMessage, recipientsOf } from './message.ts';

/**
 * - `idle`: there is no message yet. The first request ends this phase.
 * - `requested`: the reviewer must send exactly one answer, which ends this phase.
 * - `answered`: the author must send `review_addressed`, or may send a new request if nothing needs to be addressed. Either
 *   message ends this phase.
 * - `addressed`, `approved`: the author may request the next round.
 * - `ended`: no round is left or the reviewer escalated; a person continues.
 */
export type MessagePhase = 'idle' | 'requested' | 'answered' | 'addressed' | 'approved' | 'ended';

export type MessageConversation = {
  readonly phase: MessagePhase;
  /** The round of the newest request; 0 before the first request. */
  readonly round: number;
  readonly author: string | null;
  readonly reviewer: string | null;
  readonly pr: number | null;
  /** True if the last feedback has no blocking finding. */
  readonly mayAskAgain: boolean;
  /** The JSON of every message so far, by the message's id. */
  readonly seen: ReadonlyMap<string, string>;
};

export type OrderRules = {
  readonly maxRounds: number;
  /**
   * The name of a reviewer that counts the rounds itself, as Fixpoint does: its answers are always in order and set the
   * round, so only the author must keep the order. If absent, both must.
   */
  readonly leader?: string;
};

export type Order =
  | { readonly kind: 'accepted'; readonly conversation: MessageConversation }
  | { readonly kind: 'repeated' }
  | { readonly kind: 'refused'; readonly reason: string; readonly expected: string };

export const newConversation = (): MessageConversation => ({
  phase: 'idle',
  round: 0,
  author: null,
  reviewer: null,
  pr: null,
  mayAskAgain: false,
  seen: new Map(),
});

export const decideOrder = (conversation: MessageConversation, message: ReviewMessage, rules: OrderRules): Order => {
  const said = JSON.stringify(message);
  const before = conversation.seen.get(message.id);
  if (before === said) return { kind: 'repeated' };
  const expected = whatIsExpected(conversation, rules);
  const refused = (reason: string): Order => ({ kind: 'refused', reason, expected });
  if (before !== undefined) return refused('another message has this id');
  const stranger = whyStranger(conversation, message);
  if (stranger !== null) return refused(stranger);
  if (message.from !== rules.leader) {
    if (!mayComeNow(conversation, message.type, rules)) return refused(`${message.type} is out of order`);
    const wrongRound = whyWrongRound(conversation, message);
    if (wrongRound !== null) return refused(wrongRound);
  }
  return { kind: 'accepted', conversation: after(conversation, message, said, rules) };
};

const FROM_AUTHOR: ReadonlySet<MessageType> = new Set(['review_request', 'review_addressed']);

const whyStranger = (conversation: MessageConversation, message: ReviewMessage): string | null => {
  const { author, reviewer, pr } = conversation;
  const [sender, receiver] = FROM_AUTHOR.has(message.type) ? [author, reviewer] : [reviewer, author];
  if (sender !== null && message.from !== sender) return `${message.type} does not come from ${sender}`;
  if (receiver !== null && !recipientsOf(message).includes(receiver)) return `the message is not for ${receiver}`;
  const about = message.type === 'review_request' ? message.body.pr : Number(message.related_pr ?? pr);
  return pr !== null && about !== pr ? `the message is not about change request ${pr}` : null;
};

const mayComeNow = (conversation: MessageConversation, type: MessageType, rules: OrderRules): boolean =>
  legalTypes(conversation, rules).includes(type);

/** Returns the message types that either side may send next; empty if there are none. */
export const legalTypes = (conversation: MessageConversation, { maxRounds }: OrderRules): readonly MessageType[] => {
  const mayRequest = conversation.round < maxRounds;
  switch (conversation.phase) {
    case 'requested':
      return ['review_feedback', 'review_lgtm'];
    case 'answered':
      return conversation.mayAskAgain && mayRequest ? ['review_addressed', 'review_request'] : ['review_addressed'];
    case 'idle':
    case 'addressed':
    case 'approved':
      return mayRequest ? ['review_request'] : [];
    case 'ended':
      return [];
    default:
      return conversation.phase satisfies never;
  }
};

const whyWrongRound = ({ round }: MessageConversation, message: ReviewMessage): string | null =>
  (message.type === 'review_feedback' || message.type === 'review_addressed') && message.body.round !== round
    ? `body.round is ${message.body.round}`
    : null;

/** Explains to the sender of a message out of order what was expected, for example `review_addressed of round 1 from ann`. */
export const whatIsExpected = (conversation: MessageConversation, rules: OrderRules): string => {
  const { round, author, reviewer, phase } = conversation;
  const legal = legalTypes(conversation, rules);
  if (legal.length === 0) return phase === 'ended' ? 'nothing more: a human decides' : 'nothing more: no round is left';
  const named = legal.map((type) => {
    const from = (FROM_AUTHOR.has(type) ? author : reviewer) ?? 'the author';
    return `${type} of round ${type === 'review_request' ? round + 1 : round} from ${from}`;
  });
  return named.join(' or ');
};

const after = (
  conversation: MessageConversation,
  message: ReviewMessage,
  said: string,
  rules: OrderRules,
): MessageConversation => {
  const seen = new Map([...conversation.seen, [message.id, said]]);
  switch (message.type) {
    case 'review_request': {
      const { from, body } = message;
      const reviewer = conversation.reviewer ?? recipientsOf(message)[0] ?? null;
      const round = conversation.round + 1;
      return { phase: 'requested', round, author: from, reviewer, pr: body.pr, mayAskAgain: false, seen };
    }
    case 'review_feedback': {
      const { escalation, blocking_count: blocking, round } = message.body;
      const ended = escalation === ESCALATIONS.maxRounds || round >= rules.maxRounds;
      const phase = ended ? 'ended' : 'answered';
      return { ...conversation, ...partiesOf(conversation, message), phase, round, mayAskAgain: blocking === 0, seen };
    }
    case 'review_addressed':
      return { ...conversation, phase: 'addressed', seen };
    case 'review_lgtm':
      return { ...conversation, ...partiesOf(conversation, message), phase: 'approved', seen };
    default:
      return message satisfies never;
  }
};

/**
 * A leading reviewer may send the first message. The author's name is then read from the recipients of that message.
 */
const partiesOf = (
  { author, reviewer, pr }: MessageConversation,
  message: ReviewMessage,
): Pick<MessageConversation, 'author' | 'reviewer' | 'pr'> => ({
  author: author ?? recipientsOf(message)[0] ?? null,
  reviewer: reviewer ?? message.from,
  pr: pr ?? (message.related_pr === undefined ? null : Number(message.related_pr)),
});

/** Rebuilds the conversation from messages in their order; refused messages are ignored. */
export const replayConversation = (messages: readonly ReviewMessage[], rules: OrderRules): MessageConversation =>
  messages.reduce((conversation, message) => {
    const order = decideOrder(conversation, message, rules);
    return order.kind === 'accepted' ? order.conversation : conversation;
  }, newConversation());
