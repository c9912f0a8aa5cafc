/**
 * One line that is redrawn in place. Notices are printed above it. At the end the line is removed, so that only the
 * result remains.
 */
import { render, Static, Text } from 'ink';
import { createElement, Fragment, type ReactNode } from 'react';
import { escapeForTerminalLine } from '../../../shared/text/visible.ts';
import { workText } from './lines.ts';
import type { ProgressView } from './watch.ts';
import type { Work } from './work.ts';

export type LiveState = {
  readonly phase: string;
  readonly work: Work | null;
  readonly silentS: number;
  readonly notices: readonly string[];
};

const START: LiveState = { phase: 'connecting', work: null, silentS: 0, notices: [] };

export const liveText = ({ phase, work, silentS }: LiveState): string =>
  [
    escapeForTerminalLine(phase),
    ...(work === null ? [] : [workText(work)]),
    ...(silentS === 0 ? [] : [`no answer for ${silentS} s`]),
  ].join(' · ');

const line = (state: LiveState): ReactNode =>
  createElement(
    Fragment,
    null,
    createElement(Static<string>, {
      items: [...state.notices],
      children: (text, key) => createElement(Text, { key }, text),
    }),
    createElement(Text, { wrap: 'truncate', dimColor: state.silentS === 0 }, liveText(state)),
  );

export const openLive = (stream: NodeJS.WriteStream): ProgressView => {
  let state = START;
  // The command handles Ctrl-C itself: it removes its folders and then exits.
  const ink = render(line(state), { stdout: stream, exitOnCtrlC: false, patchConsole: false });
  const show = (change: Partial<LiveState>): void => {
    state = { ...state, ...change };
    ink.rerender(line(state));
  };
  return {
    step: (phase) => show({ phase, silentS: 0 }),
    notice: (text) => show({ notices: [...state.notices, `fixpoint: ${escapeForTerminalLine(text)}`] }),
    work: (work, silentS) => show({ work, silentS }),
    silent: () => {},
    close: async () => {
      ink.clear();
      ink.unmount();
      await ink.waitUntilExit();
    },
  };
};
