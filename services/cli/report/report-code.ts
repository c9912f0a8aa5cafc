/** The code of a finding for a terminal, with line numbers; the lines of the finding are marked. */
import { showHidden } from '../../../shared/text/visible.ts';
import type { Paint } from '../terminal/paint.ts';
import type { Printable } from './report-parts.ts';

const MAX_WIDTH = 160;

export const codeLines = ({ code, startLine, line }: Printable, paint: Paint): readonly string[] => {
  if (code === null || code === undefined || code.lines.length === 0) return [];
  const width = String(code.startLine + code.lines.length - 1).length;
  return code.lines.map((text, index) => {
    const number = code.startLine + index;
    const isMeant = number >= startLine && number <= line;
    const gutter = `${isMeant ? '>' : ' '} ${String(number).padStart(width)} |`;
    const shown = cut(showHidden(text).replaceAll('\t', '  '));
    return `  ${paint(isMeant ? 'red' : 'dim', gutter)} ${shown}`.trimEnd();
  });
};

/** In code points, so that no character is cut in two. */
const cut = (text: string): string => {
  const points = Array.from(text);
  return points.length <= MAX_WIDTH ? text : `${points.slice(0, MAX_WIDTH).join('')}…`;
};
