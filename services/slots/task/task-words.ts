/** What is said about tasks, to agents and to whoever watches. Pure. */
import type { Task } from './task.ts';

const chooseBelow = (below: string): string =>
  `Choose one task that is ready below ${below} (\`bd ready --parent ${below}\`), say which, and do it. Nothing outside ` +
  `of ${below} is yours: when nothing below it is ready, there is no task for you.`;

/** `task`: null when the agent has to choose. `below`: the bead that bounds what may be done; empty for no bound. */
export const taskPrompt = (task: Task | null, below: string): string => {
  if (task === null) {
    return below === '' ? 'Choose one task that is ready (`bd ready`), say which, and do it.' : chooseBelow(below);
  }
  const text = task.description === '' ? '' : `\n\n${task.description}`;
  const bound =
    below === '' ? '' : `\n\nIt is a part of ${below}. Do this one and no other, above all none outside of ${below}.`;
  return `# Your task\n\n${task.id}: ${task.title}${text}${bound}`;
};

/** Nobody may wonder why agents choose by themselves, or why nothing of theirs is reviewed. */
export const unlistedNotice = (reason: string, isReviewOn: boolean): string =>
  `there is no list of tasks: ${reason}; agents choose by themselves` +
  (isReviewOn ? ', and whoever names no bead (bd update, bd close) is not reviewed' : '');
