import type { ChangeRequestFacts } from '../../forge/port-facts.ts';
import type { HandedOver, History } from '../../rounds/model/history.ts';
import type { CommitSha } from '../../vocabulary/ids.ts';
import type { Clean } from './round-findings.ts';
import { type Handoff, handoffOf, standingThreads } from './round-handoff.ts';

export type PastHandoff = Handoff & { readonly handedOver: HandedOver };

export type PastHandoffs = {
  readonly facts: Pick<ChangeRequestFacts, 'changeRequest' | 'webUrl'>;
  readonly history: Pick<History, 'handoffs' | 'threads'>;
  readonly from: string;
  readonly topic: string;
  /** Returns the path of the findings packet of a review or of the last earlier review that has one; null if there is none. */
  readonly besideOf: (review: number) => string | null;
};

/** Earlier states of threads are not stored, so each packet lists the threads that existed then and are still open now. */
export const pastHandoffs = (past: PastHandoffs, clean: Clean): readonly PastHandoff[] => {
  const { facts, history, from, topic, besideOf } = past;
  return history.handoffs.map((handedOver) => {
    const threads = history.threads.filter(({ review }) => review <= handedOver.review);
    const { webUrl } = facts;
    const beside = besideOf(handedOver.review);
    const pr = facts.changeRequest.number;
    const handoff = handoffOf(
      { handedOver, from, pr, topic, webUrl, beside, standing: standingThreads(threads) },
      clean,
    );
    return { ...handoff, handedOver };
  });
};

/** The hand-off that was made with the verdict on this head; undefined if there was none. */
export const handoffAt = (handoffs: readonly PastHandoff[], head: CommitSha): string | undefined =>
  handoffs.find(({ handedOver }) => handedOver.head === head)?.path;

/** The last hand-off of an earlier review; undefined if there is none. */
export const handoffBefore = (handoffs: readonly PastHandoff[], review: number): string | undefined =>
  handoffs.findLast(({ handedOver }) => handedOver.review < review)?.path;
