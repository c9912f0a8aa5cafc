/** The port through which a reviewer uses explorers, as queue jobs or in the same process. */
import type { WaitingExplorer } from '../../../shared/agent/conversation.ts';
import type { ExplorerAnswer } from '../../../shared/agent/transcript.ts';
import type { Notes, Question } from '../../../shared/vocabulary/question.ts';
import { addSpent, NOTHING_SPENT, type Spent } from '../../../shared/vocabulary/spent.ts';

export type Asked = {
  /** The same in every execution of the run. */
  readonly id: string;
  readonly question: Question;
};

/**
 * Contract: starts each explorer or verifier once. Returns null while any of them is running, then their notes in
 * question order (null: ended without notes).
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

/** An explorer that was lost counts as failed, not as "nothing found". */
export const answersOf = (
  waiting: readonly WaitingExplorer[],
  notes: readonly (Notes | null)[],
): readonly ExplorerAnswer[] =>
  waiting.map(({ callId }, index) => {
    const own = notes[index] ?? null;
    return own === null
      ? { callId, outcome: 'failed', notes: '' }
      : { callId, outcome: OUTCOMES[own.outcome], notes: own.text };
  });

/** Explorers' costs count towards the run, except for turns and time: those limits apply only to the reviewer's own work. */
export const spentOf = (notes: readonly (Notes | null)[]): Spent => {
  const all = notes.reduce((sum: Spent, one) => (one === null ? sum : addSpent(sum, one.spent)), NOTHING_SPENT);
  return { ...all, turns: 0, wallMs: 0 };
};
