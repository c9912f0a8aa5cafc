/** How often each `[[ignore]]` entry of a project silenced a finding. */
import type { Redis } from 'ioredis';
import { z } from 'zod';
import type { ChangeRequest, RunId } from '../../vocabulary/ids.ts';
import type { Keys } from '../keys.ts';

type OfProject = Pick<ChangeRequest, 'forge' | 'projectId'>;

/** `findings`: how many findings were silenced so far. `lastAtMs`: when the last finding was silenced. */
export type IgnoredCount = { readonly findings: number; readonly lastAtMs: number };

export type IgnoredReview = {
  readonly runId: RunId;
  /** The findings that the gate dropped. `entry` is the id of the `[[ignore]]` entry that silences the finding. */
  readonly dropped: readonly { readonly entry?: string | undefined }[];
  readonly atMs: number;
};

export type IgnoredCounts = {
  /** Contract: atomic; counts each run only once. */
  add(project: OfProject, review: IgnoredReview): Promise<void>;
  load(project: OfProject): Promise<ReadonlyMap<string, IgnoredCount>>;
};

/**
 * Maximum number of entries per project. If there are more, the entries that have been unused for the longest time are
 * dropped.
 */
export const MAX_COUNTED_ENTRIES = 200;
const KEEP_S = 400 * 24 * 3600;
const KEEP_RUN_S = 7 * 24 * 3600;

/**
 * KEYS: counts, mark of the run. ARGV: time now, seconds to keep, seconds to keep the mark, maximum number of entries,
 * then pairs of entry and count.
 */
const ADD = `
if not redis.call('SET', KEYS[2], '1', 'NX', 'EX', ARGV[3]) then return 0 end
for at = 5, #ARGV, 2 do
  local before = redis.call('HGET', KEYS[1], ARGV[at])
  local count = before and tonumber(string.match(before, '^%d+')) or 0
  redis.call('HSET', KEYS[1], ARGV[at], string.format('%d %s', count + tonumber(ARGV[at + 1]), ARGV[1]))
end
redis.call('EXPIRE', KEYS[1], ARGV[2])
local all = redis.call('HGETALL', KEYS[1])
local over = #all / 2 - tonumber(ARGV[4])
if over <= 0 then return 1 end
local ages = {}
for at = 1, #all, 2 do ages[#ages + 1] = { all[at], tonumber(string.match(all[at + 1], '%d+$')) } end
table.sort(ages, function(one, other)
  if one[2] == other[2] then return one[1] < other[1] end
  return one[2] < other[2]
end)
for at = 1, over do redis.call('HDEL', KEYS[1], ages[at][1]) end
return 1`;

const Count = z
  .string()
  .regex(/^\d+ \d+$/)
  .transform((text) => {
    const [findings = 0, lastAtMs = 0] = text.split(' ').map(Number);
    return { findings, lastAtMs };
  });

export const createIgnoredCounts = (redis: Redis, keys: Keys): IgnoredCounts => ({
  add: async ({ forge, projectId }, { runId, dropped, atMs }) => {
    const counts = new Map<string, number>();
    for (const { entry } of dropped) if (entry !== undefined) counts.set(entry, (counts.get(entry) ?? 0) + 1);
    if (counts.size === 0) return;
    const names = [keys.ofProject(forge, projectId, 'ignored'), keys.ofRun(runId, 'ignored')];
    await redis.eval(ADD, 2, ...names, atMs, KEEP_S, KEEP_RUN_S, MAX_COUNTED_ENTRIES, ...[...counts].flat());
  },
  load: async ({ forge, projectId }) => {
    const stored = await redis.hgetall(keys.ofProject(forge, projectId, 'ignored'));
    return new Map(Object.entries(stored).map(([entry, text]) => [entry, Count.parse(text)]));
  },
});
