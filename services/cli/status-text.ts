import type { ChangeRequestStatus } from '../../shared/overview/change-request-status.ts';
import { escapeForTerminalLine } from '../../shared/text/visible.ts';

const lineOf = ({
  changeRequest,
  doing,
  why,
  head,
  secondsLeft,
  rounds,
  runs,
  paused,
}: ChangeRequestStatus): string => {
  const left = secondsLeft === null ? '' : `, ${secondsLeft} s left`;
  const pause = paused ? ' [paused]' : '';
  return (
    `${changeRequest} ${doing} ${head?.slice(0, 10) ?? '-'} ` +
    `rounds ${rounds.used}/${rounds.max} runs ${runs.used}/${runs.max}${pause}: ${why}${left}`
  );
};

export type ProjectSlots = {
  readonly project: string;
  /** How many may run at a time. */
  readonly most: number;
  readonly running: readonly number[];
};

export type Overview = {
  readonly known: number;
  readonly work: readonly ChangeRequestStatus[];
  readonly slots: readonly ProjectSlots[];
  readonly outages: readonly string[];
  /** What an operator has to correct, in words. */
  readonly misconfigurations: readonly string[];
  /** Projects that an operator has paused, in words. */
  readonly pauses: readonly string[];
};

export const overviewText = (overview: Overview): string => {
  const { known, work, slots, outages, misconfigurations, pauses } = overview;
  const lines = [
    ...outages,
    ...misconfigurations,
    ...pauses,
    `${work.length} of ${known} known change requests in progress`,
    ...work.map(lineOf),
    ...slots.map(
      ({ project, most, running }) =>
        `project ${project}: ${running.length} of ${most} slots taken by ${running.join(', ')}`,
    ),
  ];
  return lines.map((line) => `${escapeForTerminalLine(line)}\n`).join('');
};

export type Detail = ChangeRequestStatus & {
  /** False if Redis holds nothing about the change request; the other fields then describe an idle one. */
  readonly stored: boolean;
  readonly spent: { readonly tokens: number; readonly usd: number };
  readonly last: { readonly at: string; readonly decision: string; readonly reason: string } | null;
  readonly outages: readonly string[];
  readonly misconfigurations: readonly string[];
  /** The pause of its project, in words, or nothing. */
  readonly pauses: readonly string[];
};

export const detailText = (detail: Detail): string => {
  const { spent, last, fixes, outages, misconfigurations, pauses } = detail;
  const lines = [
    ...outages,
    ...misconfigurations,
    ...pauses,
    lineOf(detail),
    `fixes ${fixes}, spent ${spent.tokens} tokens and $${spent.usd.toFixed(4)}`,
    last === null ? 'no decision is recorded' : `last decision ${last.at} ${last.decision}: ${last.reason}`,
  ];
  return lines.map((line) => `${escapeForTerminalLine(line)}\n`).join('');
};
