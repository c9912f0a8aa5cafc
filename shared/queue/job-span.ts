import type { Job } from 'bullmq';
import { inSpan, type SpanWish } from '../tracing/tracing.ts';
import type { QueueName } from './contracts.ts';

/** Every execution of a job continues the trace in which the job was added. */
const jobSpan = (name: QueueName, job: Job): SpanWish => ({
  name: `process ${name}`,
  kind: 'consumer',
  parent: job.opts.telemetry?.metadata ?? null,
  attributes: {
    'messaging.system': 'bullmq',
    'messaging.operation.name': 'process',
    'messaging.operation.type': 'process',
    'messaging.destination.name': name,
    'messaging.message.id': job.id ?? '',
    'fixpoint.job.execution': job.attemptsStarted,
  },
});

export const inJobSpan = async <Result extends { readonly kind: string }>(
  name: QueueName,
  job: Job,
  work: () => Promise<Result>,
): Promise<Result> =>
  inSpan(jobSpan(name, job), async (span) => {
    const result = await work();
    span.set({ 'fixpoint.job.result': result.kind });
    return result;
  });

type Failed = { readonly name: QueueName; readonly job: Job; readonly code: string };

/** For what happens because a job has failed for good, which is after its last execution. */
export const inFailureSpan = async ({ name, job, code }: Failed, work: () => Promise<void>): Promise<void> =>
  inSpan({ ...jobSpan(name, job), name: `fail ${name}` }, async (span) => {
    span.fail(code);
    await work();
  });
