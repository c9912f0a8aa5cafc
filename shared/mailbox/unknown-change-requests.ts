/**
 * Change requests that an author asked reviews for before guard has read them. The index of a recipient is limited, so an
 * author that invents numbers must not fill it.
 */
import type { Redis } from 'ioredis';
import type { Keys } from '../store/keys.ts';
import type { SourceBranches } from '../store/source-branches.ts';
import type { ChangeRequest } from '../vocabulary/ids.ts';

export type UnknownChangeRequests = {
  /** False if the author has asked about too many change requests of the project that guard has not read. */
  mayAsk(of: ChangeRequest, author: string): Promise<boolean>;
};

/** A webhook usually comes before the request, and guard reads the change request seconds later. */
export const MAX_UNKNOWN = 20;
/** Guard reads what it is woken for, so what is unknown for so long does not exist. */
const FORGET_S = 24 * 3600;

export const createUnknownChangeRequests = (
  redis: Redis,
  keys: Keys,
  branches: Pick<SourceBranches, 'load'>,
): UnknownChangeRequests => {
  const dropKnown = async (key: string, of: ChangeRequest): Promise<void> => {
    for (const number of await redis.smembers(key))
      if ((await branches.load({ ...of, number: Number(number) })) !== null) await redis.srem(key, number);
  };
  return {
    mayAsk: async (of, author) => {
      if ((await branches.load(of)) !== null) return true;
      const key = keys.askedUnknown({ forge: of.forge, projectId: of.projectId, name: author });
      if ((await redis.sismember(key, of.number)) === 1) return true;
      if ((await redis.scard(key)) >= MAX_UNKNOWN) await dropKnown(key, of);
      if ((await redis.scard(key)) >= MAX_UNKNOWN) return false;
      await redis.multi().sadd(key, of.number).expire(key, FORGET_S).exec();
      return true;
    },
  };
};
