/** `[messages]`: external programs that may use the protocol, over HTTP or through a folder. */
import { z } from 'zod';
import { EnvName, FilePath } from './values.ts';

const ClientName = z
  .string()
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/,
    'expected 1 to 64 letters, digits, ".", "_" or "-", starting with a letter or digit',
  );

/** One program with one role in one project; its token or its folder identifies it. */
const MessageClient = z.strictObject({
  /** The client's name in the `from` and `to` of messages. */
  name: ClientName,
  role: z.enum(['author', 'reviewer']),
  /** The id of the client's `[[forge]]`. */
  forge: z.string().min(1).max(32),
  /** The project's numeric id in the forge's API, which stays the same after a rename. */
  projectId: z.int().positive(),
  /** Null if the client does not use HTTP. */
  tokenEnv: EnvName.nullable().default(null),
  /** The ingress watches `inbox` and `outbox` below this folder. Null if the client uses no folder. */
  folder: FilePath.nullable().default(null),
});
export type MessageClient = z.output<typeof MessageClient>;

export const MessageSettings = z.strictObject({
  /** The name of Fixpoint in messages. */
  name: ClientName.default('fixpoint'),
  folderSeconds: z.int().min(1).max(3600).default(5),
  client: z.array(MessageClient).max(50).default([]),
});
export type MessageSettings = z.output<typeof MessageSettings>;

export const clientsOf = (
  { client }: Pick<MessageSettings, 'client'>,
  of: Pick<MessageClient, 'forge' | 'projectId'>,
  wanted: MessageClient['role'],
): readonly string[] =>
  client
    .filter(({ role, forge, projectId }) => role === wanted && forge === of.forge && projectId === of.projectId)
    .map(({ name }) => name);

/** Checks clients against the whole configuration: unknown forges, duplicate names, shared folders. */
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

/** If `review.runner = "messages"`, a project may have at most one external reviewer, whose verdict counts. */
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
