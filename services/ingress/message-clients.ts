import { createHash } from 'node:crypto';
import type { Config } from '../../shared/config/load.ts';
import type { Inbox } from '../../shared/queue/inbox.ts';
import type { KnownClient, MessagesDeps } from './messages-route.ts';

/** Returns the clients that have a token for HTTP. Load the configuration with the need `messages`; otherwise the list is empty. */
export const knownClients = ({ messages, secrets }: Pick<Config, 'messages' | 'secrets'>): readonly KnownClient[] =>
  messages.client.flatMap(({ name, role, forge, projectId, match }, index) => {
    const token = secrets.messageTokens[index] ?? '';
    return token === '' ? [] : [{ name, role, forge, projectId, match, token }];
  });

/** Wakes guard with an event that has the message's type but no text. Repeating it for the same message has no effect. */
export const createWake =
  (inbox: Pick<Inbox, 'notify'>, nowMs: () => number): MessagesDeps['wake'] =>
  async (of, { id, type }) => {
    // A message id may contain characters that a job id must not.
    const name = createHash('sha256').update(id).digest('hex').slice(0, 32);
    const event = { source: 'message', id: `message-${name}`, atMs: nowMs(), kind: type } as const;
    await inbox.notify(of, event);
  };
