import type { Protect } from '../../shared/agent/present-result.ts';
import { explorerOpening } from '../../shared/agent/prompt/explorer-opening.ts';
import { protectTexts } from '../../shared/agent/prompt/protect-texts.ts';
import { explorerSystem } from '../../shared/agent/prompt/system.ts';
import { createWriteNotesTool } from '../../shared/agent/tools/write-notes.ts';
import type { Notes, Question } from '../../shared/vocabulary/question.ts';
import type { Asking, ModelExplorer } from './converse.ts';
import { notesFrom } from './notes-from.ts';

export type Exploration = Asking & { readonly question: Question & { readonly kind: 'explore' } };

/** @throws the same errors as `runTurns`; the transcript is kept, so another execution can continue it. */
export const exploreWithModel = async (
  explorer: ModelExplorer,
  exploration: Exploration,
  signal: AbortSignal,
): Promise<Notes> => {
  const { question: asked, ...asking } = exploration;
  const part = {
    role: 'explorer' as const,
    spendingRole: 'explorer' as const,
    model: explorer.agent.explorer.model,
    system: explorerSystem({ hasHistory: asking.bash !== null }),
    opening: async (boundary: string, protect: Protect) => {
      const { question, files, changedPaths } = await protectTexts(asked, protect, signal);
      return explorerOpening({ question, files, changedPaths }, boundary);
    },
    closing: createWriteNotesTool,
  };
  return notesFrom(explorer, { asking, part }, signal);
};
