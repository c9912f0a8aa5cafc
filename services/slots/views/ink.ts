import { Box, render, Text, type TextProps } from 'ink';
import { createElement, type FunctionComponent, type ReactNode, useSyncExternalStore } from 'react';
import type { LiveRunStateStore } from '../live-state.ts';
import { type Row, rowsOf, type Style } from './rows.ts';
import type { Theme, View, ViewOptions } from './view.ts';

const PROPS: Readonly<Record<Theme, Readonly<Record<Style, TextProps>>>> = {
  default: {
    plain: {},
    dim: { dimColor: true },
    bold: { bold: true },
    red: { color: 'red' },
    green: { color: 'green' },
    badge_review: { backgroundColor: 'cyan', color: 'black' },
    badge_fix: { backgroundColor: 'yellow', color: 'black' },
  },
  mono: {
    plain: {},
    dim: { dimColor: true },
    bold: { bold: true },
    red: { bold: true },
    green: {},
    badge_review: { inverse: true },
    badge_fix: { inverse: true },
  },
};

export const drawRow = (row: Row, key: number, theme: Theme): ReactNode => {
  const segments = row.map(({ text, style }, at) => createElement(Text, { ...PROPS[theme][style], key: at }, text));
  return createElement(Text, { key, wrap: 'truncate' }, segments);
};

export type ScreenProps = { readonly store: LiveRunStateStore; readonly preview: number; readonly theme: Theme };

export const Screen: FunctionComponent<ScreenProps> = ({ store, preview, theme }) => {
  const state = useSyncExternalStore(store.subscribe, store.get);
  const rows = rowsOf(state, preview).map((row, key) => drawRow(row, key, theme));
  return createElement(Box, { flexDirection: 'column' }, rows);
};

export const openInkView = ({ store, stream, preview, theme }: ViewOptions): View => {
  // The loop handles Ctrl-C itself, because it has to end its agents first.
  const options = { stdout: stream, exitOnCtrlC: false, patchConsole: false };
  const ink = render(createElement(Screen, { store, preview, theme }), options);
  return {
    close: async () => {
      ink.unmount();
      await ink.waitUntilExit();
    },
  };
};
