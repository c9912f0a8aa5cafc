/**
 * Finds a Redis server: the configured server, the server of a running `fixpoint up`, or a temporary one for the
 * duration of setup.
 */
import type { Config } from '../../../shared/config/load.ts';
import { AppError } from '../../../shared/errors.ts';
import { findRedis } from '../redis/find-redis.ts';
import { withOwnRedis } from '../redis/own-redis.ts';
import type { Variables } from '../variables/env-text.ts';

export type SetupRedis = {
  /** Null when there is no Redis. */
  readonly url: string | null;
  readonly text: string;
  readonly fix: string | null;
  readonly stop: () => Promise<void>;
};

type Wish = {
  readonly configPath: string;
  readonly settings: Config;
  readonly variables: Variables;
  readonly searchPath: string;
  /** If false, no server is started. */
  readonly starts: boolean;
};

const LOOPBACK: ReadonlySet<string> = new Set(['127.0.0.1', '::1', 'localhost']);

const nothing = async (): Promise<void> => {};

export const openSetupRedis = async ({
  configPath,
  settings,
  variables,
  searchPath,
  starts,
}: Wish): Promise<SetupRedis> => {
  const { urlEnv } = settings.redis;
  const configured = variables[urlEnv];
  if (configured !== undefined) return { url: configured, text: `the URL in ${urlEnv}`, fix: null, stop: nothing };
  const { env } = withOwnRedis({ path: configPath, env: variables, needs: [] });
  const running = env[urlEnv];
  if (running !== undefined)
    return { url: running, text: 'the server of the running services', fix: null, stop: nothing };
  if (!starts) return none('no Redis is running; fixpoint up starts one', null);
  try {
    const found = await findRedis({ url: undefined, dataDir: settings.dataDir }, searchPath);
    if (found !== null) return { url: found.url, text: 'fixpoint up starts a Redis', fix: null, stop: found.stop };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return none(error.message, `set ${urlEnv} to a running Redis`);
  }
  // In a container the ingress cannot listen on loopback. Compose then has a Redis that only its containers can reach.
  if (!LOOPBACK.has(settings.ingress.host))
    return none('docker compose starts its own Redis; run doctor in a container', null);
  return none(
    `${urlEnv} is not set and neither redis-server nor valkey-server is installed`,
    `install Redis (Debian: apt-get install redis-server), or set ${urlEnv}`,
  );
};

const none = (text: string, fix: string | null): SetupRedis => ({ url: null, text, fix, stop: nothing });
