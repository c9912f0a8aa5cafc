/** What a reader of the change request sees after a review: the verdict on its head, and the threads so far. Pure. */
import type { SeenReview } from '../../../../shared/eval/result.ts';
import { type History, placeToday, type Thread } from '../../../../shared/rounds/model/history.ts';
import { findInput, type Input } from '../../../../shared/rounds/model/input.ts';
import type { FindingState } from '../../../../shared/rounds/model/marker-payload.ts';

/** States in which the author still has to do something. An unverified claim has no thread. */
const OPEN: ReadonlySet<FindingState> = new Set<FindingState>(['open', 'vetoed', 'escalated']);

const isThread = ({ state }: Thread): boolean => state !== 'unverified';

/** `said`: what the status says; shown if there is no verdict. */
export const seenIn = ({ reviewed, threads }: History, input: Input, said: string): SeenReview => {
  const verdict = findInput(reviewed, input)?.verdict ?? 'inconclusive';
  return {
    verdict,
    threads: threads.filter(isThread).map((thread) => {
      const { id, fingerprint, state, severity, title } = thread;
      const { path, line } = placeToday(thread);
      return { id: `${id} ${fingerprint}`, path, line, isOpen: OPEN.has(state), severity, title };
    }),
    notes: verdict === 'inconclusive' ? [said] : [],
  };
};
