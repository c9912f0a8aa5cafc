import { openAnsiView } from './ansi.ts';
import { openLinesView } from './lines.ts';
import type { View, ViewOptions } from './view.ts';

/**
 * `auto`: Ink on a terminal, lines elsewhere. Only a terminal gets a screen that is drawn in place: elsewhere `ink` and
 * `ansi` mean lines too.
 */
export const openView = async (kind: 'auto' | 'ink' | 'ansi' | 'lines', options: ViewOptions): Promise<View> => {
  if (kind === 'lines' || !options.stream.isTTY) return openLinesView(options);
  if (kind === 'ansi') return openAnsiView(options);
  // Loaded only where it is shown: React and a layout engine are nothing for a service.
  const { openInkView } = await import('./ink.ts');
  return openInkView(options);
};
