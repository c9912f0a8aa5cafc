/** Runs one command of an analyzer in the cage and returns what it wrote to standard output. */
import type { CommandAnalyzer } from '../config/analyzer-settings.ts';
import { CAGED_WORKSPACE, type Cage, type CagedArgv, type CageResult } from '../workspace/cage/cage.ts';
import { ProcessStartError } from '../workspace/process/command.ts';
import { MAX_REPORT_BYTES } from './report/report.ts';

export type CagedReport =
  | { readonly kind: 'ended'; readonly code: number; readonly report: Buffer }
  | { readonly kind: 'failed'; readonly reason: string };

/** Exit code when the tree could not be copied. The analyzer then did not run. */
const NO_COPY = 199;
/** The shell's exit codes for a program that is not executable or not found. */
const NOT_STARTED = [126, 127];
/** From here on, the exit code names the signal that killed the program. */
const KILLED = 128;

export const COPY = '/tmp/work';
const IN_COPY =
  `mkdir ${COPY} && cp -R ${CAGED_WORKSPACE}/. ${COPY} && chmod -R u+w ${COPY} || exit ${NO_COPY}; ` +
  `cd ${COPY} && exec "$@"`;
const IN_PLACE = 'exec "$@"';

/** The operator's arguments are passed to the shell as parameters, which the shell never parses. */
const cagedArgv = (command: readonly string[], writable: boolean): CagedArgv => [
  '/bin/sh',
  '-c',
  writable ? IN_COPY : IN_PLACE,
  'analyzer',
  ...command,
];

type Running = {
  readonly cage: Cage;
  readonly root: string;
  readonly command: readonly string[];
  readonly timeoutMs: number;
};

export const runCaged = async (
  { exitCodes, timeoutS, writable }: CommandAnalyzer,
  { cage, root, command, timeoutMs }: Running,
  signal: AbortSignal,
): Promise<CagedReport> => {
  if (timeoutMs <= 0) return failed(overdue(timeoutS));
  try {
    const ended = await cage.run(cagedArgv(command, writable), {
      workspace: root,
      env: { HOME: '/tmp' },
      timeoutMs,
      outputBytes: MAX_REPORT_BYTES,
      signal,
    });
    const reason = whyFailed(ended, { exitCodes, timeoutS });
    return reason === null ? { kind: 'ended', code: ended.code ?? 0, report: ended.stdout } : failed(reason);
  } catch (error) {
    if (!(error instanceof ProcessStartError)) throw error;
    return failed('did not run: the cage could not be started');
  }
};

const failed = (reason: string): CagedReport => ({ kind: 'failed', reason });

const overdue = (timeoutS: number): string => `did not end within ${timeoutS} s`;

const whyFailed = (
  { code, timedOut, truncated }: CageResult,
  { exitCodes, timeoutS }: Pick<CommandAnalyzer, 'exitCodes' | 'timeoutS'>,
): string | null => {
  if (timedOut) return overdue(timeoutS);
  if (truncated) return `wrote more than ${MAX_REPORT_BYTES} bytes`;
  if (code === NO_COPY) return 'did not run: there was no room for a copy of the tree';
  if (code === null || code >= KILLED) return 'crashed or was killed';
  if (NOT_STARTED.includes(code)) return 'did not run: its program does not exist in the cage, or cannot be executed';
  return exitCodes.includes(code) ? null : `ended with exit code ${code}`;
};
