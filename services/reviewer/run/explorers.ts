/** Explorers as a reviewer sees them. Whether they are jobs of a queue or run in this process, it does not know. */
import type { WaitingExplorer } from '../../../shared/agent/conversation.ts';
import type { ExplorerAnswer } from '../../../shared/agent/transcript.ts';
import type { Notes } from '../../../shared/vocabulary/question.ts';
import { addSpent, NOTHING_SPENT, type Spent } from '../../../shared/vocabulary/spent.ts';

export type Asked = WaitingExplorer & {
  /** `runId-turn-n`: the same question of the same run has the same id in every execution. */
  readonly id: string;
  /** Of the change under review, so that the explorer knows what is new. */
  readonly changedPaths: readonly string[];
};

/**
 * Contract: starts what was never started, each once; null as long as one is at work. Else the notes in the order of
 * the questions; null among them for an explorer that ended without any.
 */
export type Explorers = {
  readonly ask: (questions: readonly Asked[], signal: AbortSignal) => Promise<readonly (Notes | null)[] | null>;
};

export const NO_EXPLORERS: Explorers = { ask: async (questions) => questions.map(() => null) };

const OUTCOMES: Readonly<Record<Notes['outcome'], ExplorerAnswer['outcome']>> = {
  answered: 'found',
  nothing_found: 'nothing_found',
  budget_exceeded: 'budget_exceeded',
  failed: 'failed',
  refused: 'failed',
};

/** What the conversation hears. An explorer that was lost is not one that found nothing. */
export const answersOf = (questions: readonly Asked[], notes: readonly (Notes | null)[]): readonly ExplorerAnswer[] =>
  questions.map(({ callId }, index) => {
    const own = notes[index] ?? null;
    return own === null
      ? { callId, outcome: 'failed', notes: '' }
      : { callId, outcome: OUTCOMES[own.outcome], notes: own.text };
  });

/** Counted with the run: all but the turns, which are the reviewer's own, and the time, in which it did not work. */
export const spentOf = (notes: readonly (Notes | null)[]): Spent => {
  const all = notes.reduce((sum: Spent, one) => (one === null ? sum : addSpent(sum, one.spent)), NOTHING_SPENT);
  return { ...all, turns: 0, wallMs: 0 };
};
