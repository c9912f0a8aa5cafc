/** The messages for an external program: those of its project, or those of every project that its patterns match now. */
import type { Box, MailboxMessage } from '../../shared/mailbox/mailbox-message.ts';
import type { MailOfProjects } from '../../shared/mailbox/mail-of-projects.ts';
import type { MessageStore } from '../../shared/mailbox/message-store.ts';
import type { ClientRights, SeenProject } from './client-rights.ts';
import type { Speaker } from './receive-message.ts';

export type MailDeps = {
  readonly messageStore: Pick<MessageStore, 'read'>;
  readonly mail: Pick<MailOfProjects, 'read'>;
  readonly rights: ClientRights;
};

export type Mail = {
  /** `project` is set for a client with patterns. */
  readonly messages: readonly (MailboxMessage & { readonly cursor: string; readonly project?: SeenProject })[];
  /** The position that was read up to. */
  readonly next: string | null;
};

/** Null for a client with patterns, which has no mailbox of its own. */
export const boxOf = ({ name, forge, projectId }: Speaker): Box | null =>
  forge === null || projectId === null ? null : { forge, projectId, name };

export const readMail = async (
  { messageStore, mail, rights }: MailDeps,
  client: Speaker,
  after: string | null,
): Promise<Mail> => {
  const box = boxOf(client);
  if (box === null) return mail.read(client.name, after, async (project) => rights(client, project));
  const messages = await messageStore.read(box, after);
  return { messages, next: messages.at(-1)?.cursor ?? after };
};

type FindDeps = {
  readonly messageStore: Pick<MessageStore, 'find'>;
  readonly mail: Pick<MailOfProjects, 'find'>;
  readonly rights: ClientRights;
};

/** The position of a message. Null if there is no such message that the client may see. */
export const findMail = async (
  { messageStore, mail, rights }: FindDeps,
  client: Speaker,
  id: string,
): Promise<string | null> => {
  const box = boxOf(client);
  return box === null
    ? mail.find(client.name, id, async (project) => rights(client, project))
    : messageStore.find(box, id);
};
