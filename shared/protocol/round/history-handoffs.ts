/** The hand-off packets of a change request, as far as the forge remembers them. */
import type { ChangeRequestFacts } from '../../forge/port-facts.ts';
import type { HandedOver, History } from '../../rounds/model/history.ts';
import type { CommitSha } from '../../vocabulary/ids.ts';
import type { Clean } from './round-findings.ts';
import { type Handoff, handoffOf, standingThreads } from './round-handoff.ts';

export type PastHandoff = Handoff & { readonly handedOver: HandedOver };

export type PastHandoffs = {
  readonly facts: Pick<ChangeRequestFacts, 'changeRequest' | 'webUrl'>;
  readonly history: Pick<History, 'handoffs' | 'threads'>;
  /** What the bot calls itself in messages. */
  readonly from: string;
  readonly topic: string;
  /** The findings packet of a round, or of the last one before it; null for none. */
  readonly besideOf: (round: number) => string | null;
};

/** How a thread stood then is not remembered: each packet holds what was raised by then and stands now. */
export const pastHandoffs = (past: PastHandoffs, clean: Clean): readonly PastHandoff[] => {
  const { facts, history, from, topic, besideOf } = past;
  return history.handoffs.map((handedOver) => {
    const threads = history.threads.filter(({ round }) => round <= handedOver.round);
    const { webUrl } = facts;
    const beside = besideOf(handedOver.round);
    const pr = facts.changeRequest.number;
    const handoff = handoffOf(
      { handedOver, from, pr, topic, webUrl, beside, standing: standingThreads(threads) },
      clean,
    );
    return { ...handoff, handedOver };
  });
};

/** With the verdict over this head a human was called; undefined: nobody was. */
export const handoffAt = (handoffs: readonly PastHandoff[], head: CommitSha): string | undefined =>
  handoffs.find(({ handedOver }) => handedOver.head === head)?.path;

/** The last one of an earlier round; undefined: the round follows none. */
export const handoffBefore = (handoffs: readonly PastHandoff[], round: number): string | undefined =>
  handoffs.findLast(({ handedOver }) => handedOver.round < round)?.path;
