import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';

export type Dispatches = Pick<Dispatcher, 'dispatch'>;

export type Exchange = {
  readonly origin: string;
  /** Path and query, already encoded. */
  readonly path: string;
  readonly method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
  readonly maxBytes: number;
};

/**
 * `reason` is an error code, never a message, because a message may quote what was sent.
 * - `answer`: a complete response.
 * - `not_sent`: the request failed before any byte could reach the forge.
 * - `lost`: bytes may have reached the forge, but no complete response arrived. `status` is set when the headers arrived.
 * - `too_large`: the response exceeds `maxBytes`.
 */
export type RequestOutcome =
  | { readonly kind: 'answer'; readonly status: number; readonly headers: IncomingHttpHeaders; readonly text: string }
  | { readonly kind: 'not_sent'; readonly reason: string; readonly aborted: boolean }
  | { readonly kind: 'lost'; readonly reason: string; readonly aborted: boolean; readonly status: number | null }
  | { readonly kind: 'too_large'; readonly status: number };

const reasonOf = (error: unknown): string => {
  if (!(error instanceof Error)) return 'UNKNOWN';
  // Errors of Node and undici have a stable `code`; otherwise the class name is used.
  const code = (error as Error & { code?: unknown }).code;
  return typeof code === 'string' ? code : error.name;
};

type Progress = {
  controller: Dispatcher.DispatchController | null;
  status: number | null;
  headers: IncomingHttpHeaders;
  chunks: Buffer[];
  bytes: number;
};

type Settle = (outcome: RequestOutcome) => void;

const failure = (progress: Progress, reason: string, aborted: boolean): RequestOutcome =>
  progress.controller === null
    ? { kind: 'not_sent', reason, aborted }
    : { kind: 'lost', reason, aborted, status: progress.status };

/** undici calls `onRequestStart` on a connected socket just before it writes: from then on the request counts as sent. */
const observe = (
  exchange: Exchange,
  progress: Progress,
  signal: AbortSignal,
  settle: Settle,
): Dispatcher.DispatchHandler => ({
  onRequestStart: (controller) => {
    if (signal.aborted) controller.abort(new Error('aborted'));
    else progress.controller = controller;
  },
  onResponseStart: (_controller, status, headers) => {
    if (status < 200) return;
    progress.status = status;
    progress.headers = headers;
  },
  onResponseData: (controller, chunk) => {
    progress.bytes += chunk.length;
    if (progress.bytes <= exchange.maxBytes) progress.chunks.push(chunk);
    else {
      settle({ kind: 'too_large', status: progress.status ?? 0 });
      controller.abort(new Error('response too large'));
    }
  },
  onResponseEnd: () => {
    const text = Buffer.concat(progress.chunks).toString('utf8');
    settle({ kind: 'answer', status: progress.status ?? 0, headers: progress.headers, text });
  },
  onResponseError: (_controller, error) => settle(failure(progress, reasonOf(error), false)),
});

/** Never throws, follows no redirect, never retries. Contract: ends at the latest when `signal` aborts. */
export const exchangeOnce = (
  dispatcher: Dispatches,
  exchange: Exchange,
  signal: AbortSignal,
): Promise<RequestOutcome> =>
  new Promise((resolve) => {
    const progress: Progress = { controller: null, status: null, headers: {}, chunks: [], bytes: 0 };
    const onAbort = (): void => {
      settle(failure(progress, reasonOf(signal.reason), true));
      progress.controller?.abort(new Error('aborted'));
    };
    const settle: Settle = (outcome) => {
      signal.removeEventListener('abort', onAbort);
      resolve(outcome);
    };
    if (signal.aborted) {
      onAbort();
      return;
    }
    signal.addEventListener('abort', onAbort, { once: true });
    const { origin, path, method, headers, body } = exchange;
    try {
      dispatcher.dispatch({ origin, path, method, headers, body }, observe(exchange, progress, signal, settle));
    } catch (error) {
      settle(failure(progress, reasonOf(error), false));
    }
  });
