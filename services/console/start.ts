import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { secretValues } from '../../shared/config/loaded/secret-values.ts';
import { demand } from '../../shared/config/secrets.ts';
import { createQueues } from '../../shared/queue/enqueue.ts';
import type { RunningService } from '../../shared/runtime/run-service.ts';
import type { ServiceContext } from '../../shared/runtime/service-context.ts';
import { createSessions } from '../../shared/store/board/sessions.ts';
import { createKeys } from '../../shared/store/keys.ts';
import { redisTargetOf } from '../../shared/runtime/redis-target.ts';
import { connectRedis } from '../../shared/store/redis.ts';
import { createRedactor } from '../../shared/text/redact.ts';
import { createAttempts } from './access/attempts.ts';
import { connectLogin } from './access/login-forge.ts';
import { createMemberSessions } from './access/member-sessions.ts';
import { createPendingLogins } from './access/pending-logins.ts';
import { type AccessDeps, createAccess } from './access/visitors.ts';
import { createConsole } from './app.ts';
import { openBoard } from './bull-board/board.ts';
import { createLiveNow } from './routes/live-now.ts';
import { readNow } from './read/now.ts';
import { WHOLE_SIGHT } from './access/sight.ts';
import type { PageSource } from './read/source.ts';

const loginOf = async ({
  config,
  log,
  nowMs,
}: Pick<ServiceContext, 'config' | 'log' | 'nowMs'>): Promise<AccessDeps['login']> => {
  const forge = await connectLogin(config, nowMs);
  return forge === null
    ? null
    : { forge, members: createMemberSessions({ forge, nowMs, log }), pending: createPendingLogins(nowMs) };
};

/** The file as it was when the service started, because its settings are those of that moment. */
const readSettings = (path: string | undefined): PageSource['settingsFile'] =>
  path === undefined ? null : { name: basename(path), text: readFileSync(path, 'utf8') };

/** The configuration must be loaded with the needs `redis` and `console`. Rejects with errors of `listen`. */
export const startConsole = async ({ config, configPath, log, nowMs }: ServiceContext): Promise<RunningService> => {
  const tokens = demand(config.secrets.console, 'console');
  // Not the connection of the service, whose commands wait for Redis: a browser gets an answer at once.
  const redis = connectRedis(redisTargetOf(config), 'producer', (err) => {
    log.warn({ err }, 'Redis connection of the pages failed');
  });
  const keys = createKeys(config.redis.prefix);
  const redact = createRedactor(secretValues(config.secrets));
  const queues = createQueues(redis, keys.queues, config.queues);
  const source: PageSource = {
    redis,
    keys,
    queues,
    config,
    settingsFile: readSettings(configPath),
    clean: (text) => redact(text).text,
    nowMs,
    sight: WHOLE_SIGHT,
  };
  const live = createLiveNow(async (sight) => readNow({ ...source, sight }));
  const isSecure = config.console.publicUrl?.startsWith('https:') === true;
  const access = createAccess({
    tokens,
    sessions: createSessions(redis, keys),
    attempts: createAttempts(nowMs),
    isSecure,
    login: await loginOf({ config, log, nowMs }),
  });
  const board = config.console.bullBoard ? await openBoard(source) : null;
  const app = await createConsole({ source, access, live, board, log, isSecure });
  const close = async (): Promise<void> => {
    live.close();
    await app.close();
    await queues.close();
    redis.disconnect();
  };
  try {
    const address = await app.listen({ host: config.console.host, port: config.console.port });
    log.info({ address }, "the operator's page listens");
  } catch (error) {
    await close();
    throw error;
  }
  return { close };
};
