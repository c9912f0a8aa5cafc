/**
 * Sends one request to a receiver. Contract: sends it at most once and never to a link-local address, unless a proxy resolves its name; follows no redirects;
 * ends within its time limit; never throws; no outcome contains any part of the address.
 */
import { lookup, type LookupAddress, type LookupOptions } from 'node:dns';
import { exchangeOnce, type RequestOutcome } from '../../../shared/forge/transport.ts';
import { createDispatcher } from '../../../shared/network/outgoing.ts';
import { isLinkLocal } from '../../../shared/link-local.ts';
import type { ComposedRequest } from '../../../shared/notify/compose-request.ts';
import { LINK_LOCAL } from '../../../shared/notify/judge-outcome.ts';
import { withTimeLimit } from '../../../shared/time-limit.ts';

export type Send = (url: string, request: ComposedRequest, signal: AbortSignal) => Promise<RequestOutcome>;

type Resolved = (error: NodeJS.ErrnoException | null, addresses: readonly LookupAddress[]) => void;

export type SendOptions = {
  readonly connectMs?: number;
  readonly totalMs?: number;
  readonly resolve?: (host: string, options: LookupOptions, done: Resolved) => void;
};

/** The Standard Webhooks specification suggests a timeout of 15 to 30 s. */
const TOTAL_MS = 15_000;
const CONNECT_MS = 5_000;
/** The response body is not used, so only this much of it is read. */
const MAX_ANSWER_BYTES = 64 * 1024;

export const createSend =
  ({ connectMs = CONNECT_MS, totalMs = TOTAL_MS, resolve = resolveAll }: SendOptions = {}): Send =>
  async (url, { headers, body }, signal) => {
    const { origin, hostname, pathname, search } = new URL(url);
    if (isLinkLocal(hostname)) return { kind: 'not_sent', reason: LINK_LOCAL, aborted: false };
    // Each request uses a new connection: a kept-alive connection may close just as we write to it, leaving the outcome unknown.
    const dispatcher = createDispatcher({
      proxy: null,
      connectMs,
      lookup: checkedLookup(resolve),
      agent: { pipelining: 0 },
    });
    const exchange = { origin, path: `${pathname}${search}`, method: 'POST', headers, body } as const;
    try {
      return await withTimeLimit({ ms: totalMs, signal }, async (limited) =>
        exchangeOnce(dispatcher, { ...exchange, maxBytes: MAX_ANSWER_BYTES }, limited),
      );
    } finally {
      await dispatcher.destroy();
    }
  };

const resolveAll: NonNullable<SendOptions['resolve']> = (host, options, done) =>
  lookup(host, { ...options, all: true }, done);

type Found = (error: NodeJS.ErrnoException | null, address: string | LookupAddress[], family?: number) => void;

/** Connects only to addresses that were checked, so a second lookup with a different DNS answer cannot redirect the request. */
const checkedLookup =
  (resolve: NonNullable<SendOptions['resolve']>) =>
  (host: string, options: LookupOptions, done: Found): void =>
    resolve(host, options, (error, addresses) => {
      const [first] = addresses ?? [];
      if (error !== null || first === undefined) return done(error ?? new LookupError('ENOTFOUND'), '', 0);
      if (addresses.some(({ address }) => isLinkLocal(address))) return done(new LookupError(LINK_LOCAL), '', 0);
      return options.all === true ? done(null, [...addresses]) : done(null, first.address, first.family);
    });

class LookupError extends Error {
  readonly code: string;

  constructor(code: string) {
    super(code);
    this.code = code;
  }
}
