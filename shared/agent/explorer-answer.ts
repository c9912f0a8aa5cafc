/** What an explorer's end means to the reviewer that asked. "Nothing found" is an answer, a failure is none. */
import type { Outcome } from './outcome.ts';
import type { ExplorerAnswer } from './transcript.ts';

/** Contract: the notes are as the explorer wrote them; `presentAnswers` makes them fit for a model. */
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
    // An explorer is not offered the tool that hands in a review.
    case 'submitted':
      return { callId, outcome: 'failed', notes: '' };
    default:
      return outcome satisfies never;
  }
};
