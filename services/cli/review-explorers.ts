/** Explorers of a review on the command line: conversations in this process, over one tree that they share. */
import { ModelError } from '../../shared/agent/model-errors.ts';
import type { Notes } from '../../shared/rounds/question.ts';
import type { Payer } from '../../shared/connect-model.ts';
import type { Tree } from '../../shared/workspace/tree.ts';
import { exploreWithModel } from '../explorer/explore-with-model.ts';
import type { Asked, Explorers } from '../reviewer/explorers.ts';
import type { LocalModel } from './review-model.ts';

export type LocalExplorers = {
  readonly model: LocalModel;
  readonly payer: Payer;
  /** Contract: what they look into; the same one every time. */
  readonly tree: (signal: AbortSignal) => Promise<Tree>;
};

/** A provider limits the rate; a person who waits gains little from more. */
const AT_ONCE = 4;

export const createLocalExplorers = (local: LocalExplorers): Explorers => ({
  ask: async (questions, signal) => {
    const notes: (Notes | null)[] = questions.map(() => null);
    const waiting = questions.entries();
    const workNext = async (): Promise<void> => {
      for (const [index, question] of waiting) notes[index] = await explore(local, question, signal);
    };
    await Promise.all(Array.from({ length: AT_ONCE }, workNext));
    return notes;
  },
});

/** Null for an explorer that was lost because the provider failed: the review goes on without it. */
const explore = async (
  { model, payer, tree }: LocalExplorers,
  { id, question, files, changedPaths }: Asked,
  signal: AbortSignal,
): Promise<Notes | null> => {
  const { maxTurns, maxRuntimeS } = model.agent.explorer;
  const asked = {
    v: 1 as const,
    kind: 'explore' as const,
    question,
    files: [...files],
    changedPaths: [...changedPaths],
  };
  try {
    return await exploreWithModel(
      model,
      {
        id,
        question: asked,
        tree: await tree(signal),
        bash: null,
        payer,
        maxTurns,
        maxRuntimeS,
        isSuperseded: async () => false,
      },
      signal,
    );
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof ModelError) return null;
    throw error;
  }
};
