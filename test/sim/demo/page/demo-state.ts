/** What the page shows, in one value: pages are a pure function of it. */
import type { KillState } from '../kill.ts';
import type { Step } from '../step.ts';

export type DemoState = {
  readonly title: string;
  /** Address of the simulated forge. */
  readonly forgeUrl: string;
  /** The change request of the story. Null before it is opened. */
  readonly change: { readonly number: number; readonly url: string } | null;
  /** Names of all steps of the story, also of those that are still to come. */
  readonly names: readonly string[];
  readonly steps: readonly Step[];
  readonly limitUsd: number;
  /** Process id of the poster that runs now. */
  readonly posterPid: number;
  /** The last kill. Null before the first. */
  readonly kill: KillState | null;
  /** How often the poster may still be killed. */
  readonly killsLeft: number;
};

export const isPlaying = ({ names, steps }: DemoState): boolean => steps.length < names.length;

export const isKilling = ({ kill }: DemoState): boolean =>
  kill !== null && kill.phase !== 'done' && kill.phase !== 'failed';

/** Null: the page of the kill. */
export type Tab = number | null;

export const pathOf = (tab: Tab): string => (tab === null ? '/kill' : `/step/${tab + 1}`);
