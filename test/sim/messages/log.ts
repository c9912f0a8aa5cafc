import type { IncomingMessage } from 'node:http';
import type { Outcome } from './deliver.ts';
import { type Usage, cachedShare, totalInput } from './prices.ts';
import type { CreateRequest } from './request.ts';

export type RequestEntry = {
  readonly requestId: string;
  readonly atMs: number;
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** The raw body, even when it is invalid. */
  readonly body: string;
  /** Null for other endpoints and for invalid bodies. */
  request: CreateRequest | null;
  conversation: string | null;
  turn: number | null;
  call: number | null;
  /** Null before an answer began. */
  status: number | null;
  /** Null when nothing was generated. An aborted stream is billed in full. */
  usage: Usage | null;
  costUsd: number;
  /** Share of the input that was read from the cache, 0 to 1. */
  cachedShare: number;
  stopReason: string | null;
  problem: string | null;
  outcome: 'open' | Outcome | 'refused' | 'reset' | 'unscripted';
};

type Received = {
  readonly ids: { readonly next: (prefix: 'req') => string };
  readonly clock: () => number;
};

/** The entry of a request that has just been received. */
export const newEntry = ({ ids, clock }: Received, request: IncomingMessage, body: string): RequestEntry => ({
  requestId: ids.next('req'),
  atMs: clock(),
  method: request.method ?? '',
  path: request.url ?? '',
  headers: request.headers,
  body,
  request: null,
  conversation: null,
  turn: null,
  call: null,
  status: null,
  usage: null,
  costUsd: 0,
  cachedShare: 0,
  stopReason: null,
  problem: null,
  outcome: 'open',
});

export type Spend = {
  readonly calls: number;
  /** All input, cached or not. */
  readonly inputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
  readonly outputTokens: number;
  readonly costUsd: number;
  readonly cachedShare: number;
};

export const recordUsage = (entry: RequestEntry, usage: Usage, costUsd: number): void => {
  entry.usage = usage;
  entry.costUsd = costUsd;
  entry.cachedShare = cachedShare(usage);
};

export const spendOf = (entries: readonly RequestEntry[]): Spend => {
  const paid = entries.flatMap(({ usage, costUsd }) => (usage === null ? [] : [{ usage, costUsd }]));
  const sum = (of: (one: { readonly usage: Usage; readonly costUsd: number }) => number): number =>
    paid.reduce((total, one) => total + of(one), 0);
  const inputTokens = sum(({ usage }) => totalInput(usage));
  const cacheReadTokens = sum(({ usage }) => usage.cacheReadTokens);
  return {
    calls: paid.length,
    inputTokens,
    cacheReadTokens,
    cacheWriteTokens: sum(({ usage }) => usage.cacheWrite5mTokens + usage.cacheWrite1hTokens),
    outputTokens: sum(({ usage }) => usage.outputTokens),
    costUsd: sum(({ costUsd }) => costUsd),
    cachedShare: inputTokens === 0 ? 0 : cacheReadTokens / inputTokens,
  };
};
