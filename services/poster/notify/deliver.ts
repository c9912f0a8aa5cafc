/** Delivers one event to one receiver. */
import type { Logger } from 'pino';
import type { NotifyHook } from '../../../shared/config/notify-settings.ts';
import type { ReceiverAccess } from '../../../shared/config/secrets.ts';
import { composeRequest } from '../../../shared/notify/compose-request.ts';
import { eventId } from '../../../shared/notify/event-id.ts';
import { isAtLeastOnce, judgeOutcome, type NotifyOutcome } from '../../../shared/notify/judge-outcome.ts';
import type { NotifyJob } from '../../../shared/queue/contracts.ts';
import type { JobContext } from '../../../shared/queue/worker.ts';
import type { NotifyDeps } from './deps.ts';
import { NOTHING_FOUND } from './find-about.ts';
import { NotifyFailedError, NotifyRefusedError } from './errors.ts';

export type NotifyDelivery = NotifyJob & { readonly kind: 'delivery' };

/** Older notifications are no longer useful. The limit also ends deliveries that a receiver keeps postponing. */
const MAX_AGE_MS = 3 * 24 * 3_600_000;

type Delivering = Pick<JobContext, 'signal' | 'log'>;

export const deliver = async (deps: NotifyDeps, job: NotifyDelivery, context: Delivering): Promise<void> => {
  const hook = deps.hooks.find(({ name }) => name === job.hook);
  const access = deps.receivers.get(job.hook);
  const id = eventId(job.event);
  const log = context.log.child({ hook: job.hook, event: job.event.kind, eventId: id });
  if (hook === undefined || access === undefined)
    return log.warn('a notification is dropped: its hook is no longer configured');
  const isOld = deps.nowMs() - job.event.atMs > MAX_AGE_MS;
  if (isOld) return end(deps, job, log, { kind: 'refused', reason: 'NOTIFY_TOO_OLD' });
  if (isAtLeastOnce(hook.kind)) return end(deps, job, log, await send(deps, { job, hook, access }, context.signal));
  await deliverOnce(deps, { job, hook, access }, { ...context, log });
};

type Sending = { readonly job: NotifyDelivery; readonly hook: NotifyHook; readonly access: ReceiverAccess };

/** Stores a mark before the request and updates it with the outcome. A mark without an outcome means that an attempt was interrupted. */
const deliverOnce = async (deps: NotifyDeps, sending: Sending, { log, signal }: Delivering): Promise<void> => {
  const { job } = sending;
  const mark = `${job.hook}.${eventId(job.event)}`;
  const state = await deps.marks.begin(mark);
  if (state === 'sent') return;
  if (state === 'unknown') return end(deps, job, log, { kind: 'unknown', reason: 'NOTIFY_INTERRUPTED' });
  const outcome = await send(deps, sending, signal);
  if (outcome.kind === 'retry' || outcome.kind === 'refused') await deps.marks.clear(mark);
  else await deps.marks.end(mark);
  end(deps, job, log, outcome);
};

const send = async (deps: NotifyDeps, { job, hook, access }: Sending, signal: AbortSignal): Promise<NotifyOutcome> => {
  const { event } = job;
  const about = (await deps.abouts.load(eventId(event))) ?? NOTHING_FOUND;
  const request = composeRequest({ kind: hook.kind, event, about, secret: access.secret, sentAtMs: deps.nowMs() });
  deps.checkpoint('before-send');
  const outcome = await deps.send(access.url, request, signal);
  deps.checkpoint('after-send');
  return judgeOutcome({ receiver: hook.kind, outcome, nowMs: deps.nowMs() });
};

/** @throws NotifyFailedError @throws NotifyRefusedError */
const end = ({ metrics }: NotifyDeps, { hook }: NotifyDelivery, log: Logger, outcome: NotifyOutcome): void => {
  metrics.notifications.inc({ hook, outcome: outcome.kind });
  switch (outcome.kind) {
    case 'sent':
      return log.info('notification sent');
    case 'unknown':
      return log.error(
        { reason: outcome.reason },
        'the outcome of a notification is unknown; the notification is not sent again, because it could be shown twice',
      );
    case 'retry':
      throw new NotifyFailedError(outcome.delayMs, { hook, reason: outcome.reason });
    case 'refused':
      throw new NotifyRefusedError({ hook, reason: outcome.reason });
    default:
      return outcome satisfies never;
  }
};
