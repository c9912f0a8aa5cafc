/** Metrics about what guard decides and what the poster says. */
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { ProjectLabel } from './project-label.ts';

export type ReviewMetrics = {
  readonly decisions: Counter<'effect'>;
  /** `verdict`: lgtm, feedback, inconclusive or failed; `runner`: the kind of runner, `carried` or `none`. */
  readonly reviews: Counter<'verdict' | 'runner' | ProjectLabel>;
  /** `outcome`: raised, unverified, resolved, vetoed, escalated or dismissed. */
  readonly findings: Counter<'severity' | 'outcome' | ProjectLabel>;
  readonly verdictSeconds: Histogram<ProjectLabel>;
  /** `part`: quiet, queue, model, ci or posting. */
  readonly verdictPartSeconds: Histogram<'part'>;
  readonly lastVerdict: Gauge<'verdict'>;
  readonly handoffsOpen: Gauge<'forge'>;
  readonly handoffOldestSeconds: Gauge<'forge'>;
  readonly postedComments: Counter<'kind'>;
  /** Messages to the receivers of `[[notify]]`; `outcome`: sent, retry, unknown or refused. */
  readonly notifications: Counter<'hook' | 'outcome'>;
  /**
   * People's thumbs-up and thumbs-down reactions to findings. `thumb`: up or down. `rule` and `model` name what made
   * the claim. These labels have few values, because they are names of rules and of configured models.
   */
  readonly findingReactions: Counter<'forge' | 'rule' | 'model' | 'thumb'>;
};

const VERDICT_BUCKETS_SECONDS = [1, 5, 15, 30, 60, 120, 300, 600, 1200, 1800, 3600, 7200, 21_600, 86_400];

export const createReviewMetrics = (registers: Registry[], project: readonly ProjectLabel[]): ReviewMetrics => ({
  ...createVerdictMetrics(registers, project),
  decisions: new Counter({
    name: 'fixpoint_decisions_total',
    help: 'Effects that guard decided on',
    labelNames: ['effect'],
    registers,
  }),
  findings: new Counter({
    name: 'fixpoint_findings_total',
    help: 'Findings by severity and by what became of them: raised, unverified, resolved, vetoed, escalated or dismissed',
    labelNames: ['severity', 'outcome', ...project],
    registers,
  }),
  handoffsOpen: new Gauge({
    name: 'fixpoint_handoffs_open',
    help: 'Open change requests of which a person must decide something. Served by one guard at a time',
    labelNames: ['forge'],
    registers,
  }),
  handoffOldestSeconds: new Gauge({
    name: 'fixpoint_handoff_oldest_age_seconds',
    help: 'Age of the oldest of these hand-offs; 0 if there is none. Served by one guard at a time',
    labelNames: ['forge'],
    registers,
  }),
  postedComments: new Counter({
    name: 'fixpoint_posted_comments_total',
    help: 'Comments written to a forge',
    labelNames: ['kind'],
    registers,
  }),
  notifications: new Counter({
    name: 'fixpoint_notifications_total',
    help: 'Attempts to send a notification, by result',
    labelNames: ['hook', 'outcome'],
    registers,
  }),
  findingReactions: new Counter({
    name: 'fixpoint_finding_reactions_total',
    help: 'Thumbs-up and thumbs-down reactions of people to findings, read when a change request is merged or closed',
    labelNames: ['forge', 'rule', 'model', 'thumb'],
    registers,
  }),
});

type VerdictMetrics = Pick<ReviewMetrics, 'reviews' | 'verdictSeconds' | 'verdictPartSeconds' | 'lastVerdict'>;

const createVerdictMetrics = (registers: Registry[], project: readonly ProjectLabel[]): VerdictMetrics => ({
  reviews: new Counter({
    name: 'fixpoint_reviews_total',
    help: 'Reviews that were posted, by verdict and by who reviewed; failed: every attempt failed and a person was asked',
    labelNames: ['verdict', 'runner', ...project],
    registers,
  }),
  verdictSeconds: new Histogram({
    name: 'fixpoint_verdict_seconds',
    help: 'Time from the event that asked for a review to its posted verdict',
    labelNames: [...project],
    buckets: VERDICT_BUCKETS_SECONDS,
    registers,
  }),
  verdictPartSeconds: new Histogram({
    name: 'fixpoint_verdict_part_seconds',
    help: 'Parts of the time to a verdict: quiet time, queue (slot and announcement), model (the run), ci and posting',
    labelNames: ['part'],
    buckets: VERDICT_BUCKETS_SECONDS,
    registers,
  }),
  lastVerdict: new Gauge({
    name: 'fixpoint_last_verdict_timestamp_seconds',
    help: 'When this guard last saw a verdict posted, in seconds since 1970',
    labelNames: ['verdict'],
    registers,
  }),
});
