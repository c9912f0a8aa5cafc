import type { Task } from './task.ts';

const chooseBelow = (below: string): string =>
  `Choose one ready task below ${below} (\`bd ready --parent ${below}\`), name that task, and do it. Do nothing outside ` +
  `${below}: if nothing below it is ready, there is no task for you.`;

/** `task` is null when the agent must choose a task. `below`: only descendants of this bead are allowed; empty for all. */
export const taskPrompt = (task: Task | null, below: string): string => {
  if (task === null) {
    return below === '' ? 'Choose one ready task (`bd ready`), name that task, and do it.' : chooseBelow(below);
  }
  const text = task.description === '' ? '' : `\n\n${task.description}`;
  const bound =
    below === '' ? '' : `\n\nThis task is part of ${below}. Do this task only, nothing else in or outside ${below}.`;
  return `# Your task\n\n${task.id}: ${task.title}${text}${bound}`;
};

export const unlistedNotice = (reason: string, isReviewOn: boolean): string =>
  `there is no task list: ${reason}; agents choose tasks themselves` +
  (isReviewOn ? ', and work that names no bead (bd update, bd close) is not reviewed' : '');
