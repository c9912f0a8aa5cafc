/** The run that `fixpoint replay` repeats when it is given a change request. */
import type { Redis } from 'ioredis';
import { Brief } from '../../../shared/rounds/model/brief.ts';
import { createDocumentStore } from '../../../shared/store/documents.ts';
import type { Keys } from '../../../shared/store/keys.ts';
import { type ChangeRequest, changeRequestKey, type RunId } from '../../../shared/vocabulary/ids.ts';

const PAGE = 500;

/**
 * The newest run whose brief is still stored, or null. Run ids are random, so the newest run is recognised by its
 * expiry, which is the latest. Scans all keys, so use it in commands only.
 */
export const findLastRun = async (
  redis: Redis,
  keys: Keys,
  { of, signal }: { readonly of: ChangeRequest; readonly signal: AbortSignal },
): Promise<RunId | null> => {
  const briefs = createDocumentStore(redis, Brief);
  let last: { readonly runId: RunId; readonly leftMs: number } | null = null;
  let cursor = '0';
  do {
    signal.throwIfAborted();
    const [next, page] = await redis.scan(cursor, 'MATCH', `${keys.queues}:run:*:brief`, 'COUNT', PAGE);
    cursor = next;
    for (const key of page) {
      const brief = await briefs.load(key);
      if (brief === null || changeRequestKey(brief.changeRequest) !== changeRequestKey(of)) continue;
      const leftMs = await redis.pttl(key);
      if (last === null || leftMs > last.leftMs) last = { runId: brief.runId, leftMs };
    }
  } while (cursor !== '0');
  return last?.runId ?? null;
};
