/** Redraws the screen in place with plain ANSI sequences. */
import { styleText } from 'node:util';
import cliTruncate from 'cli-truncate';
import { type Row, rowsOf, type Segment, type Style } from './rows.ts';
import type { Theme, View, ViewOptions } from './view.ts';

type Formats = Readonly<Record<Style, Parameters<typeof styleText>[0]>>;

const FORMATS: Readonly<Record<Theme, Formats>> = {
  default: {
    plain: 'reset',
    dim: 'dim',
    bold: 'bold',
    red: 'red',
    green: 'green',
    badge_review: ['bgCyan', 'black'],
    badge_fix: ['bgYellow', 'black'],
  },
  mono: {
    plain: 'reset',
    dim: 'dim',
    bold: 'bold',
    red: 'bold',
    green: 'reset',
    badge_review: 'inverse',
    badge_fix: 'inverse',
  },
};

const paint = ({ text, style }: Segment, theme: Theme): string =>
  style === 'plain' ? text : styleText(FORMATS[theme][style], text, { validateStream: false });

/** Cuts a row by display width: wide characters take two columns, colours take none. */
const drawRow = (row: Row, columns: number, theme: Theme): string =>
  cliTruncate(row.map((segment) => paint(segment, theme)).join(''), columns);

const HIDE_CURSOR = '\u001b[?25l';
const SHOW_CURSOR = '\u001b[?25h';
const REDRAW_MS = 100;

const goBack = (lines: number): string => (lines === 0 ? '' : `\u001b[${lines}A\r\u001b[J`);

export const openAnsiView = ({ store, stream, preview, theme }: ViewOptions): View => {
  let drawn = 0;
  let timer: NodeJS.Timeout | null = null;
  let closed = false;
  const draw = (): void => {
    timer = null;
    const rows = rowsOf(store.get(), preview).slice(-Math.max(1, (stream.rows || 24) - 1));
    const text = rows.map((row) => `${drawRow(row, (stream.columns || 80) - 1, theme)}\n`).join('');
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
