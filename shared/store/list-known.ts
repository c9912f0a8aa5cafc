import type { Redis } from 'ioredis';
import { ChangeRequest, changeRequestKey } from '../vocabulary/ids.ts';
import type { Keys } from './keys.ts';

const PAGE = 500;

/** Lists change requests, sorted by forge, project and number. It scans all keys, so only commands may use it, not services. */
export const listKnown = async (redis: Redis, keys: Keys, signal: AbortSignal): Promise<readonly ChangeRequest[]> => {
  const found = new Map<string, ChangeRequest>();
  const start = `${keys.queues}:cr:`;
  let cursor = '0';
  do {
    signal.throwIfAborted();
    const [next, page] = await redis.scan(cursor, 'MATCH', `${start}*:state`, 'COUNT', PAGE);
    cursor = next;
    for (const key of page) {
      const of = parseKey(key.slice(start.length, -':state'.length));
      if (of !== null) found.set(changeRequestKey(of), of);
    }
  } while (cursor !== '0');
  return [...found.values()].toSorted(
    (one, other) =>
      one.forge.localeCompare(other.forge, 'en') || one.projectId - other.projectId || one.number - other.number,
  );
};

/** Parses a key that `changeRequestKey` formatted. */
const parseKey = (text: string): ChangeRequest | null => {
  const [forge, projectId, number] = text.split('.');
  const parsed = ChangeRequest.safeParse({ forge, projectId: Number(projectId), number: Number(number) });
  return parsed.success ? parsed.data : null;
};
