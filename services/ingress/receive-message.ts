import type { NamedClient } from '../../shared/config/projects/message-reach.ts';
import type { Logger } from '../../shared/logger.ts';
import type { ReviewRequestStore } from '../../shared/mailbox/review-request-store.ts';
import { MAX_UNKNOWN, type UnknownChangeRequests } from '../../shared/mailbox/unknown-change-requests.ts';
import type { MessageStore, Sending } from '../../shared/mailbox/message-store.ts';
import { type ReviewMessage, recipientsOf } from '../../shared/protocol/message.ts';
import type { Problem } from '../../shared/protocol/yaml/problem.ts';
import type { ChangeRequest } from '../../shared/vocabulary/ids.ts';
import type { ClientRights } from './client-rights.ts';
import { judgeMessage } from './judge-message.ts';

export type Speaker = NamedClient;

export type ReceiveDeps = {
  readonly messageStore: Pick<MessageStore, 'send'>;
  readonly requestStore: Pick<ReviewRequestStore, 'answer'>;
  readonly rights: ClientRights;
  /** Every external program in the configuration. */
  readonly programs: readonly NamedClient[];
  /** The name that Fixpoint uses in messages. */
  readonly ownName: string;
  /** Returns the source branch that guard last read; null if it is unknown. */
  readonly branchOf: (of: ChangeRequest) => Promise<string | null>;
  readonly unknown: UnknownChangeRequests;
  /** Contract: makes guard process the change request again; rejects if that is not certain. */
  readonly wake: (of: ChangeRequest, message: ReviewMessage) => Promise<void>;
  readonly log: Logger;
};

export type Receipt =
  | { readonly kind: 'malformed'; readonly problems: readonly Problem[] }
  /** The client has no permission to send this message. */
  | { readonly kind: 'forbidden'; readonly reason: string }
  /** The message is out of order; nothing was changed. */
  | { readonly kind: 'refused'; readonly reason: string; readonly expected: string }
  | Taken;

/** `repeated`: the message was already stored. Guard is woken even then, because the earlier attempt may have failed before waking it. */
export type Taken =
  | { readonly kind: 'accepted'; readonly id: string }
  | { readonly kind: 'repeated'; readonly id: string };

/** Rejects if it is not certain that the message was stored and guard was woken. */
export const receiveMessage = async (deps: ReceiveDeps, speaker: Speaker, text: string): Promise<Receipt> => {
  const judgement = judgeMessage(speaker, text);
  if (judgement.kind === 'malformed') return judgement;
  if (judgement.kind === 'forbidden') return forbid(deps, speaker, judgement.reason);
  const { changeRequest: of, message, packet, handoff } = judgement;
  if ((await deps.rights(speaker, of)) === null) return forbid(deps, speaker, NOT_ITS_PROJECT);
  if (!(await knowsRecipients(deps, of, message)))
    return forbid(deps, speaker, `this token may send messages only to ${deps.ownName} and to clients of this project`);
  const fields = { forge: of.forge, project: of.projectId, changeRequest: of.number, type: message.type };
  const order = (await askedElsewhere(deps, of, message)) ?? (await take(deps, of, { message, packet, handoff }));
  if (order.kind === 'refused') {
    deps.log.info({ ...fields, reason: order.reason }, 'message out of order');
    return order;
  }
  await deps.wake(of, message);
  deps.log.info({ ...fields, outcome: order.kind }, 'message stored');
  return { kind: order.kind, id: message.id };
};

/** The same for a project of others, an unknown project and an unknown forge, so that the answer reveals nothing. */
const NOT_ITS_PROJECT = 'this token is not allowed for this project';

/** A mailbox holds a limited number of messages, so a program of another project must not be able to fill it. */
const knowsRecipients = async (
  { programs, rights, ownName }: ReceiveDeps,
  of: ChangeRequest,
  message: ReviewMessage,
): Promise<boolean> => {
  const others = recipientsOf(message).filter((name) => name !== ownName);
  const named = programs.filter(({ name }) => others.includes(name));
  const seen = await Promise.all(
    named.map(async (program) => ((await rights(program, of)) === null ? '' : program.name)),
  );
  return others.every((name) => seen.includes(name));
};

const forbid = ({ log }: ReceiveDeps, { name: client }: Speaker, reason: string): Receipt => {
  log.warn({ client, reason }, 'message refused');
  return { kind: 'forbidden', reason };
};

/** Refuses a request about an invented number, or for another branch, whose answer would count for the wrong change. */
const askedElsewhere = async ({ branchOf, unknown }: ReceiveDeps, of: ChangeRequest, message: ReviewMessage) => {
  if (message.type !== 'review_request') return null;
  if (!(await unknown.mayAsk(of, message.from))) return TOO_MANY_UNKNOWN;
  const branch = await branchOf(of);
  if (branch === null || message.body.branch === branch) return null;
  const reason = `body.branch is not the source branch of change request ${of.number}`;
  return { kind: 'refused', reason, expected: branch } as const;
};

const TOO_MANY_UNKNOWN = {
  kind: 'refused',
  reason: `${MAX_UNKNOWN} change requests that this author asked about in this project are unknown: they do not exist, or Fixpoint has not read them yet`,
  expected: 'the number of a change request that exists',
} as const;

/** A reviewer's message to Fixpoint answers Fixpoint's request; any other message belongs to a conversation. */
const take = async ({ requestStore, messageStore, ownName }: ReceiveDeps, of: ChangeRequest, said: Sending) => {
  const { message } = said;
  const answers = message.type === 'review_feedback' || message.type === 'review_lgtm';
  return answers && recipientsOf(message).includes(ownName)
    ? requestStore.answer(of, said)
    : messageStore.send(of, said);
};
