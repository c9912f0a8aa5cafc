/** `[messages]`: who outside may speak the protocol, over HTTP or by folder. Nobody, unless a client is named. */
import { z } from 'zod';
import { EnvName, FilePath } from './values.ts';

const ClientName = z
  .string()
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/,
    'expected 1 to 64 letters, digits, ".", "_" or "-", starting with a letter or digit',
  );

/** One program, bound by its token or its folder to one role in one project. */
const MessageClient = z.strictObject({
  /** What it says in `from`, and what others say in `to`. */
  name: ClientName,
  role: z.enum(['author', 'reviewer']),
  /** Id of a `[[forge]]`. */
  forge: z.string().min(1).max(32),
  /** The number that the forge's API gives the project: it survives renames. */
  projectId: z.int().positive(),
  /** Speaks over HTTP. Null: it does not. */
  tokenEnv: EnvName.nullable().default(null),
  /** Speaks through the folders `inbox` and `outbox` below this one, which the ingress looks after. Null: it does not. */
  folder: FilePath.nullable().default(null),
});
export type MessageClient = z.output<typeof MessageClient>;

export const MessageSettings = z.strictObject({
  /** What Fixpoint calls itself in messages. */
  name: ClientName.default('fixpoint'),
  /** How often the folders of clients are looked into. */
  folderSeconds: z.int().min(1).max(3600).default(5),
  client: z.array(MessageClient).max(50).default([]),
});
export type MessageSettings = z.output<typeof MessageSettings>;

/** The names of those that have a role in a project, in the order of the settings. */
export const clientsOf = (
  { client }: Pick<MessageSettings, 'client'>,
  of: Pick<MessageClient, 'forge' | 'projectId'>,
  wanted: MessageClient['role'],
): readonly string[] =>
  client
    .filter(({ role, forge, projectId }) => role === wanted && forge === of.forge && projectId === of.projectId)
    .map(({ name }) => name);

/** What only the whole configuration can tell: a client of no forge, or two clients that nobody could tell apart. */
export const findClientProblems = (
  { client, name: ownName }: MessageSettings,
  forgeIds: ReadonlySet<string>,
): readonly string[] => {
  const seen = new Set<string>();
  const folders = new Set<string>();
  return client.flatMap(({ name, forge, projectId, tokenEnv, folder }, index) => {
    const at = `messages.client[${index}]`;
    const key = `${forge} ${projectId} ${name}`;
    const isRepeated = seen.has(key);
    seen.add(key);
    const isShared = folder !== null && folders.has(folder);
    if (folder !== null) folders.add(folder);
    return [
      ...(forgeIds.has(forge) ? [] : [`${at}.forge: expected the id of a [[forge]]`]),
      ...(isRepeated ? [`${at}.name: another client of this project has this name; names must be unique`] : []),
      ...(name === ownName ? [`${at}.name: equals messages.name; choose another name`] : []),
      ...(isShared ? [`${at}.folder: another client uses this folder; each client needs its own`] : []),
      ...(tokenEnv === null && folder === null ? [`${at}: expected token_env or folder`] : []),
    ];
  });
};

/** With `review.runner = "messages"` each project has one reviewer outside: of two nobody could say whose word counts. */
export const findReviewerProblems = ({ client }: MessageSettings): readonly string[] => {
  if (!client.some(({ role }) => role === 'reviewer'))
    return ['review.runner: is "messages"; expected a [[messages.client]] with the role "reviewer"'];
  const seen = new Set<string>();
  return client.flatMap(({ role, forge, projectId }, index) => {
    if (role !== 'reviewer') return [];
    const key = `${forge} ${projectId}`;
    const isSecond = seen.has(key);
    seen.add(key);
    return isSecond ? [`messages.client[${index}].role: this project already has a reviewer; only one is allowed`] : [];
  });
};
