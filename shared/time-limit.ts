/**
 * A signal that aborts with `signal`, or with a `TimeoutError` after `ms`, whichever comes first.
 *
 * Not `AbortSignal.any([signal, AbortSignal.timeout(ms)])`: Node 20 may collect the second one as garbage, and then it
 * never comes. The timer holds this one. It does not keep the process alive.
 */
export const timeLimit = (ms: number, signal?: AbortSignal): AbortSignal => {
  const limit = new AbortController();
  setTimeout(() => limit.abort(new DOMException(`it took longer than ${ms} ms`, 'TimeoutError')), ms).unref();
  return signal === undefined ? limit.signal : AbortSignal.any([signal, limit.signal]);
};
