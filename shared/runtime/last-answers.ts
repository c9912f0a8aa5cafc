/** What forges and models last answered to this process, for the operator's page. Bounded in memory. */
import type { LastAnswer } from '../store/board/heartbeats.ts';

export type LastAnswers = {
  /** `of` is `model`, or a forge as in `forge main`. `outcome` is a short word or an error code, never a text of the other side. */
  readonly note: (of: string, outcome: string) => void;
  readonly list: () => readonly LastAnswer[];
};

const MOST = 50;
const MAX_TEXT = 80;

export const createLastAnswers = (nowMs: () => number): LastAnswers => {
  const answers = new Map<string, LastAnswer>();
  return {
    note: (of, outcome) => {
      if (!answers.has(of) && answers.size >= MOST) return;
      answers.set(of, { of: of.slice(0, MAX_TEXT), outcome: outcome.slice(0, MAX_TEXT), atMs: nowMs() });
    },
    list: () => [...answers.values()],
  };
};
