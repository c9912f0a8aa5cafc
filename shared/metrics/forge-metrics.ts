/** Metrics about forges: requests, limits, webhooks and the sweep. */
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';

export type ForgeMetrics = {
  /** `outcome`: accepted, ignored, duplicate, refused or unavailable. */
  readonly webhookEvents: Counter<'forge' | 'kind' | 'outcome'>;
  /** `status` is the HTTP status, or the name of the failure when there was no response. */
  readonly forgeRequests: Counter<'forge' | 'method' | 'status'>;
  readonly forgeSeconds: Histogram<'forge' | 'method'>;
  /** Absent until the forge names a limit. */
  readonly rateLimitRemaining: Gauge<'forge'>;
  /** Number of projects whose webhook is disabled or missing. Counts only webhooks that the read token's account can see. */
  readonly hooksDisabled: Gauge<'forge'>;
  /** `what`: `change_request` for one that guard did not know at all, `head` for a new head of a known one. */
  readonly sweepFound: Counter<'forge' | 'what'>;
};

export const createForgeMetrics = (registers: Registry[]): ForgeMetrics => ({
  webhookEvents: new Counter({
    name: 'fixpoint_webhook_events_total',
    help: 'Webhook events received, by result',
    labelNames: ['forge', 'kind', 'outcome'],
    registers,
  }),
  forgeRequests: new Counter({
    name: 'fixpoint_forge_requests_total',
    help: 'Requests sent to a forge',
    labelNames: ['forge', 'method', 'status'],
    registers,
  }),
  forgeSeconds: new Histogram({
    name: 'fixpoint_forge_request_seconds',
    help: 'Time until the complete response of a forge, or until the request failed',
    labelNames: ['forge', 'method'],
    buckets: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
    registers,
  }),
  rateLimitRemaining: new Gauge({
    name: 'fixpoint_forge_rate_limit_remaining',
    help: 'Requests that the last response of the forge still allowed in its current period. Absent if the forge names no limit',
    labelNames: ['forge'],
    registers,
  }),
  hooksDisabled: new Gauge({
    name: 'fixpoint_hooks_disabled',
    help: 'Projects without a working webhook, among those whose webhooks guard can see',
    labelNames: ['forge'],
    registers,
  }),
  sweepFound: new Counter({
    name: 'fixpoint_sweep_found_total',
    help: 'Change requests and heads that the sweep found and no webhook had reported',
    labelNames: ['forge', 'what'],
    registers,
  }),
});
