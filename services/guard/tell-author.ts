import type { MailboxMessage } from '../../shared/mailbox/mailbox-message.ts';
import type { MessageStore } from '../../shared/mailbox/message-store.ts';
import { type Escalation, ESCALATIONS } from '../../shared/protocol/bodies.ts';
import { channelOf } from '../../shared/protocol/channel.ts';
import { packetPath } from '../../shared/protocol/findings-packet.ts';
import type { HandoffPacket } from '../../shared/protocol/handoff-packet.ts';
import { clampBudget, type ReviewerBudget } from '../../shared/protocol/limits.ts';
import type { ReviewRequest } from '../../shared/protocol/message.ts';
import { type Clean, findingsOnForge } from '../../shared/protocol/round/round-findings.ts';
import { type Handoff, handoffOf, standingThreads } from '../../shared/protocol/round/round-handoff.ts';
import { answerOfRound, type Correspondence, packetIdOf } from '../../shared/protocol/round/round-messages.ts';
import type { PlanContext } from '../../shared/rounds/model/posting/plan-context.ts';
import type { Effect } from '../../shared/rounds/model/effect.ts';
import type { ChangeRequest } from '../../shared/vocabulary/ids.ts';

export type AuthorsOutside = {
  readonly messageStore: Pick<MessageStore, 'send' | 'list'>;
  /** @param path the path of the project, as the forge names it now. */
  readonly namesOf: (of: ChangeRequest, path: string | undefined) => readonly string[];
  readonly ownName: string;
  readonly clean: Clean;
};

type Tell = Effect & { readonly kind: 'tell_author' };

/**
 * Sends the one answer of a review, with a hand-off packet if the bot has handed the change request to people. Sending
 * it again keeps the first message.
 */
export const tellAuthor = async (
  { messageStore, namesOf, ownName, clean }: AuthorsOutside,
  { facts, history, policy }: PlanContext,
  tell: Tell,
): Promise<void> => {
  const of = facts.changeRequest;
  const { review, verdict, head, atMs } = tell;
  const result = {
    round: review,
    maxRounds: policy.rounds.max,
    findings: findingsOnForge(history.threads, review, clean),
    judgement: { verdict, reasons: [] },
    escalation: escalationOf(tell, history.roundsUsed < policy.rounds.max),
    owner: facts.author.login,
    commands: history.reviewed.findLast((each) => each.head === head && each.review === review)?.commands,
  };
  for (const to of namesOf(of, facts.projectPath)) {
    const words = {
      from: ownName,
      to,
      pr: of.number,
      topic: channelOf(of),
      channel: channelOf(of),
      createdAtUtc: new Date(atMs).toISOString().replace(/\.\d{3}/, ''),
      key: `${of.forge}.${of.projectId}.${of.number} ${review} ${head} ${atMs}`,
    };
    const handoff = verdict === 'lgtm' ? null : handoffFor({ facts, history }, { words, review, head }, clean);
    const answer = answerOfRound({ ...result, handoff: handoff?.path }, words);
    await messageStore.send(of, { ...answer, handoff: handoff?.packet ?? null });
  }
};

/** Returns null if the verdict is enough and no escalation is needed. */
const escalationOf = ({ failed, exceeded }: Tell, roundsLeft: boolean): Escalation | null => {
  if (exceeded) return ESCALATIONS.budget;
  return failed && roundsLeft ? ESCALATIONS.failed : null;
};

type Told = Pick<Tell, 'review' | 'head'> & { readonly words: Correspondence };

/** Returns null if no hand-off was posted for this head. */
const handoffFor = (
  { facts, history }: Pick<PlanContext, 'facts' | 'history'>,
  { words, review, head }: Told,
  clean: Clean,
): Handoff | null => {
  const handedOver = history.handoffs.findLast((each) => each.head === head);
  if (handedOver === undefined) return null;
  const { from, pr, topic } = words;
  const beside = packetPath(packetIdOf(words, review));
  const standing = standingThreads(history.threads);
  return handoffOf({ handedOver, from, pr, topic, webUrl: facts.webUrl, beside, standing }, clean);
};

type Listing = Pick<AuthorsOutside, 'messageStore' | 'namesOf'>;

/** A change request, with the path of its project as the forge names it now. */
type Placed = { readonly of: ChangeRequest; readonly path: string | undefined };

const messagesOf = async (
  { messageStore, namesOf }: Listing,
  { of, path }: Placed,
): Promise<readonly (readonly MailboxMessage[])[]> =>
  Promise.all(namesOf(of, path).map(async (name) => messageStore.list(of, name)));

/** An author's request that has no answer yet, with the hand-off packet that came with it. */
export type OpenRequest = { readonly request: ReviewRequest; readonly handoff: HandoffPacket | null };

/** Returns at most one request per author. A request about another branch is ignored. */
export const openRequests = async (
  authors: Listing,
  placed: Placed,
  sourceBranch: string,
): Promise<readonly OpenRequest[]> => {
  const conversations = await messagesOf(authors, placed);
  return conversations.flatMap((messages) => {
    const last = messages.findLast(({ message }) => message.type !== 'review_addressed');
    if (last?.message.type !== 'review_request') return [];
    const isOurs = sourceBranch === '' || last.message.body.branch === sourceBranch;
    return isOurs ? [{ request: last.message, handoff: last.handoff }] : [];
  });
};

/** Open requests may lower the operator's limits but not raise them. */
export const budgetFor = (requests: readonly OpenRequest[], operators: ReviewerBudget): ReviewerBudget =>
  requests.reduce((budget, { request }) => clampBudget(request.body, budget), operators);

/** Returns the last message of each author if it reports work on the feedback of `review`. */
export const addressedBy = async (authors: Listing, placed: Placed, review: number) => {
  const conversations = await messagesOf(authors, placed);
  return conversations.flatMap((messages) => {
    const last = messages.findLast(({ message }) => message.type === 'review_addressed')?.message;
    return last?.type === 'review_addressed' && last.body.round === review ? [last] : [];
  });
};
