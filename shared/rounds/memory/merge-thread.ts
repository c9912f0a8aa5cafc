/** Merges what two comments say about the same thread. State is merged upwards only: restoring an older edit gains nothing. */
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

/** A settled thread may still be shown fixed; nothing opens a thread again. */
const RANK: Readonly<Record<ThreadState, number>> = {
  unverified: 0,
  open: 1,
  vetoed: 2,
  escalated: 3,
  resolved: 4,
  dismissed: 5,
};

/** Upwards only: the larger count decides stance, the further state and the graver severity stay. */
export const further = (one: ThreadProgress, other: ThreadProgress): ThreadProgress => ({
  state: RANK[one.state] >= RANK[other.state] ? one.state : other.state,
  count: Math.max(one.count, other.count),
  stance: one.count > other.count ? one.stance : other.stance,
  severity: one.severity < other.severity ? one.severity : other.severity,
});
