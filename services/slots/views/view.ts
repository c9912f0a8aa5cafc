import type { LiveRunStateStore } from '../live-state.ts';

export type ViewOptions = {
  readonly store: LiveRunStateStore;
  readonly stream: NodeJS.WriteStream;
  /** Lines of output per slot. */
  readonly preview: number;
};

/** Contract: `close` draws the last state and gives the terminal back as it was; a second call does nothing. */
export type View = { readonly close: () => Promise<void> };
