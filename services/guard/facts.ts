import { setImmediate } from 'node:timers/promises';
import { isIgnoredBot } from '../../shared/forge/other-bots.ts';
import type { ForgeComment } from '../../shared/forge/port.ts';
import { findUnanswered, isInOpenThread } from '../../shared/rounds/answers.ts';
import { isNewlySaid } from '../../shared/rounds/calls.ts';
import type { InboxEvent } from '../../shared/rounds/events.ts';
import type { Facts, Policy } from '../../shared/rounds/facts.ts';
import { heardSoFar } from '../../shared/rounds/heard.ts';
import { type History, readOwnMarkers, rebuildHistory } from '../../shared/rounds/history.ts';
import type { Spoken } from '../../shared/rounds/spoken.ts';
import type { RememberedSummary } from '../../shared/rounds/remembered.ts';
import type { Heard } from '../../shared/rounds/state.ts';
import { type ChangeRequest, changeRequestKey } from '../../shared/rounds/vocabulary.ts';
import { selectAnswers } from './answers.ts';
import { createListener, judgeCalls } from './calls.ts';
import type { KnownForge } from './deps.ts';
import { fetchFixFacts } from './fix-facts.ts';

export type FactsRequest = {
  readonly forge: KnownForge;
  readonly of: ChangeRequest;
  readonly events: readonly InboxEvent[];
  /** As stored; null when nothing is. */
  readonly heard: Heard | null;
  /** As seen last; absent or null for never. */
  readonly remembered?: RememberedSummary | null;
  readonly markerSecrets: readonly string[];
  readonly policy: Pick<Policy, 'author'>;
  /** Absent: no. */
  readonly hasAuthorOutside?: boolean;
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
  const { remembered = null } = request;
  const history = rebuildHistory({ comments, key: changeRequestKey(of), botIds, secrets: markerSecrets, remembered });
  const heard = heardSoFar(request.heard, comments, botIds);
  const spokenOf = createListener(forge.mention);
  const fresh = comments.filter((comment) => isNewlySaid(comment, events, heard));
  const calls = await filterInTurn(fresh, (comment) => isCall(comment, spokenOf(comment), { forge, history }), signal);
  const [forFix, others] = partition(calls, (comment) => spokenOf(comment)?.kind === 'fix');
  const { requests, orders } = await judgeCalls({ forge, of, calls: others, comments, spokenOf }, signal);
  const fix = await fetchFixFacts(forge, { changeRequest, history, calls: forFix, policy: request.policy }, signal);
  const otherBotIds = await findOtherBots(request);
  const answers = await fetchAnswers(request, { changeRequest, history, comments });
  const { hasAuthorOutside = false } = request;
  return {
    changeRequest,
    history,
    botIds,
    mention: forge.mention,
    otherBotIds,
    requests,
    orders,
    heard,
    answers,
    fix,
    ci: null,
    hasAuthorOutside,
  };
};

type Read = Pick<Facts, 'changeRequest' | 'history'> & { readonly comments: readonly ForgeComment[] };

const fetchAnswers = async (
  { forge, of, markerSecrets, signal }: FactsRequest,
  { changeRequest, history, comments }: Read,
): Promise<Facts['answers']> => {
  if (changeRequest === null) return [];
  const { botIds, mention } = forge;
  const { own } = readOwnMarkers({ comments, key: changeRequestKey(of), botIds, secrets: markerSecrets });
  const unanswered = findUnanswered({ comments, threads: history.threads, own, botIds, mention });
  return selectAnswers(unanswered, { forge, changeRequest }, signal);
};

const partition = <Item>(
  items: readonly Item[],
  fits: (item: Item) => boolean,
): readonly [readonly Item[], readonly Item[]] => [items.filter(fits), items.filter((item) => !fits(item))];

/** A mention among the answers in an open thread is an answer, unless it is a command. */
const isCall = (
  comment: ForgeComment,
  spoken: Spoken | null,
  { forge: { botIds }, history: { threads } }: { readonly forge: KnownForge; readonly history: History },
): boolean => {
  if (comment.author === null || botIds.has(comment.author.id)) return false;
  return spoken !== null && !(spoken.kind === 'text' && isInOpenThread(comment, threads));
};

/** Parsing a comment takes up to some hundred milliseconds: each is parsed once, and other jobs run between two. */
const filterInTurn = async (
  comments: readonly ForgeComment[],
  fits: (comment: ForgeComment) => boolean,
  signal: AbortSignal,
): Promise<readonly ForgeComment[]> => {
  const kept: ForgeComment[] = [];
  for (const comment of comments) {
    if (fits(comment)) kept.push(comment);
    await setImmediate(undefined, { signal });
  }
  return kept;
};

/** The forge is asked only about those who ask for a review: nothing else that somebody does is a command. */
const findOtherBots = async ({ forge, events, signal }: FactsRequest): Promise<ReadonlySet<number>> => {
  const asking = events.flatMap((event) =>
    event.source === 'forge' && event.kind === 'review_requested' && event.actorId !== null ? [event.actorId] : [],
  );
  const found = new Set(forge.otherBots.ignored);
  for (const id of new Set(asking)) if (await isIgnoredBot(forge.otherBots, id, signal)) found.add(id);
  return found;
};
