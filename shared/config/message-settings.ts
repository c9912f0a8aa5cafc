/** `[messages]`: external programs that may use the protocol, over HTTP or through a folder. */
import { z } from 'zod';
import { EnvName, FilePath, ProjectPattern } from './values.ts';

const ClientName = z
  .string()
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/,
    'expected 1 to 64 letters, digits, ".", "_" or "-", starting with a letter or digit',
  );

/** One program with one role in one project, or in the projects that patterns match; its token or folder identifies it. */
const MessageClient = z.strictObject({
  /** The client's name in the `from` and `to` of messages. */
  name: ClientName,
  role: z.enum(['author', 'reviewer']),
  /** The id of the client's `[[forge]]`. Null, only with `match`: every forge. */
  forge: z.string().min(1).max(32).nullable().default(null),
  /** The project's numeric id in the forge's API, which stays the same after a rename. Null if `match` is set. */
  projectId: z.int().positive().nullable().default(null),
  /** As in `[[project]]`. Null if `projectId` is set. */
  match: z.array(ProjectPattern).min(1).max(100).nullable().default(null),
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
