/** Applies a draft's answers to the open threads: one legal action each, and `resolve` only where it is permitted. */
import { isGrave } from '../model/blocking.ts';
import type { Resolvable } from '../model/draft.ts';
import type { Handled, Left } from '../model/gate-result.ts';
import type { Thread } from '../model/history.ts';
import { stepThread } from '../model/thread.ts';
import type { ThreadAnswer } from '../../vocabulary/finding.ts';

export type HandledThreads = {
  readonly handled: readonly Handled[];
  readonly left: readonly Left[];
  readonly violations: readonly string[];
};

type ThreadsRules = {
  readonly threadCount: number;
  readonly finalRound: boolean;
  readonly cutShort: boolean;
  readonly resolvable: readonly Resolvable[];
};

export const handleThreads = (
  open: readonly Thread[],
  answers: readonly ThreadAnswer[],
  rules: ThreadsRules,
): HandledThreads => {
  const handled: Handled[] = [];
  const left: Left[] = [];
  const violations: string[] = [];
  for (const thread of open) {
    const mine = answers.filter((answer) => answer.findingId === thread.id);
    const [answer] = mine;
    if (answer === undefined && rules.cutShort) left.push({ thread, why: 'not_looked_at' });
    else if (answer === undefined || mine.length > 1)
      violations.push(`${thread.id} has ${mine.length} actions instead of exactly one`);
    else if (answer.action === 'resolve' && !mayResolve(thread, rules.resolvable)) left.push({ thread, why: 'waits' });
    else {
      const step = stepThread(thread, answer, rules);
      if (step.kind === 'illegal') violations.push(`${thread.id}: ${step.reason}`);
      else handled.push({ thread, answer, next: step.thread });
    }
  }
  const known = new Set(open.map(({ id }) => id));
  for (const answer of answers)
    if (!known.has(answer.findingId)) violations.push(`${answer.findingId} is not an open thread`);
  return { handled, left, violations };
};

/** A P0 or P1 cannot be resolved by a quoted change elsewhere, because nothing verifies that: the thread stays open. */
const mayResolve = ({ id, severity }: Thread, resolvable: readonly Resolvable[]): boolean =>
  resolvable.some(({ findingId, why }) => findingId === id && !(why === 'elsewhere' && isGrave(severity)));
