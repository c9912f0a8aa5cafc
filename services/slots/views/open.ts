import { openAnsiView } from './ansi.ts';
import { openLinesView } from './lines.ts';
import type { View, ViewOptions } from './view.ts';

/** `auto`: Ink on a terminal, otherwise lines. `ink` and `ansi` also use lines when the output is not a terminal. */
export const openView = async (kind: 'auto' | 'ink' | 'ansi' | 'lines', options: ViewOptions): Promise<View> => {
  if (kind === 'lines' || !options.stream.isTTY) return openLinesView(options);
  if (kind === 'ansi') return openAnsiView(options);
  // This import is lazy, because only this view needs React and a layout engine.
  const { openInkView } = await import('./ink.ts');
  return openInkView(options);
};
