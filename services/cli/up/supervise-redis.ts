import { AppError } from '../../../shared/errors.ts';
import type { FoundRedis } from '../redis/find-redis.ts';
import type { OwnRedis } from './announce.ts';
import type { Exit, Running, Supervised } from './keep-running.ts';

export type SupervisedRedis = {
  readonly url: string;
  readonly own: OwnRedis;
  /** Null if the server is a configured one. */
  readonly supervised: Supervised | null;
  /** Contract: called after all services have ended. */
  readonly stop: () => Promise<void>;
};

/** Restarts its own server on the same address, with its data, so that services only have to reconnect. */
export const superviseRedis = (found: FoundRedis): SupervisedRedis => {
  let current = found;
  let isFirst = true;
  const start = async (): Promise<Running> => {
    if (found.own === null) throw new Error('a configured Redis is not supervised');
    try {
      if (!isFirst) current = await found.own.again();
    } catch (error) {
      const how = error instanceof AppError ? `did not start (${error.message})` : `did not start (${String(error)})`;
      return { gone: Promise.resolve({ code: 1, how }), stop: () => {} };
    } finally {
      isFirst = false;
    }
    return untilLeaving(current.gone);
  };
  return {
    url: found.url,
    own: found.own === null ? null : { url: found.url, folder: found.own.folder },
    supervised: found.own === null ? null : { name: 'its Redis', start },
    stop: async () => current.stop(),
  };
};

/** Redis must outlive the services, so a shutdown only ends the supervision of Redis. */
const untilLeaving = (gone: Promise<string> | null): Running => {
  let leave = (): void => {};
  const left = new Promise<Exit>((resolve) => {
    leave = () => resolve({ code: 0, how: 'is no longer supervised' });
  });
  const ended = (gone ?? new Promise<string>(() => {})).then((how): Exit => ({ code: 1, how }));
  return { gone: Promise.race([left, ended]), stop: () => leave() };
};
