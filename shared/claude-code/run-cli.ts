/** Runs the CLI once until it ends. Every way in which it can end is returned as a value. */
import { BudgetRefusedError } from '../agent/model/metered-model.ts';
import type { AgentClock } from '../agent/model/clock.ts';
import { supersededWatch } from '../agent/stop-signals.ts';
import type { BudgetRefusal } from '../agent/model/budget.ts';
import { streamCommand } from '../workspace/process/stream-command.ts';
import { type CliResult, parseCliLine } from './events.ts';
import { type CliAccess, type CliCall, cliArguments, cliEnvironment } from './invocation.ts';
import { beginSpending, type CliBooks, endSpending, hearSpending } from './spending.ts';

/** Files and permissions of one CLI run. No other run shares them. */
export type CliPlace = {
  /** Absolute path of the operator's CLI. */
  readonly program: string;
  readonly workspace: string;
  readonly home: string;
  readonly settingsFile: string;
  readonly access: CliAccess;
};

export type CliRun = {
  readonly place: CliPlace;
  readonly books: CliBooks;
  readonly clock: AgentClock;
  readonly isSuperseded: () => Promise<boolean>;
  readonly supersededEveryMs: number;
};

export type CliEnd =
  | { readonly kind: 'result'; readonly result: CliResult }
  /** The CLI ended without a result, or was stopped because it wrote too much output. */
  | { readonly kind: 'silent'; readonly exitCode: number | null }
  | { readonly kind: 'timed_out' }
  | { readonly kind: 'superseded' }
  | { readonly kind: 'refused'; readonly refusal: BudgetRefusal };

const MAX_LINE_BYTES = 8 * 1024 * 1024;
const MAX_TOTAL_BYTES = 256 * 1024 * 1024;

type Asking = { readonly call: CliCall; readonly prompt: string; readonly timeoutMs: number };

/** @throws ProcessStartError, the signal's reason, and errors of the ledger and of `isSuperseded`. */
export const runCli = async (run: CliRun, asking: Asking, signal: AbortSignal): Promise<CliEnd> => {
  const { clock, isSuperseded, supersededEveryMs: everyMs } = run;
  const watch = supersededWatch({ isSuperseded, everyMs, clock });
  try {
    return await follow(run, asking, AbortSignal.any([signal, watch.signal]));
  } catch (error) {
    signal.throwIfAborted();
    if (watch.isTrue()) return { kind: 'superseded' };
    if (error instanceof BudgetRefusedError) return { kind: 'refused', refusal: error.refusal };
    throw error;
  } finally {
    watch.end();
  }
};

const follow = async ({ place, books }: CliRun, asking: Asking, signal: AbortSignal): Promise<CliEnd> => {
  const args = cliArguments(asking.call, place.settingsFile);
  const input = Buffer.from(asking.prompt);
  await beginSpending(books, input.length + args.reduce((sum, arg) => sum + Buffer.byteLength(arg), 0));
  let result: CliResult | null = null;
  try {
    const end = await streamCommand(
      {
        file: place.program,
        args,
        env: cliEnvironment(place.home, place.access),
        cwd: place.workspace,
        input,
        timeoutMs: asking.timeoutMs,
        maxLineBytes: MAX_LINE_BYTES,
        maxTotalBytes: MAX_TOTAL_BYTES,
      },
      async (line) => {
        const event = parseCliLine(line);
        if (event === null) return;
        if (event.kind === 'result') result = event.result;
        await hearSpending(books, event);
      },
      signal,
    );
    if (end.timedOut) return { kind: 'timed_out' };
    return result === null ? { kind: 'silent', exitCode: end.exitCode } : { kind: 'result', result };
  } finally {
    await endSpending(books, result);
  }
};
