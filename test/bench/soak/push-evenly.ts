/** Opens change requests and pushes once to each, at an even pace. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Fleet } from '../../support/fleet.ts';
import { openStory, pushReview, type Told } from '../../support/fleet-story.ts';

export type Pushing = {
  readonly fleet: Fleet;
  readonly changeRequests: number;
  /** From the first action to the end. */
  readonly durationMs: number;
  readonly signal: AbortSignal;
  /** Called after each action. */
  readonly onDone: (kind: Action['kind']) => void;
};

/** So many change requests are opened between the first head of one and its second. */
const BETWEEN = 10;
/** The review of the story of which the second push is. */
const SECOND = 2;

type Action = { readonly kind: 'open' | 'push'; readonly index: number };

/** Two actions for each change request. */
export const planActions = (changeRequests: number): readonly Action[] =>
  Array.from({ length: changeRequests + BETWEEN }, (_, index): readonly Action[] => [
    ...(index < changeRequests ? [{ kind: 'open', index } as const] : []),
    ...(index >= BETWEEN ? [{ kind: 'push', index: index - BETWEEN } as const] : []),
  ]).flat();

/**
 * Ends after `durationMs`, also when the machine was too slow for all actions. Actions that are late follow one another
 * without a pause.
 */
export const pushEvenly = async ({ fleet, changeRequests, durationMs, signal, onDone }: Pushing): Promise<void> => {
  const startedAt = performance.now();
  const sinceStart = (): number => performance.now() - startedAt;
  const actions = planActions(changeRequests);
  const open: Told[] = [];
  for (const [at, { kind, index }] of actions.entries()) {
    await pause(Math.max(0, (at * durationMs) / actions.length - sinceStart()), undefined, { signal });
    if (sinceStart() >= durationMs) return;
    const told = open[index];
    if (told !== undefined) await pushReview(fleet, told, SECOND);
    else open.push(await openStory(fleet, fleet.repos[index % fleet.repos.length] ?? '', `change-${index + 1}`));
    onDone(kind);
  }
  await pause(Math.max(0, durationMs - sinceStart()), undefined, { signal });
};
