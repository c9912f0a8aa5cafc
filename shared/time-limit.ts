/**
 * Time limits that come.
 *
 * Not `AbortSignal.any([signal, AbortSignal.timeout(ms)])`: Node 20 may collect the second one as garbage, and then it
 * never comes. Here the timer holds its signal. It does not keep the process alive.
 */

type Limit = { readonly signal: AbortSignal; readonly end: () => void };

const arm = (ms: number, signal: AbortSignal | undefined): Limit => {
  const limit = new AbortController();
  const timer = setTimeout(() => {
    limit.abort(new DOMException(`it took longer than ${ms} ms`, 'TimeoutError'));
  }, ms).unref();
  return {
    signal: signal === undefined ? limit.signal : AbortSignal.any([signal, limit.signal]),
    end: () => clearTimeout(timer),
  };
};

/** Aborts with `signal`, or with a `TimeoutError` after `ms`, whichever comes first. The timer stays until then. */
export const timeLimit = (ms: number, signal?: AbortSignal): AbortSignal => arm(ms, signal).signal;

/** The same around one piece of work, for what is done often and ends long before its limit: nothing stays behind. */
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
