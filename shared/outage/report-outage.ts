/** Reports to guard that a run's job is waiting, or has waited too long. */
import type { Mistake, Outage, Trouble } from './outage.ts';
import type { InboxEvent, OutageEvent } from '../rounds/model/events.ts';
import type { ChangeRequest, RunId } from '../vocabulary/ids.ts';

export type OutageReport = {
  readonly kind: OutageEvent['kind'];
  readonly outage: Mistake;
  readonly atMs: number;
};

/** `part` names the job within the run. Reports with the same time are one event. */
export const outageEvent = (runId: RunId, part: string, { kind, outage, atMs }: OutageReport): OutageEvent => ({
  source: 'outage',
  kind,
  id: `outage-${kind}-${part}-${atMs}`,
  atMs,
  runId,
  what: outage.what,
  code: outage.code.slice(0, 80),
});

export const endedBy = (trouble: Trouble): Pick<OutageReport, 'kind' | 'outage'> =>
  trouble.kind === 'outage'
    ? { kind: 'over', outage: trouble.outage }
    : { kind: 'misconfigured', outage: trouble.mistake };

export type OutageTeller = {
  readonly deliver: (of: ChangeRequest, event: InboxEvent) => Promise<void>;
  readonly nowMs: () => number;
};

type OfRun = { readonly changeRequest: ChangeRequest; readonly runId: RunId };

/** Builds a worker's `onOutage`. */
export const tellThatItWaits =
  <Job extends OfRun>({ deliver, nowMs }: OutageTeller, partOf: (job: Job) => string) =>
  async (job: Job, outage: Outage): Promise<void> =>
    deliver(job.changeRequest, outageEvent(job.runId, partOf(job), { kind: 'waits', outage, atMs: nowMs() }));
