/** The same screen by Ink, which lays it out by the terminal's real width and keeps what scrolled away. */
import { Box, render, Text, type TextProps } from 'ink';
import { createElement, type FunctionComponent, type ReactNode, useSyncExternalStore } from 'react';
import type { LiveRunStateStore } from '../live-state.ts';
import { type Row, rowsOf, type Segment, type Style } from './rows.ts';
import type { View, ViewOptions } from './view.ts';

const PROPS: Readonly<Record<Style, TextProps>> = {
  plain: {},
  dim: { dimColor: true },
  bold: { bold: true },
  red: { color: 'red' },
  green: { color: 'green' },
  badge_review: { backgroundColor: 'cyan', color: 'black' },
  badge_fix: { backgroundColor: 'yellow', color: 'black' },
};

const drawSegment = ({ text, style }: Segment, key: number): ReactNode =>
  createElement(Text, { ...PROPS[style], key }, text);

const drawRow = (row: Row, key: number): ReactNode =>
  createElement(Text, { key, wrap: 'truncate' }, row.map(drawSegment));

export type ScreenProps = { readonly store: LiveRunStateStore; readonly preview: number };

export const Screen: FunctionComponent<ScreenProps> = ({ store, preview }) => {
  const state = useSyncExternalStore(store.subscribe, store.get);
  return createElement(Box, { flexDirection: 'column' }, rowsOf(state, preview).map(drawRow));
};

export const openInkView = ({ store, stream, preview }: ViewOptions): View => {
  // Ctrl-C is the loop's own: it has agents to end first.
  const options = { stdout: stream, exitOnCtrlC: false, patchConsole: false };
  const ink = render(createElement(Screen, { store, preview }), options);
  return {
    close: async () => {
      ink.unmount();
      await ink.waitUntilExit();
    },
  };
};
