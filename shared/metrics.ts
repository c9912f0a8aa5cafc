/** Metrics for the operator. Each process has one registry. Names and labels are part of the operator's interface. */
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

export type Metrics = {
  readonly registry: Registry;
  /** `outcome`: accepted, ignored, duplicate, refused or unavailable. */
  readonly webhookEvents: Counter<'forge' | 'kind' | 'outcome'>;
  readonly decisions: Counter<'effect'>;
  readonly jobSeconds: Histogram<'queue'>;
  readonly postedComments: Counter<'kind'>;
  /** Messages to the receivers of `[[notify]]`; `outcome`: sent, retry, unknown or refused. */
  readonly notifications: Counter<'hook' | 'outcome'>;
  /** Violated invariants, by error code. The operator should check the log at once. */
  readonly alarms: Counter<'code'>;
  /** `status` is the HTTP status, or the name of the failure when there was no response. */
  readonly forgeRequests: Counter<'forge' | 'method' | 'status'>;
  /**
   * People's thumbs-up and thumbs-down reactions to findings. `thumb`: up or down. `rule` and `model` name what made
   * the claim. These labels have few values, because they are names of rules and of configured models.
   */
  readonly findingReactions: Counter<'forge' | 'rule' | 'model' | 'thumb'>;
  /** 1 while a job in any process of the installation waits because of the outage. */
  readonly outages: Gauge<'what'>;
  /** Number of projects whose webhook is disabled or missing. Counts only webhooks that the read token's account can see. */
  readonly hooksDisabled: Gauge<'forge'>;
  readonly modelCalls: Counter<'stop'>;
  /** `kind`: input (not from the cache), cached or output. */
  readonly modelTokens: Counter<'kind'>;
  readonly modelRetries: Counter<'code'>;
};

const JOB_BUCKETS_SECONDS = [0.01, 0.05, 0.1, 0.5, 1, 5, 15, 30, 60, 120, 300, 600, 1200];

export type MetricsOptions = {
  readonly service: string;
  /** Whether memory, CPU and event loop are measured. False when several services share one process. */
  readonly processMetrics: boolean;
};

export function createMetrics({ service, processMetrics }: MetricsOptions): Metrics {
  const registry = new Registry();
  registry.setDefaultLabels({ service });
  if (processMetrics) collectDefaultMetrics({ register: registry });
  const registers = [registry];
  return {
    registry,
    ...createForgeMetrics(registers),
    ...createModelMetrics(registers),
    ...createNotifyMetrics(registers),
    outages: new Gauge({
      name: 'fixpoint_outage',
      help: 'Whether jobs wait for something that is unavailable: model, forge, git, disk or store',
      labelNames: ['what'],
      registers,
    }),
    webhookEvents: new Counter({
      name: 'fixpoint_webhook_events_total',
      help: 'Webhook events received, by result',
      labelNames: ['forge', 'kind', 'outcome'],
      registers,
    }),
    decisions: new Counter({
      name: 'fixpoint_decisions_total',
      help: 'Effects that guard decided on',
      labelNames: ['effect'],
      registers,
    }),
    jobSeconds: new Histogram({
      name: 'fixpoint_job_seconds',
      help: 'Time that one job took in its handler',
      labelNames: ['queue'],
      buckets: JOB_BUCKETS_SECONDS,
      registers,
    }),
    postedComments: new Counter({
      name: 'fixpoint_posted_comments_total',
      help: 'Comments written to a forge',
      labelNames: ['kind'],
      registers,
    }),
    alarms: new Counter({
      name: 'fixpoint_alarms_total',
      help: 'Errors that must never happen, by error code',
      labelNames: ['code'],
      registers,
    }),
  };
}

const createForgeMetrics = (
  registers: Registry[],
): Pick<Metrics, 'forgeRequests' | 'hooksDisabled' | 'findingReactions'> => ({
  forgeRequests: new Counter({
    name: 'fixpoint_forge_requests_total',
    help: 'Requests sent to a forge',
    labelNames: ['forge', 'method', 'status'],
    registers,
  }),
  findingReactions: new Counter({
    name: 'fixpoint_finding_reactions_total',
    help: 'Thumbs-up and thumbs-down reactions of people to findings, read when a change request is merged or closed',
    labelNames: ['forge', 'rule', 'model', 'thumb'],
    registers,
  }),
  hooksDisabled: new Gauge({
    name: 'fixpoint_hooks_disabled',
    help: 'Projects without a working webhook, among those whose webhooks guard can see',
    labelNames: ['forge'],
    registers,
  }),
});

const createModelMetrics = (registers: Registry[]): Pick<Metrics, 'modelCalls' | 'modelTokens' | 'modelRetries'> => ({
  modelCalls: new Counter({
    name: 'fixpoint_model_calls_total',
    help: 'Answers of a model, by stop reason',
    labelNames: ['stop'],
    registers,
  }),
  modelTokens: new Counter({
    name: 'fixpoint_model_tokens_total',
    help: 'Tokens that a model read, from its cache or not, and wrote',
    labelNames: ['kind'],
    registers,
  }),
  modelRetries: new Counter({
    name: 'fixpoint_model_retries_total',
    help: 'Model calls that were retried, by error',
    labelNames: ['code'],
    registers,
  }),
});

const createNotifyMetrics = (registers: Registry[]): Pick<Metrics, 'notifications'> => ({
  notifications: new Counter({
    name: 'fixpoint_notifications_total',
    help: 'Attempts to send a notification, by result',
    labelNames: ['hook', 'outcome'],
    registers,
  }),
});
