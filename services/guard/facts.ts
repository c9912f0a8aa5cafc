import { mayTrigger } from '../../shared/forge/may-trigger.ts';
import { isIgnoredBot } from '../../shared/forge/other-bots.ts';
import type { Account, ForgeComment } from '../../shared/forge/port.ts';
import { isNewlySaid } from '../../shared/rounds/calls.ts';
import type { InboxEvent } from '../../shared/rounds/events.ts';
import type { Facts, Policy, Request } from '../../shared/rounds/facts.ts';
import { heardSoFar } from '../../shared/rounds/heard.ts';
import { rebuildHistory } from '../../shared/rounds/history.ts';
import { addressesBot, asksForFix } from '../../shared/rounds/mention.ts';
import type { Heard } from '../../shared/rounds/state.ts';
import { type ChangeRequest, changeRequestKey } from '../../shared/rounds/vocabulary.ts';
import type { KnownForge } from './deps.ts';
import { fetchFixFacts } from './fix-facts.ts';

export type FactsRequest = {
  readonly forge: KnownForge;
  readonly of: ChangeRequest;
  readonly events: readonly InboxEvent[];
  /** As stored; null when nothing is. */
  readonly heard: Heard | null;
  readonly markerSecrets: readonly string[];
  readonly policy: Pick<Policy, 'author'>;
  readonly signal: AbortSignal;
};

/** Everything that the waiting events need, read once from the forge. */
export const fetchFacts = async (request: FactsRequest): Promise<Facts> => {
  const { forge, of, events, markerSecrets, signal } = request;
  const { botIds } = forge;
  const [changeRequest, comments] = await Promise.all([
    forge.read.fetchChangeRequest(of, signal),
    forge.read.fetchComments(of, signal),
  ]);
  const history = rebuildHistory({ comments, key: changeRequestKey(of), botIds, secrets: markerSecrets });
  const heard = heardSoFar(request.heard, comments, botIds);
  const calls = comments.filter((comment) => isCall(comment, forge) && isNewlySaid(comment, events, heard));
  const [forFix, others] = partition(calls, ({ body }) => asksForFix(body, forge.mention));
  const requests = await judgeCalls(others, request);
  const fix = await fetchFixFacts(forge, { changeRequest, history, calls: forFix, policy: request.policy }, signal);
  const otherBotIds = await findOtherBots(request);
  return { changeRequest, history, botIds, otherBotIds, requests, heard, fix };
};

const partition = <Item>(
  items: readonly Item[],
  fits: (item: Item) => boolean,
): readonly [readonly Item[], readonly Item[]] => [items.filter(fits), items.filter((item) => !fits(item))];

const isCall = ({ author, body }: ForgeComment, { botIds, mention }: KnownForge): boolean =>
  author !== null && !botIds.has(author.id) && addressesBot(body, mention);

/** Who may command is asked again for every request: the answer at the time of the event may not hold any more. */
const judgeCalls = async (
  calls: readonly ForgeComment[],
  { forge, of, signal }: FactsRequest,
): Promise<readonly Request[]> => {
  const asked = new Map<number, Promise<boolean>>();
  const mayReview = async (actor: Account): Promise<boolean> => {
    const known =
      asked.get(actor.id) ?? mayTrigger(forge, { actor, action: 'review', projectId: of.projectId }, signal);
    asked.set(actor.id, known);
    return known;
  };
  return Promise.all(
    calls.flatMap(({ id, kind, author }) =>
      author === null ? [] : [toRequest({ noteId: Number(id), kind, authorId: author.id }, mayReview(author))],
    ),
  );
};

const toRequest = async (said: Omit<Request, 'command' | 'allowed'>, may: Promise<boolean>): Promise<Request> => ({
  ...said,
  command: 'review',
  allowed: await may,
});

/** The forge is asked only about those who ask for a review: nothing else that somebody does is a command. */
const findOtherBots = async ({ forge, events, signal }: FactsRequest): Promise<ReadonlySet<number>> => {
  const asking = events.flatMap((event) =>
    event.source === 'forge' && event.kind === 'review_requested' && event.actorId !== null ? [event.actorId] : [],
  );
  const found = new Set(forge.otherBots.ignored);
  for (const id of new Set(asking)) if (await isIgnoredBot(forge.otherBots, id, signal)) found.add(id);
  return found;
};
