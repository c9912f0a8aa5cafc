/** The source branch of a change request as guard last read it. Requests of external programs are compared with it. */
import type { Redis } from 'ioredis';
import type { ChangeRequest } from '../vocabulary/ids.ts';
import type { Keys } from './keys.ts';

export type SourceBranches = {
  /** Returns null until guard has read the change request, and when the forge no longer names a branch. */
  load(of: ChangeRequest): Promise<string | null>;
  save(of: ChangeRequest, branch: string): Promise<void>;
};

/** The branch is kept as long as messages are kept. */
const KEEP_S = 30 * 24 * 3600;

export const createSourceBranches = (redis: Redis, keys: Keys): SourceBranches => {
  const keyOf = (of: ChangeRequest): string => keys.ofChangeRequest(of, 'source-branch');
  return {
    load: async (of) => redis.get(keyOf(of)),
    save: async (of, branch) => {
      if (branch === '') await redis.del(keyOf(of));
      else await redis.set(keyOf(of), branch, 'EX', KEEP_S);
    },
  };
};
