import type { LiveRunStateStore } from '../live-state.ts';

export type Theme = 'default' | 'mono';

export type ViewOptions = {
  readonly store: LiveRunStateStore;
  readonly stream: NodeJS.WriteStream;
  readonly preview: number;
  readonly theme: Theme;
  /** Also prints each line of the agents, in a view that does not redraw in place. */
  readonly showRaw: boolean;
};

/** Contract: `close` draws the last state and restores the terminal; a second call does nothing. */
export type View = { readonly close: () => Promise<void> };
