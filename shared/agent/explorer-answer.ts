import type { Outcome } from './outcome.ts';
import type { ExplorerAnswer } from './transcript.ts';

/** Contract: the notes are unredacted; `presentAnswers` redacts and fences them before a model sees them. */
export const explorerAnswer = (callId: string, outcome: Outcome): ExplorerAnswer => {
  switch (outcome.kind) {
    case 'explored':
      return { callId, outcome: outcome.found ? 'found' : 'nothing_found', notes: outcome.found ? outcome.notes : '' };
    case 'budget_exceeded':
      return { callId, outcome: 'budget_exceeded', notes: outcome.notes };
    case 'violation':
    case 'unreadable':
    case 'refusal':
    case 'model_failed':
      return { callId, outcome: 'failed', notes: outcome.notes };
    // An explorer has no tool to submit with, so this cannot happen.
    case 'submitted':
    case 'verified':
      return { callId, outcome: 'failed', notes: '' };
    default:
      return outcome satisfies never;
  }
};
