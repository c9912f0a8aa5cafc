/**
 * Applies a draft's answers to the open threads. A thread whose lines changed, or that was answered, needs exactly one
 * legal action. Any other thread waits: it may be resolved if there is a reason, and otherwise nothing happens to it.
 */
import { isGrave } from '../model/blocking.ts';
import type { Stage } from '../model/counts.ts';
import type { Resolvable } from '../model/draft.ts';
import type { Handled, Left } from '../model/gate-result.ts';
import type { Thread } from '../model/history.ts';
import { stepThread, type ThreadStep } from '../model/thread.ts';
import type { ThreadAnswer } from '../../vocabulary/finding.ts';
import type { FindingId } from '../../vocabulary/ids.ts';

export type HandledThreads = {
  readonly handled: readonly Handled[];
  readonly left: readonly Left[];
  readonly violations: readonly string[];
};

type ThreadsRules = {
  readonly threadCount: number;
  readonly stage: Stage;
  readonly cutShort: boolean;
  /** Threads of a part that was not reviewed: nobody was asked about them. */
  readonly unanswered: readonly FindingId[];
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
    if (mine.length > 1) violations.push(`${thread.id} has ${mine.length} actions instead of exactly one`);
    else if (answer === undefined) {
      const isMissing = mustHandle(thread, rules);
      if (isMissing && !rules.cutShort && !rules.unanswered.includes(thread.id))
        violations.push(`${thread.id} has 0 actions instead of exactly one`);
      else left.push({ thread, why: isMissing ? 'not_looked_at' : 'waits' });
    } else if (answer.action === 'resolve' && !mayResolve(thread, rules)) left.push({ thread, why: 'waits' });
    else {
      const step = stepOf(thread, answer, rules);
      if (step.kind === 'illegal') violations.push(`${thread.id}: ${step.reason}`);
      else handled.push({ thread, answer, next: step.thread });
    }
  }
  const known = new Set(open.map(({ id }) => id));
  for (const answer of answers)
    if (!known.has(answer.findingId)) violations.push(`${answer.findingId} is not an open thread`);
  return { handled, left, violations };
};

/** A P0 or P1 is resolved by a change elsewhere only if a verifier confirmed it (`verified`). */
const mayResolve = ({ id, severity }: Thread, { resolvable }: ThreadsRules): boolean =>
  resolvable.some(({ findingId, why }) => findingId === id && !(why === 'elsewhere' && isGrave(severity)));

/** A finding that was only listed in the summary has no thread in which anyone waits for an answer. */
const isTouched = ({ id, listed }: Thread, { resolvable }: ThreadsRules): boolean =>
  listed !== true &&
  resolvable.some(({ findingId, why }) => findingId === id && (why === 'touched' || why === 'answered'));

/** A closing review takes no action on a thread except to resolve it. */
const mustHandle = (thread: Thread, rules: ThreadsRules): boolean =>
  rules.stage !== 'closing' && isTouched(thread, rules);

const stepOf = (thread: Thread, answer: ThreadAnswer, rules: ThreadsRules): ThreadStep =>
  answer.action === 'resolve' || isTouched(thread, rules)
    ? stepThread(thread, answer, rules)
    : { kind: 'illegal', reason: `${answer.action} is not allowed: its lines are unchanged and nobody has answered` };
