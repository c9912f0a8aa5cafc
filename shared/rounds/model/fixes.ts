/** Which findings a fix works on, and how many fixes there may be. */
import { stillBlocks } from './blocking.ts';
import type { Policy } from './facts.ts';
import type { History, Thread } from './history.ts';

/** What a fix works on. A thread that was handed to a human is left to them, unless a commander asks for the fix. */
export const findingsToFix = ({ threads }: History, isRequested: boolean): readonly Thread[] =>
  threads.filter((thread) => stillBlocks(thread) && (isRequested || thread.state === 'open'));

/** Every fix is followed by a round that checks it: with R rounds at most R - 1 fixes. */
export const maxFixes = ({ rounds }: Pick<Policy, 'rounds'>): number => rounds.max - 1;
