import { setImmediate } from 'node:timers/promises';
import { hasForgeCode } from '../../shared/forge/errors.ts';
import { mayTrigger } from '../../shared/forge/may-trigger.ts';
import { isIgnoredBot } from '../../shared/forge/other-bots.ts';
import type { ForgeComment } from '../../shared/forge/port-facts.ts';
import { findUnansweredReplies, isInOpenThread } from '../../shared/rounds/commands/unanswered-replies.ts';
import { isNewCommand } from '../../shared/rounds/commands/new-commands.ts';
import { STATUS_CONTEXT } from '../../shared/vocabulary/status-place.ts';
import type { ForgeEvent, InboxEvent } from '../../shared/rounds/model/events.ts';
import type { Policy } from '../../shared/rounds/model/policy.ts';
import type { Facts } from '../../shared/rounds/model/facts.ts';
import { seenSoFar } from '../../shared/rounds/commands/seen-commands.ts';
import { readOwnMarkers, type RememberedSummary } from '../../shared/rounds/memory/own-markers.ts';
import { rebuildHistory } from '../../shared/rounds/memory/rebuild-history.ts';
import type { History } from '../../shared/rounds/model/history.ts';
import { inputOf } from '../../shared/rounds/model/input.ts';
import { statusByMarkers } from '../../shared/rounds/plan/place-status.ts';
import type { UserCommand } from '../../shared/rounds/model/user-command.ts';
import type { SeenCommands } from '../../shared/rounds/model/state.ts';
import { type ChangeRequest, changeRequestKey } from '../../shared/vocabulary/ids.ts';
import { withStatusOf } from './announced.ts';
import { authorizeReplies } from './authorize-replies.ts';
import { createListener, authorizeCommands } from './authorize-commands.ts';
import type { KnownForge } from './deps.ts';
import { fetchFixFacts } from './fix-facts.ts';

export type FactsRequest = {
  readonly forge: KnownForge;
  readonly of: ChangeRequest;
  readonly events: readonly InboxEvent[];
  /** Null if no seen commands are stored. */
  readonly seenCommands: SeenCommands | null;
  /** True if guard has no state of the change request: it is new, or Redis was lost. Absent means false. */
  readonly isUnknown?: boolean;
  /** The last summary that guard saw. Absent or null if guard has seen none. */
  readonly remembered?: RememberedSummary | null;
  readonly markerSecrets: readonly string[];
  readonly policy: Pick<Policy, 'author'>;
  /** The policy of the project that the forge names. If absent, it is `policy`. */
  readonly policyOf?: (projectPath: string | undefined) => Pick<Policy, 'author'>;
  /** Whether the project that the forge names has an external author. Absent means false. */
  readonly hasAuthorOutside?: (projectPath: string | undefined) => boolean;
  readonly signal: AbortSignal;
};

export const fetchFacts = async (request: FactsRequest): Promise<Facts> => {
  const { forge, of, events, markerSecrets, signal } = request;
  const { botIds } = forge;
  const [changeRequest, comments] = await Promise.all([
    forge.read.fetchChangeRequest(of, signal),
    forge.read.fetchComments(of, signal),
  ]);
  const { remembered = null } = request;
  const shown = rebuildHistory({ comments, key: changeRequestKey(of), botIds, secrets: markerSecrets, remembered });
  const history = request.isUnknown === true ? await withStatusOf(request, { changeRequest, history: shown }) : shown;
  const seenCommands = seenSoFar(request.seenCommands, comments, botIds);
  const spokenOf = createListener(forge.mention);
  const fresh = comments.filter((comment) => isNewCommand(comment, events, seenCommands));
  const calls = await filterInTurn(fresh, (comment) => isCall(comment, spokenOf(comment), { forge, history }), signal);
  const [forFix, others] = partition(calls, (comment) => spokenOf(comment)?.kind === 'fix');
  const { requests, orders } = await authorizeCommands({ forge, of, calls: others, comments, spokenOf }, signal);
  const policy = policyOf(request, changeRequest);
  const fix = await fetchFixFacts(forge, { changeRequest, history, calls: forFix, policy }, signal);
  const otherBotIds = await findOtherBots(request);
  const mayRequest = await findRequesters(request);
  const answers = await fetchAnswers(request, { changeRequest, history, comments });
  const hasAuthorOutside = request.hasAuthorOutside?.(changeRequest?.projectPath) ?? false;
  const wrongStatus = await isStatusWrong(request, { changeRequest, history });
  return {
    changeRequest,
    history,
    botIds,
    mention: forge.mention,
    otherBotIds,
    mayRequest,
    requests,
    orders,
    seenCommands,
    answers,
    fix,
    ci: null,
    hasAuthorOutside,
    wrongStatus,
  };
};

const policyOf = (request: FactsRequest, changeRequest: Facts['changeRequest']): Pick<Policy, 'author'> =>
  changeRequest === null ? request.policy : (request.policyOf?.(changeRequest.projectPath) ?? request.policy);

type Read = Pick<Facts, 'changeRequest' | 'history'> & { readonly comments: readonly ForgeComment[] };

const fetchAnswers = async (
  { forge, of, markerSecrets, signal }: FactsRequest,
  { changeRequest, history, comments }: Read,
): Promise<Facts['answers']> => {
  if (changeRequest === null) return [];
  const { botIds, mention } = forge;
  const { own } = readOwnMarkers({ comments, key: changeRequestKey(of), botIds, secrets: markerSecrets });
  const unanswered = findUnansweredReplies({ comments, threads: history.threads, own, botIds, mention });
  return authorizeReplies(unanswered, { forge, changeRequest }, signal);
};

/** This is only checked during a sweep, because a status that was written late or by hand sends no event. */
const isStatusWrong = async (
  { forge, of, events, signal }: FactsRequest,
  { changeRequest, history }: Pick<Facts, 'changeRequest' | 'history'>,
): Promise<boolean> => {
  if (changeRequest?.state !== 'open' || !events.some(({ source }) => source === 'sweep')) return false;
  const expected = statusByMarkers(history, inputOf(changeRequest));
  // A pending status may be missing, unless the commit has several status places.
  if (expected.state === 'pending' && changeRequest.statusPlace === undefined) return false;
  try {
    const statuses = await forge.read.fetchStatuses(of, changeRequest.head, signal);
    const own = statuses.filter(({ context }) => context === STATUS_CONTEXT);
    const standing = own.find(({ elsewhere }) => elsewhere !== true);
    if (standing === undefined) return own.length > 0;
    return expected.state !== 'pending' && standing.state !== expected.state;
  } catch (error) {
    if (hasForgeCode(error, 'FORGE_FORBIDDEN', 'FORGE_NOT_FOUND')) return false;
    throw error;
  }
};

const partition = <Item>(
  items: readonly Item[],
  fits: (item: Item) => boolean,
): readonly [readonly Item[], readonly Item[]] => [items.filter(fits), items.filter((item) => !fits(item))];

/** A mention in the thread of an open finding is a reply unless it is a command. */
const isCall = (
  comment: ForgeComment,
  spoken: UserCommand | null,
  { forge: { botIds }, history: { threads } }: { readonly forge: KnownForge; readonly history: History },
): boolean => {
  if (comment.author === null || botIds.has(comment.author.id)) return false;
  return spoken !== null && !(spoken.kind === 'text' && isInOpenThread(comment, threads));
};

/** Parsing a comment can take a few hundred milliseconds, so other jobs may run between two comments. */
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

/** The event of a review request to several reviewers names none of them. */
const asksUs = ({ kind, requestedReviewerId: id }: ForgeEvent, { botIds }: KnownForge): boolean =>
  kind === 'review_requested' && (id === null || botIds.has(id));

/** Returns the people whose review requests count as commands; the forge also lets other people use the button. */
const findRequesters = async ({ forge, of, events, signal }: FactsRequest): Promise<ReadonlySet<number>> => {
  const asking = new Map(
    events.flatMap((event) =>
      event.source === 'forge' && asksUs(event, forge) && event.actorId !== null
        ? [[event.actorId, event.actorLogin ?? '']]
        : [],
    ),
  );
  const found = new Set<number>();
  for (const [id, login] of asking) {
    // Some forges need the login to check the permission. Without a login, the request is an ordinary trigger.
    if (login === '') continue;
    const question = { actor: { id, login }, action: 'review', projectId: of.projectId } as const;
    if (await mayTrigger(forge, question, signal)) found.add(id);
  }
  return found;
};

/** Bot accounts are only looked up among people who request a review, because no other event is a command. */
const findOtherBots = async ({ forge, events, signal }: FactsRequest): Promise<ReadonlySet<number>> => {
  const asking = events.flatMap((event) =>
    event.source === 'forge' && event.kind === 'review_requested' && event.actorId !== null ? [event.actorId] : [],
  );
  const found = new Set(forge.otherBots.ignored);
  for (const id of new Set(asking)) if (await isIgnoredBot(forge.otherBots, id, signal)) found.add(id);
  return found;
};
