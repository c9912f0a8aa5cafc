import type { LiveRunStateStore } from '../live-state.ts';

/** `mono`: no colours. */
export type Theme = 'default' | 'mono';

export type ViewOptions = {
  readonly store: LiveRunStateStore;
  readonly stream: NodeJS.WriteStream;
  /** Lines of output per slot. */
  readonly preview: number;
  readonly theme: Theme;
  /** Where nothing is drawn in place: print each line of the agents too. */
  readonly showRaw: boolean;
};

/** Contract: `close` draws the last state and gives the terminal back as it was; a second call does nothing. */
export type View = { readonly close: () => Promise<void> };
