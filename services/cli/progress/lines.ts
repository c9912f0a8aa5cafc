/** Progress as lines, for pipes and logs: one line per phase. */
import { escapeForTerminalLine } from '../../../shared/text/visible.ts';
import type { ProgressView } from './watch.ts';
import type { Work } from './work.ts';

export type LineOptions = {
  readonly write: (text: string) => void;
  /** Also one line per turn. */
  readonly verbose: boolean;
};

export const createLines = ({ write, verbose }: LineOptions): ProgressView => {
  const say = (text: string): void => write(`fixpoint: ${escapeForTerminalLine(text)}\n`);
  let told = '';
  return {
    step: say,
    notice: say,
    work: (work) => {
      if (!verbose || work === null) return;
      const text = workText(work);
      if (text !== told) say(text);
      told = text;
    },
    silent: say,
    close: async () => {},
  };
};

/** Errors are printed elsewhere. */
export const SILENT_VIEW: ProgressView = {
  step: () => {},
  notice: () => {},
  work: () => {},
  silent: () => {},
  close: async () => {},
};

export const workText = ({ turn, tokens, costUsd, explorers }: Work): string =>
  [
    `turn ${turn}`,
    `${tokens.toLocaleString('en')} tokens`,
    `$${costUsd.toFixed(4)}`,
    ...(explorers.length === 0 ? [] : [`explorers: ${explorers.map(shortName).join('; ')}`]),
  ].join(' · ');

const MAX_NAME = 40;

/** An explorer has no name, so its question identifies it. */
const shortName = (question: string): string => {
  const points = Array.from(escapeForTerminalLine(question));
  return points.length <= MAX_NAME ? points.join('') : `${points.slice(0, MAX_NAME - 1).join('')}…`;
};
