import type { Notes, Question } from '../../shared/vocabulary/question.ts';
import type { Asking, ModelExplorer } from './converse.ts';
import { exploreWithModel } from './explore-with-model.ts';
import { findWithModel } from './find-with-model.ts';
import { verifyWithModel } from './verify-with-model.ts';

export type ModelQuestion = Exclude<Question, { readonly kind: 'who_uses' }>;

/** `model`: the model of the question's role. @throws the same errors as `runTurns`; the transcript is kept. */
export const answerWithModel = async (
  model: ModelExplorer,
  { asking, question }: { readonly asking: Asking; readonly question: ModelQuestion },
  signal: AbortSignal,
): Promise<Notes> => {
  switch (question.kind) {
    case 'explore':
      return exploreWithModel(model, { ...asking, question }, signal);
    case 'find':
      return findWithModel(model, { ...asking, question }, signal);
    case 'verify':
      return verifyWithModel(model, { ...asking, question }, signal);
    default:
      return question satisfies never;
  }
};
