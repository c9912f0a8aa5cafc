/** What guard last read and decided about a change request, as the operator's page shows it. Nothing else reads it. */
import type { Redis } from 'ioredis';
import { z } from 'zod';
import { Severity, Stance, Verdict } from '../../vocabulary/finding.ts';
import { ChangeRequest, CommitSha, FindingId } from '../../vocabulary/ids.ts';
import { Spent } from '../../vocabulary/spent.ts';
import type { Keys } from '../keys.ts';
import { parseStored } from '../parse-stored.ts';

/** Longer texts are cut before they are stored. */
export const MAX_VIEW_TEXT = 300;
export const MAX_VIEW_THREADS = 200;
export const MAX_VIEW_REVIEWS = 100;

const Text = z.string().max(MAX_VIEW_TEXT + 10);

export const ThreadView = z.object({
  id: FindingId,
  title: Text,
  severity: Severity,
  blocking: z.boolean(),
  state: z.string().max(40),
  stance: Stance,
  /** Replies so far. */
  count: z.number().int().nonnegative(),
  review: z.number().int().nonnegative(),
  path: Text,
  line: z.number().int().positive(),
  /** The built-in rule that found it. Null if a model did. */
  rule: Text.nullable(),
  /** Address of the comment. Null if the finding is only listed in the summary. */
  webUrl: z.string().max(2_000).nullable(),
});
export type ThreadView = z.output<typeof ThreadView>;

export const ReviewView = z.object({
  review: z.number().int().positive(),
  head: CommitSha,
  verdict: Verdict,
  complete: z.boolean(),
  seenBy: z.enum(['model', 'rules']).nullable(),
});
export type ReviewView = z.output<typeof ReviewView>;

export const ChangeRequestView = z.object({
  v: z.literal(1),
  changeRequest: ChangeRequest,
  /** Epoch ms at which guard made this view. */
  atMs: z.number().int(),
  title: Text,
  author: Text,
  sourceBranch: Text,
  targetBranch: Text,
  state: z.enum(['open', 'closed', 'merged']),
  draft: z.boolean(),
  head: CommitSha,
  webUrl: z.string().max(2_000),
  /** Address of the summary. Null if there is none. */
  summaryUrl: z.string().max(2_000).nullable(),
  verdict: Verdict.nullable(),
  /** Why nothing is reviewed. Null if something is, or if there is nothing to say. */
  waits: z.string().max(1_000).nullable(),
  reviews: z.array(ReviewView).max(MAX_VIEW_REVIEWS),
  threads: z.array(ThreadView).max(MAX_VIEW_THREADS),
  /** Threads beyond the limit. */
  moreThreads: z.number().int().nonnegative(),
  handoffs: z
    .array(z.object({ review: z.number().int().nonnegative(), reason: z.string().max(1_000), atMs: z.number().int() }))
    .max(50),
  /** According to the signed markers on the forge. */
  spent: Spent.nullable(),
});
export type ChangeRequestView = z.output<typeof ChangeRequestView>;

export type ChangeRequestViews = {
  save(view: ChangeRequestView): Promise<void>;
  /** Null when there is none, or when another version wrote it. */
  load(of: ChangeRequest): Promise<ChangeRequestView | null>;
  /** In the order of `all`. */
  loadAll(all: readonly ChangeRequest[]): Promise<readonly (ChangeRequestView | null)[]>;
};

/** As long as guard's states are kept. */
const KEEP_S = 30 * 24 * 3600;

export const createChangeRequestViews = (redis: Redis, keys: Keys): ChangeRequestViews => {
  const keyOf = (of: ChangeRequest): string => keys.ofChangeRequest(of, 'view');
  return {
    save: async (view) => void (await redis.set(keyOf(view.changeRequest), JSON.stringify(view), 'EX', KEEP_S)),
    load: async (of) => parseStored(ChangeRequestView, await redis.get(keyOf(of))),
    loadAll: async (all) =>
      all.length === 0
        ? []
        : (await redis.mget(all.map(keyOf))).map((text) => parseStored(ChangeRequestView, text ?? null)),
  };
};
