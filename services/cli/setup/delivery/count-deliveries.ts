/** Reads how many deliveries a running ingress has received, from its metric `fixpoint_webhook_events_total`. */
import { request } from 'undici';
import { type ListenAddress, localUrl } from '../../../../shared/config/listen.ts';
import { timeLimit } from '../../../../shared/time-limit.ts';

/** Deliveries of one forge. `refused`: their signature was wrong, or they could not be parsed. */
export type DeliveryCounts = { readonly taken: number; readonly refused: number };

/** `closed`: nothing listens. `other`: something that is not an ingress answers. */
export type Counted =
  | { readonly kind: 'counts'; readonly counts: DeliveryCounts }
  | { readonly kind: 'closed' }
  | { readonly kind: 'other' };

const LIMIT_MS = 5_000;

/** The metrics of a large installation take about 100 KB. */
const MAX_BYTES = 8 * 1024 * 1024;

export const countDeliveries = async (address: ListenAddress, forge: string, signal: AbortSignal): Promise<Counted> => {
  try {
    const answer = await request(`${localUrl(address)}/metrics`, { signal: timeLimit(LIMIT_MS, signal) });
    const text = await answer.body.text();
    if (answer.statusCode !== 200 || text.length > MAX_BYTES || !text.includes(METRIC)) return { kind: 'other' };
    return { kind: 'counts', counts: readCounts(text, forge) };
  } catch (error) {
    signal.throwIfAborted();
    return { kind: isRefused(error) ? 'closed' : 'other' };
  }
};

const isRefused = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ECONNREFUSED';

const METRIC = 'fixpoint_webhook_events_total';

const LINE = /^fixpoint_webhook_events_total\{(?<labels>[^}]*)\} (?<value>\d+)/;

export const readCounts = (text: string, forge: string): DeliveryCounts => {
  let taken = 0;
  let refused = 0;
  for (const line of text.split('\n')) {
    const { labels = '', value = '0' } = LINE.exec(line)?.groups ?? {};
    const all = labels.split(',');
    if (!all.includes(`forge="${forge}"`)) continue;
    if (all.includes('outcome="refused"')) refused += Number(value);
    else taken += Number(value);
  }
  return { taken, refused };
};
