import type { Protect } from '../../shared/agent/present-result.ts';
import { finderOpening, finderSystem } from '../../shared/agent/prompt/finder.ts';
import { protectTexts } from '../../shared/agent/prompt/protect-texts.ts';
import { createWriteNotesTool } from '../../shared/agent/tools/write-notes.ts';
import type { Notes, Question } from '../../shared/vocabulary/question.ts';
import type { Asking, ModelExplorer } from './converse.ts';
import { notesFrom } from './notes-from.ts';

export type FindingOne = Asking & { readonly question: Question & { readonly kind: 'find' } };

/** @throws the same errors as `runTurns`; the transcript is kept, so another execution can continue it. */
export const findWithModel = async (
  explorer: ModelExplorer,
  { question, ...asking }: FindingOne,
  signal: AbortSignal,
): Promise<Notes> => {
  const part = {
    role: 'explorer' as const,
    spendingRole: 'finder' as const,
    model: explorer.agent.explorer.model,
    system: finderSystem(),
    opening: async (boundary: string, protect: Protect) =>
      finderOpening(
        { eye: question.eye, diff: (await protectTexts({ diff: question.diff }, protect, signal)).diff },
        boundary,
      ),
    closing: createWriteNotesTool,
  };
  return notesFrom(explorer, { asking, part }, signal);
};
