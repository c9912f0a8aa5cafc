/** What `fixpoint doctor` is made of: checks that each look at one thing, say what is wrong and how it is put right. */
import { AppError } from '../../../shared/errors.ts';
import { withTimeLimit } from '../../../shared/time-limit.ts';

/** `warn`: it works, with less than it could, or not for long. `fail`: it does not work, or must not be used like this. */
export type Level = 'ok' | 'warn' | 'fail';

export type Finding = {
  /** Of which check: `git`, `redis`, `forge sim` … */
  readonly check: string;
  readonly level: Level;
  /** What was seen. No secret. */
  readonly text: string;
  /** What to do about it; null where nothing is to be done. */
  readonly fix: string | null;
};

/** Contract: changes nothing that outlives it, and obeys the signal. What it throws is a finding too. */
export type Check = {
  readonly name: string;
  readonly timeoutMs: number;
  /** Said where the check itself does not come to an end. */
  readonly fix: string;
  readonly look: (signal: AbortSignal) => Promise<readonly Seen[]>;
};

export type Seen = Omit<Finding, 'check'>;

export const ok = (text: string): Seen => ({ level: 'ok', text, fix: null });
export const warn = (text: string, fix: string): Seen => ({ level: 'warn', text, fix });
export const fail = (text: string, fix: string): Seen => ({ level: 'fail', text, fix });

/** All at once, in their order. A check that hangs is given up: the others are heard. */
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

/** Also for work that does not listen to its signal. */
const orGivenUp = async <T>(work: Promise<T>, signal: AbortSignal): Promise<T> =>
  new Promise<T>((resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    work.then(resolve, reject);
  });

const isTimeout = (error: unknown): boolean => error instanceof DOMException && error.name === 'TimeoutError';

/** Messages of our own errors hold no secret; those of others may hold anything. */
const wordsFor = (error: unknown, timeoutMs: number): string => {
  if (isTimeout(error)) return `did not answer within ${timeoutMs / 1000} s`;
  if (error instanceof AppError) return `${error.message} (${error.code})`;
  const code = error instanceof Error && 'code' in error ? ` (${String(error.code)})` : '';
  return `the check itself failed${code}`;
};
