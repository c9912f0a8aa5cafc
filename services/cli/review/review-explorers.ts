import { ModelError } from '../../../shared/agent/model/model-errors.ts';
import type { Notes } from '../../../shared/vocabulary/question.ts';
import type { Payer } from '../../../shared/runtime/connect-model.ts';
import { FINDER_TURNS, VERIFIER_TURNS } from '../../../shared/config/agent-settings.ts';
import { answerWithModel } from '../../explorer/answer-with-model.ts';
import type { Asked, Explorers } from '../../reviewer/run/explorers.ts';
import type { ToolTarget } from '../../reviewer/runners/agent.ts';
import type { LocalModel } from './review-model.ts';

export type LocalExplorers = {
  readonly model: LocalModel;
  readonly payer: Payer;
  /** Contract: returns the same checkout in every call. */
  readonly place: (signal: AbortSignal) => Promise<ToolTarget>;
};

/** The number is low, because providers limit the rate and more explorers hardly save time. */
const AT_ONCE = 4;

/** A fatal error of one explorer aborts the others. When `ask` settles, all explorers have ended. */
export const createLocalExplorers = (local: LocalExplorers): Explorers => ({
  ask: async (questions, signal) => {
    const notes: (Notes | null)[] = questions.map(() => null);
    const waiting = questions.entries();
    const failing = new AbortController();
    const together = AbortSignal.any([signal, failing.signal]);
    const workNext = async (): Promise<void> => {
      try {
        for (const [index, question] of waiting) notes[index] = await explore(local, question, together);
      } catch (error) {
        failing.abort(error);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, workNext));
    together.throwIfAborted();
    return notes;
  },
});

/** Returns null when the provider failed. The review then continues without this explorer. */
const explore = async (
  { model, payer, place }: LocalExplorers,
  { id, question }: Asked,
  signal: AbortSignal,
): Promise<Notes | null> => {
  if (question.kind === 'who_uses') throw new TypeError('a reviewer cannot ask this kind of question');
  const { maxTurns, maxRuntimeS } = model.agent.explorer;
  const turns = { explore: maxTurns, find: FINDER_TURNS, verify: VERIFIER_TURNS }[question.kind];
  const isSuperseded = async (): Promise<boolean> => false;
  try {
    const asking = { id, ...(await place(signal)), payer, maxTurns: turns, maxRuntimeS, isSuperseded };
    return await answerWithModel(model, { asking, question }, signal);
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof ModelError) return null;
    throw error;
  }
};
