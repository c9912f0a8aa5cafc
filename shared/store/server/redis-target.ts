import type { RedisOptions } from 'ioredis';

export type RedisTarget = {
  /**
   * `redis://`, `rediss://` (TLS) or `unix:///path`, with the user name, the password and, as its path, the number of the
   * database. If `sentinels` is not empty, its host is the name by which the Sentinels know the primary.
   */
  readonly url: string;
  /** Certificate authorities as PEM. Null: those that Node trusts. */
  readonly ca: string | null;
  readonly sentinels: readonly { readonly host: string; readonly port: number }[];
  readonly sentinelPassword: string | null;
};

export const targetOfUrl = (url: string): RedisTarget => ({ url, ca: null, sentinels: [], sentinelPassword: null });

/** The driver's options; without the choice of reply types, which would change the type of the connection. */
export type Options = Omit<RedisOptions, 'replyMapping'>;

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};

const credentials = ({ username, password }: URL): Options => ({
  ...(username === '' ? {} : { username: decoded(username) }),
  ...(password === '' ? {} : { password: decoded(password) }),
});

/** Pause before all Sentinels are asked again, without a limit. */
const SENTINEL_PAUSE_MS = 1_000;

/** @param url must have passed `checkRedisUrl`. */
export const redisOptionsOf = ({ url, ca, sentinels, sentinelPassword }: RedisTarget): Options => {
  const parsed = new URL(url);
  const login = credentials(parsed);
  if (parsed.protocol === 'unix:') return { ...login, path: decoded(parsed.pathname) };
  const tls = parsed.protocol === 'rediss:' ? (ca === null ? {} : { ca }) : null;
  const common = { ...login, db: Number(parsed.pathname.slice(1)), ...(tls === null ? {} : { tls }) };
  if (sentinels.length === 0)
    return { ...common, host: parsed.hostname.replaceAll(/^\[|\]$/g, ''), port: Number(parsed.port || 6379) };
  return {
    ...common,
    name: decoded(parsed.hostname),
    sentinels: sentinels.map(({ host, port }) => ({ host, port })),
    ...(sentinelPassword === null ? {} : { sentinelPassword }),
    ...(tls === null ? {} : { sentinelTLS: tls, enableTLSForSentinelMode: true }),
    sentinelRetryStrategy: () => SENTINEL_PAUSE_MS,
    // The driver's own detector of failovers can end a connection for ever if it fires while the driver looks for the new
    // primary. It is not needed: a primary that is replaced closes its connections, and a replica refuses writes (READONLY).
    failoverDetector: false,
  };
};
