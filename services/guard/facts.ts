import { mayTrigger } from '../../shared/forge/may-trigger.ts';
import type { ForgeComment } from '../../shared/forge/port.ts';
import type { InboxEvent } from '../../shared/rounds/events.ts';
import type { Facts, Request } from '../../shared/rounds/facts.ts';
import { rebuildHistory } from '../../shared/rounds/history.ts';
import { addressesBot } from '../../shared/rounds/mention.ts';
import { type ChangeRequest, changeRequestKey } from '../../shared/rounds/vocabulary.ts';
import type { KnownForge } from './deps.ts';

export type FactsRequest = {
  readonly forge: KnownForge;
  readonly of: ChangeRequest;
  readonly events: readonly InboxEvent[];
  readonly markerSecrets: readonly string[];
  readonly signal: AbortSignal;
};

/** Everything that the waiting events need, read once from the forge. */
export const fetchFacts = async ({ forge, of, events, markerSecrets, signal }: FactsRequest): Promise<Facts> => {
  const [changeRequest, comments] = await Promise.all([
    forge.read.fetchChangeRequest(of, signal),
    forge.read.fetchComments(of, signal),
  ]);
  const history = rebuildHistory({ comments, key: changeRequestKey(of), botIds: forge.botIds, secrets: markerSecrets });
  const requests = await fetchRequests(forge, of, { comments, events, signal });
  return { changeRequest, history, botIds: forge.botIds, requests };
};

type RequestSources = {
  readonly comments: readonly ForgeComment[];
  readonly events: readonly InboxEvent[];
  readonly signal: AbortSignal;
};

/** Who may command is asked again for every request: the answer at the time of the event may not hold any more. */
const fetchRequests = async (
  forge: KnownForge,
  of: ChangeRequest,
  sources: RequestSources,
): Promise<readonly Request[]> => {
  const { comments, events, signal } = sources;
  const asked = new Set(
    events.flatMap((event) => (event.source === 'forge' && event.kind === 'comment' ? [String(event.noteId)] : [])),
  );
  const addressed = comments.filter(
    ({ id, author, body }) =>
      asked.has(id) && author !== null && !forge.botIds.has(author.id) && addressesBot(body, forge.mention),
  );
  return Promise.all(
    addressed.map(async ({ id, author }) => ({
      noteId: Number(id),
      command: 'review' as const,
      allowed:
        author !== null &&
        (await mayTrigger(forge.read, { actor: author, action: 'review', projectId: of.projectId }, signal)),
    })),
  );
};
