/** One line for each thing that happens: for logs, pipes and continuous integration. */
import { escapeForTerminalLine } from '../../../shared/text/visible.ts';
import type { LiveAgent, LiveRunState } from '../live-state.ts';
import { badgeOf } from './rows.ts';
import type { View, ViewOptions } from './view.ts';

const doing = ({ status, reviewPhase, note }: LiveAgent): string => {
  if (reviewPhase !== null) return badgeOf(reviewPhase).text.trim();
  if (status === 'running') return 'implementing';
  return note === null ? status : `${status}: ${escapeForTerminalLine(note)}`;
};

/** What `after` says that `before` did not. */
export const newLines = (before: LiveRunState, after: LiveRunState): readonly string[] => {
  const lines: string[] = [];
  const isNew = before.iteration !== after.iteration;
  if (isNew) lines.push(`iteration ${after.iteration} of ${after.iterations}`);
  for (const agent of after.agents) {
    const known = isNew ? undefined : before.agents.find(({ slot }) => slot === agent.slot);
    const what = doing(agent);
    // A fixer that ended and the review that follows are two things although nothing lies between them.
    if (known === undefined || (doing(known) !== what && !isBetween(agent))) {
      lines.push(`slot ${agent.slot}: ${escapeForTerminalLine(agent.taskId ?? agent.title)}: ${what}`);
    }
  }
  if (after.paused !== null && after.paused !== before.paused) lines.push(after.paused);
  return lines;
};

/** The phase was cleared and the end is not told yet. */
const isBetween = ({ status, reviewPhase, lines }: LiveAgent): boolean =>
  status === 'running' && reviewPhase === null && lines.length > 0;

export const openLinesView = ({ store, stream }: ViewOptions): View => {
  let told = store.get();
  const unsubscribe = store.subscribe(() => {
    const now = store.get();
    for (const line of newLines(told, now)) stream.write(`${line}\n`);
    told = now;
  });
  return {
    close: () => {
      unsubscribe();
      return Promise.resolve();
    },
  };
};
