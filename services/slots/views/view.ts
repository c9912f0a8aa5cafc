import type { LiveRunStateStore } from '../live-state.ts';

export type Theme = 'default' | 'mono';

export type ViewOptions = {
  readonly store: LiveRunStateStore;
  readonly stream: NodeJS.WriteStream;
  readonly preview: number;
  readonly theme: Theme;
  /** In a view that does not redraw in place, also prints each line of the agents. */
  readonly showRaw: boolean;
};

/** Contract: `close` draws the last state and restores the terminal. A second call does nothing. */
export type View = { readonly close: () => Promise<void> };
