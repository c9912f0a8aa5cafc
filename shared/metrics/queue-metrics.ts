/** Metrics about queues, jobs, outages and Redis. */
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';

export type QueueMetrics = {
  readonly jobSeconds: Histogram<'queue'>;
  readonly jobWaitSeconds: Histogram<'queue'>;
  /** `code`: a code of the table of error codes. */
  readonly jobsFailed: Counter<'queue' | 'code'>;
  readonly queueJobs: Gauge<'queue' | 'state'>;
  readonly queueOldestSeconds: Gauge<'queue' | 'state'>;
  /** Violated invariants, by error code. The operator should check the log at once. */
  readonly alarms: Counter<'code'>;
  /** 1 while a job in any process of the installation waits because of the outage. */
  readonly outages: Gauge<'what'>;
  readonly redisInfo: Gauge<'mode'>;
};

const JOB_BUCKETS_SECONDS = [0.01, 0.05, 0.1, 0.5, 1, 5, 15, 30, 60, 120, 300, 600, 1200];

const WAITING_AGE =
  'Of waiting jobs, those that have run before do not count; 0 too if there are only such jobs among the first 500';

const BY_ONE_GUARD = 'Served by one guard at a time, so that a sum over processes is right';

export const createQueueMetrics = (registers: Registry[]): QueueMetrics => ({
  jobSeconds: new Histogram({
    name: 'fixpoint_job_seconds',
    help: 'Time that one job took in its handler',
    labelNames: ['queue'],
    buckets: JOB_BUCKETS_SECONDS,
    registers,
  }),
  jobWaitSeconds: new Histogram({
    name: 'fixpoint_job_wait_seconds',
    help: 'Time between the moment at which a job was due and its first execution',
    labelNames: ['queue'],
    buckets: JOB_BUCKETS_SECONDS,
    registers,
  }),
  jobsFailed: new Counter({
    name: 'fixpoint_jobs_failed_total',
    help: 'Jobs that failed for good, by error code',
    labelNames: ['queue', 'code'],
    registers,
  }),
  queueJobs: new Gauge({
    name: 'fixpoint_queue_jobs',
    help: `Jobs in each queue, by state. ${BY_ONE_GUARD}`,
    labelNames: ['queue', 'state'],
    registers,
  }),
  queueOldestSeconds: new Gauge({
    name: 'fixpoint_queue_oldest_job_age_seconds',
    help: `Age of the oldest job of each queue and state; 0 if there is none. ${WAITING_AGE}. ${BY_ONE_GUARD}`,
    labelNames: ['queue', 'state'],
    registers,
  }),
  ...createTroubleMetrics(registers),
});

const createTroubleMetrics = (registers: Registry[]): Pick<QueueMetrics, 'alarms' | 'outages' | 'redisInfo'> => ({
  alarms: new Counter({
    name: 'fixpoint_alarms_total',
    help: 'Errors that must never happen, by error code',
    labelNames: ['code'],
    registers,
  }),
  outages: new Gauge({
    name: 'fixpoint_outage',
    help: 'Whether jobs wait for something that is unavailable: model, forge, git, disk or store. The same in every process: aggregate with max',
    labelNames: ['what'],
    registers,
  }),
  redisInfo: new Gauge({
    name: 'fixpoint_redis_info',
    help: `1, with the kind of Redis as a label: embedded (started by fixpoint up) or external. ${BY_ONE_GUARD}`,
    labelNames: ['mode'],
    registers,
  }),
});
