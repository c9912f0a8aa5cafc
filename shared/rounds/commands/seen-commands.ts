/**
 * Webhooks and sweeps report the same comments, so comments that were handled are remembered. After Redis was lost,
 * comments older than the bot's last comment count as handled.
 */
import type { ForgeComment } from '../../forge/port-facts.ts';
import type { ForgeEvent, InboxEvent } from '../model/events.ts';
import type { ReviewCommand } from '../model/facts.ts';
import { type SeenCommands, MAX_SEEN_COMMANDS } from '../model/state.ts';

const MAX_KEY = 60;

/** The kind is part of the key, because Forgejo and Gitea number reviews and comments separately. */
export const commandKey = ({ kind, id }: Pick<ForgeComment, 'kind' | 'id'>): string =>
  kind === 'review_body' ? `review-${id}` : id;

export const isOlderThan = (heard: SeenCommands, comment: ForgeComment): boolean => saidAtMs(comment) < heard.untilMs;

/** Returns when a comment became visible. The creation date of a review is earlier: it says when the review was begun. */
const saidAtMs = ({ kind, createdAtMs, updatedAtMs }: ForgeComment): number =>
  kind === 'review_body' ? Math.max(createdAtMs, updatedAtMs) : createdAtMs;

export const seenSoFar = (
  stored: SeenCommands | null,
  comments: readonly ForgeComment[],
  botIds: ReadonlySet<number>,
): SeenCommands => {
  if (stored !== null) return stored;
  const own = comments.filter(({ author }) => author !== null && botIds.has(author.id));
  return { untilMs: Math.max(0, ...own.map(({ updatedAtMs }) => updatedAtMs)), keys: [] };
};

const grantKey = ({ id }: ForgeEvent): string => `grant-${id}`.slice(0, MAX_KEY);

/** An operator's grant has no comment on the forge, so the id of its event is remembered. */
export const isGrant = (event: InboxEvent): event is ForgeEvent & { readonly grantsRound: true } =>
  event.source === 'forge' && event.byOperator === true && event.grantsRound === true;

export const isSeenGrant = ({ keys }: SeenCommands, event: ForgeEvent): boolean => keys.includes(grantKey(event));

export const withGrantsOf = (heard: SeenCommands, events: readonly InboxEvent[]): SeenCommands => {
  const grants = events.filter(isGrant).map(grantKey);
  return grants.length === 0 ? heard : { ...heard, keys: [...heard.keys, ...grants] };
};

/** If the list exceeds its limit, a time replaces it: older comments then count as handled. */
export const markSeen = (heard: SeenCommands, requests: readonly Call[], nowMs: number): SeenCommands => {
  const keys = [...new Set([...heard.keys, ...requests.map(callKeyOf)])];
  return keys.length > MAX_SEEN_COMMANDS ? { untilMs: nowMs, keys: [] } : { ...heard, keys };
};

type Call = Pick<ReviewCommand, 'kind' | 'noteId'>;

const callKeyOf = ({ kind, noteId }: Call): string => commandKey({ kind, id: String(noteId) });
