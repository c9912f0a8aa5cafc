import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';

/** The one ability of an undici dispatcher that is used. */
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
 * How one request ended.
 * - `answer`: a complete response.
 * - `not_sent`: it failed before a byte of it could reach the other side.
 * - `lost`: bytes may have reached the other side and no complete answer came back. `status` is known when at least
 *   the response's head arrived.
 * - `too_large`: the response exceeds `maxBytes`.
 * `reason` is an error code, never a message: messages may quote what was sent.
 */
export type RequestOutcome =
  | { readonly kind: 'answer'; readonly status: number; readonly headers: IncomingHttpHeaders; readonly text: string }
  | { readonly kind: 'not_sent'; readonly reason: string; readonly aborted: boolean }
  | { readonly kind: 'lost'; readonly reason: string; readonly aborted: boolean; readonly status: number | null }
  | { readonly kind: 'too_large'; readonly status: number };

const reasonOf = (error: unknown): string => {
  if (!(error instanceof Error)) return 'UNKNOWN';
  // Node and undici put a stable code beside the message; the class name is the next best.
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

/** undici calls `onRequestStart` on a connected socket right before it writes: the border between not sent and sent. */
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

/**
 * Sends one request once and says how it ended. Never throws, never follows a redirect, never retries.
 * Contract: ends at the latest when `signal` aborts; after that the request is not sent any more.
 */
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
