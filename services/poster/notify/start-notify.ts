/** The second worker of the poster's process: notifies the operator's receivers of events that need a person. */
import { createCheckpoint } from '../../../shared/checkpoint.ts';
import { NotifyAbout } from '../../../shared/notify/event.ts';
import { runWorker } from '../../../shared/runtime/run-worker.ts';
import type { RunningService } from '../../../shared/runtime/run-service.ts';
import type { ServiceContext } from '../../../shared/runtime/service-context.ts';
import { createDocumentStore } from '../../../shared/store/documents.ts';
import { createSendingMarks } from '../../../shared/store/sending-marks.ts';
import type { NotifyForge } from './deps.ts';
import { createNotifyHandler } from './handle.ts';
import { createSend } from './send.ts';

/** Returns null if no receiver is configured; then nothing is stored for receivers. */
export const startNotify = async (context: ServiceContext): Promise<RunningService | null> => {
  const { config, redis, metrics, nowMs } = context;
  if (config.notify.length === 0) return null;
  const abouts = createDocumentStore(redis, NotifyAbout);
  return runWorker(context, 'notify', async ({ queues: { enqueue }, keys }) => ({
    handle: createNotifyHandler({
      hooks: config.notify,
      receivers: config.secrets.receivers,
      forges: notifyForges(context),
      abouts: {
        load: async (id) => abouts.load(keys.about(id)),
        save: async (id, about) => abouts.save(keys.about(id), about),
      },
      enqueue,
      marks: createSendingMarks(redis, keys),
      send: createSend(),
      metrics,
      nowMs,
      checkpoint: createCheckpoint('poster', process.env['FIXPOINT_CRASH_AT']),
    }),
  }));
};

const notifyForges = ({ config, forges }: ServiceContext): ReadonlyMap<string, NotifyForge> =>
  new Map(
    config.forges.flatMap(({ id, kind }) => {
      const forge = forges.get(id);
      return forge === undefined ? [] : [[id, { kind, read: forge.read }] as const];
    }),
  );
