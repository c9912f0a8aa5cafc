/** Conversations that end with notes. */
import { explorerAnswer } from '../../shared/agent/explorer-answer.ts';
import type { Outcome } from '../../shared/agent/outcome.ts';
import type { Protect } from '../../shared/agent/present-result.ts';
import { cutPoint } from '../../shared/text/cut.ts';
import type { Notes } from '../../shared/vocabulary/question.ts';
import { NOTHING_SPENT } from '../../shared/vocabulary/spent.ts';
import { type Asking, converse, type ModelExplorer, type Part } from './converse.ts';

const MAX_NOTES = 50_000;

/** @throws the same errors as `runTurns`; the transcript is kept, so another execution can continue it. */
export const notesFrom = async (
  explorer: ModelExplorer,
  told: { readonly asking: Asking; readonly part: Part },
  signal: AbortSignal,
): Promise<Notes> => {
  const { outcome, spent, protect } = await converse(explorer, told, signal);
  if (outcome === null) return { v: 1, outcome: 'failed', text: '', spent: NOTHING_SPENT };
  return { ...(await notesOf(outcome, protect, signal)), spent };
};

const OUTCOMES = {
  found: 'answered',
  nothing_found: 'nothing_found',
  failed: 'failed',
  budget_exceeded: 'budget_exceeded',
} as const;

const notesOf = async (outcome: Outcome, protect: Protect, signal: AbortSignal): Promise<Omit<Notes, 'spent'>> => {
  const answer = explorerAnswer('', outcome);
  const text = await protect(answer.notes, signal);
  return { v: 1, outcome: OUTCOMES[answer.outcome], text: text.slice(0, cutPoint(text, MAX_NOTES)) };
};
