import { AppError } from '../../../shared/errors.ts';
import { isTimeout, withTimeLimit } from '../../../shared/time-limit.ts';

/** `warn`: it works, but with limits or only temporarily. `fail`: it does not work, or is unsafe. */
export type Level = 'ok' | 'warn' | 'fail';

export type Finding = {
  readonly check: string;
  readonly level: Level;
  /** What was found. Contains no secret. */
  readonly text: string;
  /** What the user can do; null when nothing needs to be done. */
  readonly fix: string | null;
};

/** Contract: changes nothing permanently and obeys the signal. A thrown error is reported as a finding. */
export type Check = {
  readonly name: string;
  readonly timeoutMs: number;
  /** The remedy to suggest when the check itself fails or times out. */
  readonly fix: string;
  readonly look: (signal: AbortSignal) => Promise<readonly Seen[]>;
};

export type Seen = Omit<Finding, 'check'>;

export const ok = (text: string): Seen => ({ level: 'ok', text, fix: null });
export const warn = (text: string, fix: string): Seen => ({ level: 'warn', text, fix });
export const fail = (text: string, fix: string): Seen => ({ level: 'fail', text, fix });

/** Runs all checks in parallel and keeps their order. A check that times out does not stop the others. */
export const runChecks = async (checks: readonly Check[], signal: AbortSignal): Promise<readonly Finding[]> => {
  const seen = await Promise.all(checks.map(async (check) => runCheck(check, signal)));
  return seen.flat();
};

const runCheck = async (check: Check, signal: AbortSignal): Promise<readonly Finding[]> => {
  const { name, timeoutMs, fix } = check;
  try {
    const seen = await withTimeLimit({ ms: timeoutMs, signal }, async (limited) =>
      orGivenUp(check.look(limited), limited),
    );
    return seen.map((one) => ({ check: name, ...one }));
  } catch (error) {
    signal.throwIfAborted();
    return [{ check: name, ...fail(wordsFor(error, timeoutMs), fix) }];
  }
};

/** Rejects on an abort even if the work ignores its signal. */
export const orGivenUp = async <T>(work: Promise<T>, signal: AbortSignal): Promise<T> =>
  new Promise<T>((resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    work.then(resolve, reject);
  });

/** Messages of Fixpoint's own errors hold no secrets. Messages of other errors may, so they are not printed. */
const wordsFor = (error: unknown, timeoutMs: number): string => {
  if (isTimeout(error)) return `did not answer within ${timeoutMs / 1000} s`;
  if (error instanceof AppError) return `${error.message} (${error.code})`;
  const code = error instanceof Error && 'code' in error ? ` (${String(error.code)})` : '';
  return `the check itself failed${code}`;
};
