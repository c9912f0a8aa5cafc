/** Merges two comments about the same thread. States and counts only move up, so restoring an older edit changes nothing. */
import type { ReplyMarker } from '../model/marker-payload.ts';
import type { Thread } from '../model/history.ts';
import { isSettled, type ThreadProgress, type ThreadState } from '../model/thread.ts';

export const mergeReply = (thread: Thread, marker: ReplyMarker): Thread => {
  const { action, count, stance, severity, head } = marker;
  const state = STATE_AFTER[action];
  return {
    ...thread,
    ...further(thread, { state, count, stance, severity }),
    ...(count >= thread.count ? { cycledAt: head } : {}),
    ...(isSettled({ state }) ? { settledAt: head } : {}),
  };
};

const STATE_AFTER = { reply: 'open', resolve: 'resolved', veto: 'vetoed', escalate: 'escalated' } as const;

/** A settled thread may become `resolved`; no thread becomes `open` again. */
const RANK: Readonly<Record<ThreadState, number>> = {
  unverified: 0,
  open: 1,
  vetoed: 2,
  escalated: 3,
  resolved: 4,
  dismissed: 5,
};

/** The stance is taken from the value with the larger count. The further state and the higher severity are kept. */
export const further = (one: ThreadProgress, other: ThreadProgress): ThreadProgress => ({
  state: RANK[one.state] >= RANK[other.state] ? one.state : other.state,
  count: Math.max(one.count, other.count),
  stance: one.count > other.count ? one.stance : other.stance,
  severity: one.severity < other.severity ? one.severity : other.severity,
});
