/**
 * The thread machine. A thread opens in cycle 1 with count 0; every later cycle raises the count by one, whatever the
 * stance, and picks one legal action. Only `reply` keeps a thread open, and `reply` stops being legal at count K, in the
 * final round, and with stance `accepts`: so a thread lives at most K + 1 cycles, the opening one included.
 */
import { z } from 'zod';
import { FindingState } from './marker-payload.ts';
import { type Action, Severity, Stance } from '../../vocabulary/finding.ts';

/**
 * - `unverified`: no thread yet: a grave claim whose evidence nobody has found. Left by `refute`, by a later review that
 *   confirms it (then it is `open`), and by a dismissal.
 * - `open`: the author is to act; left by any action but `reply`.
 * - `resolved`: closed; a later match is a regression.
 * - `vetoed`, `escalated`: handed to a human and settled; the bot never argues there again. Left for `resolved` when it
 *   is shown fixed, and for nothing else.
 */
export const ThreadState = FindingState;
export type ThreadState = z.output<typeof ThreadState>;

export const ThreadProgress = z.object({
  state: ThreadState,
  count: z.number().int().nonnegative(),
  stance: Stance,
  severity: Severity,
});
export type ThreadProgress = z.output<typeof ThreadProgress>;

export type ThreadRules = {
  /** K: from this count on a reply is not legal. */
  readonly threadCount: number;
  readonly finalRound: boolean;
};

export const openThread = (severity: Severity): ThreadProgress => ({
  state: 'open',
  count: 0,
  stance: 'seeks_change',
  severity,
});

/** The actions that a reviewer may choose from in the next cycle, before it has stated its stance. */
export const legalActions = (thread: ThreadProgress, rules: ThreadRules): readonly Action[] => {
  if (thread.state !== 'open') return [];
  const mayReply = thread.count + 1 < rules.threadCount && !rules.finalRound;
  return mayReply ? ['resolve', 'veto', 'escalate', 'reply'] : ['resolve', 'veto', 'escalate'];
};

export type ThreadMove = { readonly stance: Stance; readonly action: Action; readonly severity: Severity | null };

export type ThreadStep =
  | { readonly kind: 'moved'; readonly thread: ThreadProgress }
  | { readonly kind: 'illegal'; readonly reason: string };

/** One cycle. An illegal move changes nothing and says what would have been legal. */
export const stepThread = (thread: ThreadProgress, move: ThreadMove, rules: ThreadRules): ThreadStep => {
  const legal = legalActions(thread, rules);
  if (!legal.includes(move.action)) {
    return { kind: 'illegal', reason: `${move.action} is not legal here; legal: ${legal.join(', ') || 'nothing'}` };
  }
  if (move.stance === 'accepts' && move.action !== 'resolve') {
    return { kind: 'illegal', reason: 'stance accepts means resolve' };
  }
  const next = { ...thread, count: thread.count + 1, stance: move.stance };
  switch (move.action) {
    case 'reply':
      return { kind: 'moved', thread: next };
    case 'resolve':
      return { kind: 'moved', thread: { ...next, state: 'resolved' } };
    case 'veto':
      return { kind: 'moved', thread: { ...next, state: 'vetoed' } };
    case 'escalate':
      return escalate(next, move.severity);
    default:
      return move.action satisfies never;
  }
};

export const isSettled = ({ state }: Pick<ThreadProgress, 'state'>): boolean =>
  state === 'vetoed' || state === 'escalated';

/** No cycle and no argument: the count stays. Null where there is nothing to show. */
export const showFixed = (thread: ThreadProgress): ThreadProgress | null =>
  isSettled(thread) ? { state: 'resolved', count: thread.count, stance: 'accepts', severity: thread.severity } : null;

/** A claim that no thread was opened for is over once a quotation shows that it does not hold. */
export const refute = (thread: ThreadProgress): ThreadProgress | null =>
  thread.state === 'unverified' ? { ...thread, state: 'resolved', stance: 'accepts' } : null;

const escalate = (thread: ThreadProgress, severity: Severity | null): ThreadStep => {
  // P0 is the smallest string: severities compare as text. A P0 cannot rise and may be handed over as it is.
  const rises = severity !== null && (severity < thread.severity || severity === 'P0');
  if (!rises) return { kind: 'illegal', reason: `escalate needs a severity above ${thread.severity}` };
  return { kind: 'moved', thread: { ...thread, state: 'escalated', severity } };
};
