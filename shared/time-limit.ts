/**
 * Reliable time limits. With `AbortSignal.any([signal, AbortSignal.timeout(ms)])`, Node 20 may garbage-collect the
 * second signal, which then never aborts. Here the timer keeps a reference to its signal. The timer does not keep the
 * process alive.
 */

type Limit = { readonly signal: AbortSignal; readonly end: () => void };

const arm = (ms: number, signal: AbortSignal | undefined): Limit => {
  const limit = new AbortController();
  const timer = setTimeout(() => {
    limit.abort(new DOMException(`the operation took longer than ${ms} ms`, 'TimeoutError'));
  }, ms).unref();
  return {
    signal: signal === undefined ? limit.signal : AbortSignal.any([signal, limit.signal]),
    end: () => clearTimeout(timer),
  };
};

/** Aborts with `signal`, or with a `TimeoutError` after `ms`, whichever comes first. The timer runs until then. */
export const timeLimit = (ms: number, signal?: AbortSignal): AbortSignal => arm(ms, signal).signal;

/** Like `timeLimit`, but clears its timer when `work` ends, so that frequent short work leaves no timers behind. */
export const withTimeLimit = async <T>(
  { ms, signal }: { readonly ms: number; readonly signal: AbortSignal },
  work: (limited: AbortSignal) => Promise<T>,
): Promise<T> => {
  const limit = arm(ms, signal);
  try {
    return await work(limit.signal);
  } finally {
    limit.end();
  }
};

export const isTimeout = (error: unknown): boolean => error instanceof DOMException && error.name === 'TimeoutError';

/** Ends after `ms`, or at once without an error when the signal aborts. */
export const delayOrAbort = async (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => (clearTimeout(timer), resolve()), { once: true });
  });
