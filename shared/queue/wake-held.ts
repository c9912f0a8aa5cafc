/** Wakes guard for the change requests whose events waited while their project was paused. */
import type { PausedProject, Pauses, ProjectOfForge } from '../store/board/pauses.ts';
import type { Inbox } from './inbox.ts';

export type HeldDeps = {
  readonly pauses: Pick<Pauses, 'held' | 'release'>;
  readonly inbox: Pick<Inbox, 'notify'>;
  readonly nowMs: () => number;
};

const MOST = 10_000;

/** Contract: the project is not paused any more. If the process ends too early, the next sweep wakes the rest. */
export const wakeHeld = async ({ pauses, inbox, nowMs }: HeldDeps, project: ProjectOfForge): Promise<void> => {
  for (const of of await pauses.held(project, MOST)) {
    const atMs = nowMs();
    await inbox.notify(of, { source: 'wake', id: `continued-${atMs}`, atMs });
    await pauses.release(of);
  }
};

export const pauseText = ({ forge, projectId, atMs, by, held }: PausedProject): string => {
  const waiting = held === 1 ? '1 change request waits' : `${held} change requests wait`;
  return `paused: project ${forge}/${projectId} since ${new Date(atMs).toISOString()} by ${by}; ${waiting}`;
};
