/** A screen that is drawn anew in place, with nothing but ANSI sequences. */
import { styleText } from 'node:util';
import cliTruncate from 'cli-truncate';
import { type Row, rowsOf, type Segment, type Style } from './rows.ts';
import type { View, ViewOptions } from './view.ts';

const FORMATS: Readonly<Record<Style, Parameters<typeof styleText>[0]>> = {
  plain: 'reset',
  dim: 'dim',
  bold: 'bold',
  red: 'red',
  green: 'green',
  badge_review: ['bgCyan', 'black'],
  badge_fix: ['bgYellow', 'black'],
};

const paint = ({ text, style }: Segment): string =>
  style === 'plain' ? text : styleText(FORMATS[style], text, { validateStream: false });

/** Wide characters take two columns, colours none. */
const drawRow = (row: Row, columns: number): string => cliTruncate(row.map(paint).join(''), columns);

const HIDE_CURSOR = '\u001b[?25l';
const SHOW_CURSOR = '\u001b[?25h';
const REDRAW_MS = 100;

/** Goes up over what was drawn last, and clears from there. */
const goBack = (lines: number): string => (lines === 0 ? '' : `\u001b[${lines}A\r\u001b[J`);

export const openAnsiView = ({ store, stream, preview }: ViewOptions): View => {
  let drawn = 0;
  let timer: NodeJS.Timeout | null = null;
  let closed = false;
  const draw = (): void => {
    timer = null;
    const rows = rowsOf(store.get(), preview).slice(-Math.max(1, (stream.rows || 24) - 1));
    const text = rows.map((row) => `${drawRow(row, (stream.columns || 80) - 1)}\n`).join('');
    stream.write(`${goBack(drawn)}${text}`);
    drawn = rows.length;
  };
  stream.write(HIDE_CURSOR);
  const unsubscribe = store.subscribe(() => {
    timer ??= setTimeout(draw, REDRAW_MS);
  });
  return {
    close: () => {
      if (!closed) {
        closed = true;
        unsubscribe();
        if (timer !== null) clearTimeout(timer);
        draw();
        stream.write(SHOW_CURSOR);
      }
      return Promise.resolve();
    },
  };
};
