import { z } from 'zod';
import { EnvName, FilePath } from './values.ts';

const SENTINEL_PORT = 26_379;

/** `host`, `host:port` or `[address]:port`. */
const ADDRESS = /^(?:\[(?<six>[0-9a-fA-F:.]{2,45})\]|(?<host>[A-Za-z0-9_.-]{1,255}))(?::(?<port>[0-9]{1,5}))?$/;

const SentinelAddress = z.string().transform((text, context) => {
  const groups = ADDRESS.exec(text)?.groups;
  const port = Number(groups?.['port'] ?? SENTINEL_PORT);
  const host = groups?.['six'] ?? groups?.['host'];
  if (host !== undefined && port >= 1 && port <= 65_535) return { host, port };
  context.addIssue({ code: 'custom', message: 'expected "host" or "host:port" of a Sentinel' });
  return z.NEVER;
});

export const RedisSettings = z
  .strictObject({
    urlEnv: EnvName.default('REDIS_URL'),
    /** Prefix of all keys, which separates several installations on one Redis. */
    prefix: z
      .string()
      .regex(/^[a-z0-9][a-z0-9-]{0,31}$/, 'expected 1 to 32 lower-case letters, digits or "-"')
      .default('fixpoint'),
    /** Certificate authorities for `rediss://`, also for the Sentinels. A relative path is relative to the settings file. */
    caFile: FilePath.nullable().default(null),
    /** If not empty, the host of the URL is the name by which these Sentinels know the primary. */
    sentinels: z.array(SentinelAddress).max(20).default([]),
    sentinelPasswordEnv: EnvName.nullable().default(null),
    /** These three settings accept a Redis that can lose jobs or to which anyone can write. */
    allowEviction: z.boolean().default(false),
    allowNoPersistence: z.boolean().default(false),
    allowNoPassword: z.boolean().default(false),
  })
  .refine(({ sentinels, sentinelPasswordEnv }) => sentinels.length > 0 || sentinelPasswordEnv === null, {
    path: ['sentinelPasswordEnv'],
    message: 'has no effect without redis.sentinels',
  });
export type RedisSettings = z.output<typeof RedisSettings>;

/** What the URL and the settings say together. @param url null if the process did not request it */
export const findRedisProblems = (
  { caFile, sentinels }: { readonly caFile: string | null; readonly sentinels: readonly unknown[] },
  url: string | null,
): readonly string[] => {
  if (url === null) return [];
  const { protocol } = new URL(url);
  return [
    ...(caFile !== null && protocol !== 'rediss:'
      ? ['redis.ca_file: has no effect, because the URL of Redis does not begin with rediss://']
      : []),
    ...(sentinels.length > 0 && protocol === 'unix:'
      ? ['redis.sentinels: the URL of Redis must be redis:// or rediss:// with the name of the primary as its host']
      : []),
  ];
};
