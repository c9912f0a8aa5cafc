import { escapeForTerminalLine } from '../../../shared/text/visible.ts';
import { doctorText } from '../doctor/doctor.ts';
import type { Finding } from '../doctor/check.ts';
import { printJson } from '../terminal/print-json.ts';
import type { Tested } from './delivery/send-test.ts';
import type { ShownRequest } from '../../../shared/forge/admin/send.ts';

/** `done`: it was already in place before this run. `made`: this run did it. */
export type ReportedStep = {
  readonly about: string;
  readonly state: 'done' | 'made' | 'todo' | 'blocked';
  readonly text: string;
  readonly fix: string | null;
};

export type SetupReport = {
  readonly mode: 'apply' | 'check' | 'dry-run' | 'remove';
  /** One line about the forge and the bot. */
  readonly forge: string;
  readonly steps: readonly ReportedStep[];
  /** Set only for a dry run: the calls that would be sent. */
  readonly calls: readonly ShownRequest[] | null;
  readonly doctor: readonly Finding[];
  readonly deliveries: readonly Tested[];
  readonly conclusion: string;
};

const MARKS: Readonly<Record<ReportedStep['state'], string>> = {
  done: 'ok  ',
  made: 'DONE',
  todo: 'NEED',
  blocked: 'HELP',
};

const DELIVERY_MARKS: Readonly<Record<Tested['state'], string>> = {
  arrived: 'ok  ',
  missing: 'FAIL',
  untested: 'ok  ',
};

const fixLine = (fix: string | null): readonly string[] =>
  fix === null ? [] : [`      fix: ${escapeForTerminalLine(fix)}`];

export const stepLines = (steps: readonly ReportedStep[]): readonly string[] =>
  steps.flatMap(({ about, state, text, fix }) => [
    `${MARKS[state]}  ${about}: ${escapeForTerminalLine(text)}`,
    ...fixLine(fix),
  ]);

/** The text is escaped, because parts of it come from forges. */
export const setupText = (report: SetupReport): string => {
  const { calls, doctor, deliveries } = report;
  const lines = [
    escapeForTerminalLine(report.forge),
    ...stepLines(report.steps),
    ...(calls === null ? [] : ['', 'Calls that were not made:', ...calls.flatMap(callLines)]),
    ...(doctor.length === 0 ? [] : ['', 'doctor:', doctorText(doctor).trimEnd()]),
    ...(deliveries.length === 0 ? [] : ['']),
    ...deliveries.flatMap(({ state, text, fix }) => [
      `${DELIVERY_MARKS[state]}  delivery: ${escapeForTerminalLine(text)}`,
      ...fixLine(fix),
    ]),
    '',
    report.conclusion,
  ];
  return `${lines.join('\n')}\n`;
};

const callLines = ({ method, path, body }: ShownRequest): readonly string[] => [
  `  ${method} ${escapeForTerminalLine(path)}`,
  ...(body === undefined ? [] : [`    ${escapeForTerminalLine(JSON.stringify(body))}`]),
];

export const setupJson = (report: SetupReport): string => printJson({ version: 1, ...report });
