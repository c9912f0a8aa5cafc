/** `[messages]`: who outside may speak the protocol over HTTP. Nobody, unless a client is named. */
import { z } from 'zod';
import { EnvName } from './values.ts';

/** One program, bound by its token to one role in one project. */
const MessageClient = z.strictObject({
  /** What it says in `from`, and what others say in `to`. */
  name: z
    .string()
    .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/, 'expected 1 to 64 letters, digits, ".", "_" or "-", no mark first'),
  role: z.enum(['author', 'reviewer']),
  /** Id of a `[[forge]]`. */
  forge: z.string().min(1).max(32),
  /** The number that the forge's API gives the project: it survives renames. */
  projectId: z.int().positive(),
  tokenEnv: EnvName,
});
export type MessageClient = z.output<typeof MessageClient>;

export const MessageSettings = z.strictObject({ client: z.array(MessageClient).max(50).default([]) });
export type MessageSettings = z.output<typeof MessageSettings>;

/** What only the whole configuration can tell: a client of no forge, or two clients that nobody could tell apart. */
export const findClientProblems = ({ client }: MessageSettings, forgeIds: ReadonlySet<string>): readonly string[] => {
  const seen = new Set<string>();
  return client.flatMap(({ name, forge, projectId }, index) => {
    const at = `messages.client[${index}]`;
    const key = `${forge} ${projectId} ${name}`;
    const isRepeated = seen.has(key);
    seen.add(key);
    return [
      ...(forgeIds.has(forge) ? [] : [`${at}.forge: expected the id of a [[forge]]`]),
      ...(isRepeated ? [`${at}.name: is taken by another client of this project; expected its own`] : []),
    ];
  });
};
