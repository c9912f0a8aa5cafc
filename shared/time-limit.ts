/**
 * Reliable time limits. With `AbortSignal.any([signal, AbortSignal.timeout(ms)])`, Node 20 may garbage-collect the
 * second signal, which then never aborts. Here the timer keeps a reference to its signal. The timer does not keep the
 * process alive.
 */
import { withAbort } from './with-abort.ts';

const abortAfter = (ms: number, limit: AbortController): NodeJS.Timeout =>
  setTimeout(() => {
    limit.abort(new DOMException(`the operation took longer than ${ms} ms`, 'TimeoutError'));
  }, ms).unref();

/** Aborts with `signal`, or with a `TimeoutError` after `ms`, whichever comes first. The timer runs until then. */
export const timeLimit = (ms: number, signal?: AbortSignal): AbortSignal => {
  const limit = new AbortController();
  abortAfter(ms, limit);
  return signal === undefined ? limit.signal : AbortSignal.any([signal, limit.signal]);
};

/** Like `timeLimit`, but ends with `work`, so that frequent short work leaves no timers behind. */
export const withTimeLimit = async <T>(
  { ms, signal }: { readonly ms: number; readonly signal: AbortSignal },
  work: (limited: AbortSignal) => Promise<T>,
): Promise<T> =>
  withAbort([signal], async (limit) => {
    const timer = abortAfter(ms, limit);
    try {
      return await work(limit.signal);
    } finally {
      clearTimeout(timer);
    }
  });

export const isTimeout = (error: unknown): boolean => error instanceof DOMException && error.name === 'TimeoutError';

/** Ends after `ms`, or at once without an error when the signal aborts. */
export const delayOrAbort = async (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      // The signal of a service lives for weeks, and would keep a listener of every wait.
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal.addEventListener('abort', end, { once: true });
    if (signal.aborted) end();
  });
