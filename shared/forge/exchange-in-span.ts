import { withTimeLimit } from '../time-limit.ts';
import { inSpan } from '../tracing/tracing.ts';
import { type Dispatches, type Exchange, exchangeOnce, type RequestOutcome } from './transport.ts';

type Requesting = {
  readonly forgeId: string;
  readonly base: URL;
  readonly dispatcher: Dispatches;
  readonly timeouts: { readonly totalMs: number };
};

/** Sends one request. The span has no path, because a path contains names of projects and files. */
export const exchangeInSpan = async (
  { forgeId, base, dispatcher, timeouts }: Requesting,
  { exchange, attempt }: { readonly exchange: Exchange; readonly attempt: number },
  signal: AbortSignal,
): Promise<RequestOutcome> => {
  const attributes = {
    'http.request.method': exchange.method,
    'server.address': base.hostname,
    'fixpoint.forge': forgeId,
    ...(attempt > 1 ? { 'http.request.resend_count': attempt - 1 } : {}),
  };
  return inSpan({ name: exchange.method, kind: 'client', attributes }, async (span) => {
    const outcome = await withTimeLimit({ ms: timeouts.totalMs, signal }, async (limited) =>
      exchangeOnce(dispatcher, exchange, limited),
    );
    const status = 'status' in outcome ? outcome.status : null;
    if (status !== null) span.set({ 'http.response.status_code': status });
    if (status === null || status >= 400) span.fail(`${status ?? outcome.kind}`);
    return outcome;
  });
};
