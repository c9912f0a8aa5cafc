/** Computes the verdict after replies in threads or dismissals, without a new review. */
import type { CiReading } from '../model/ci.ts';
import type { Handled } from '../model/gate-result.ts';
import { type History, lastReviewed, type Thread } from '../model/history.ts';
import { type Judgement, judgeThreads, withChecks } from './verdict.ts';

const UNKNOWN = { verdict: 'inconclusive' } as const;

export type RepliesInput = {
  readonly history: History;
  readonly handled: readonly Handled[];
  /** The CI result of this head. Absent or null if CI does not matter. */
  readonly ci?: CiReading | null;
};

export const judgeReplies = ({ history, handled, ci = null }: RepliesInput): Judgement =>
  withChecks(judgeThreads(lastReviewed(history) ?? UNKNOWN, threadsAfter(history.threads, handled)), { ci });

export const threadsAfter = (threads: readonly Thread[], handled: readonly Handled[]): readonly Thread[] =>
  threads.map((thread) => ({ ...thread, ...handled.find((each) => each.thread.id === thread.id)?.next }));
