import { escapeForTerminalLine } from '../../../shared/text/visible.ts';
import { type LiveAgent, type LiveRunState, shownLines } from '../live-state.ts';
import { badgeOf } from './rows.ts';
import type { View, ViewOptions } from './view.ts';

const doing = ({ status, reviewPhase, note }: LiveAgent): string => {
  if (reviewPhase !== null) return badgeOf(reviewPhase).text.trim();
  if (status === 'running') return 'implementing';
  const ended = status === 'unchanged' ? 'no changes' : status;
  return note === null ? ended : `${ended}: ${escapeForTerminalLine(note)}`;
};

export const newLines = (before: LiveRunState, after: LiveRunState): readonly string[] => {
  const lines: string[] = [];
  const isNew = before.iteration !== after.iteration;
  if (isNew) lines.push(`iteration ${after.iteration} of ${after.iterations}`);
  if (after.notice !== null && after.notice !== before.notice) lines.push(escapeForTerminalLine(after.notice));
  for (const agent of after.agents) {
    const known = isNew ? undefined : sameSlot(before, agent);
    const what = doing(agent);
    if (known === undefined || (doing(known) !== what && !isBetween(agent))) {
      lines.push(`slot ${agent.slot}: ${escapeForTerminalLine(agent.taskId ?? agent.title)}: ${what}`);
    }
  }
  if (after.paused !== null && after.paused !== before.paused) lines.push(after.paused);
  return lines;
};

const sameSlot = ({ agents }: LiveRunState, { slot }: LiveAgent): LiveAgent | undefined =>
  agents.find((agent) => agent.slot === slot);

const isBetween = ({ status, reviewPhase }: LiveAgent): boolean => status === 'running' && reviewPhase === null;

/** The agents' output between two consecutive states, which is at most one line per agent. */
export const rawLines = (before: LiveRunState, after: LiveRunState): readonly string[] =>
  after.agents.flatMap((agent) => {
    const known = sameSlot(before, agent);
    const printed = known !== undefined && (known.lines !== agent.lines || known.reviewLines !== agent.reviewLines);
    const line = printed ? shownLines(agent).at(-1) : undefined;
    return line === undefined ? [] : [`slot ${agent.slot} | ${escapeForTerminalLine(line)}`];
  });

export const openLinesView = ({ store, stream, showRaw }: ViewOptions): View => {
  let told = store.get();
  const unsubscribe = store.subscribe(() => {
    const now = store.get();
    const lines = [...newLines(told, now), ...(showRaw ? rawLines(told, now) : [])];
    for (const line of lines) stream.write(`${line}\n`);
    told = now;
  });
  return {
    close: () => {
      unsubscribe();
      return Promise.resolve();
    },
  };
};
