/**
 * Which comments that address the bot were looked at, whatever the answer was: webhooks and sweeps tell of the same
 * comment, and a call is one call. After a wipe of Redis what is older than the bot's last word counts as heard.
 */
import type { ForgeComment } from '../../forge/port-facts.ts';
import type { ReviewCommand } from '../model/facts.ts';
import { type SeenCommands, MAX_SEEN_COMMANDS } from '../model/state.ts';

/** Reviews and comments of Forgejo and Gitea count their ids separately. */
export const commandKey = ({ kind, id }: Pick<ForgeComment, 'kind' | 'id'>): string =>
  kind === 'review_body' ? `review-${id}` : id;

export const isOlderThan = (heard: SeenCommands, comment: ForgeComment): boolean => saidAtMs(comment) < heard.untilMs;

/** A review is dated by its beginning: it is said when it is submitted. */
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

/** Past the cap the list gives way to the newest time in it: what is older is not heard again. */
export const markSeen = (heard: SeenCommands, requests: readonly Call[], nowMs: number): SeenCommands => {
  const keys = [...new Set([...heard.keys, ...requests.map(callKeyOf)])];
  return keys.length > MAX_SEEN_COMMANDS ? { untilMs: nowMs, keys: [] } : { ...heard, keys };
};

type Call = Pick<ReviewCommand, 'kind' | 'noteId'>;

const callKeyOf = ({ kind, noteId }: Call): string => commandKey({ kind, id: String(noteId) });
