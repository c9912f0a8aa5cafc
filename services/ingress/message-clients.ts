import { createHash } from 'node:crypto';
import type { Config } from '../../shared/config/load.ts';
import type { Inbox } from '../../shared/queue/inbox.ts';
import type { KnownClient, MessagesDeps } from './messages-route.ts';

/**
 * Those that speak over HTTP. The configuration must have been loaded with the need `messages`; else nobody is known.
 */
export const knownClients = ({ messages, secrets }: Pick<Config, 'messages' | 'secrets'>): readonly KnownClient[] =>
  messages.client.flatMap(({ name, role, forge, projectId }, index) => {
    const token = secrets.messageTokens[index] ?? '';
    return token === '' ? [] : [{ name, role, forge, projectId, token }];
  });

/** Guard gets the kind of the message and no word of it. The same message wakes it once. */
export const createWake =
  (inbox: Pick<Inbox, 'notify'>, nowMs: () => number): MessagesDeps['wake'] =>
  async (of, { id, type }) => {
    // A message's id may hold what the id of a job may not.
    const name = createHash('sha256').update(id).digest('hex').slice(0, 32);
    const event = { source: 'message', id: `message-${name}`, atMs: nowMs(), kind: type } as const;
    await inbox.notify(of, event);
  };
