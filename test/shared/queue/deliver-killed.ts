/** A process that delivers an event, then another one, and is killed at a step of the second. */
import { createCheckpoint } from '../../../shared/checkpoint.ts';
import { createQueues } from '../../../shared/queue/enqueue.ts';
import { createInbox } from '../../../shared/queue/inbox.ts';
import { createKeys } from '../../../shared/store/keys.ts';
import { connectRedis } from '../../../shared/store/redis.ts';

const [url = '', step = ''] = process.argv.slice(2);

const redis = connectRedis(url, 'worker');
const keys = createKeys('test');
const { enqueue } = createQueues(redis, keys.queues);
const inbox = createInbox(redis, keys, enqueue, createCheckpoint('sender', `sender:${step}:2`));
for (const id of ['m1', 'm2']) {
  const event = { source: 'wake', id, atMs: 1 } as const;
  await inbox.deliver({
    changeRequest: { forge: 'main', projectId: 1, number: 2 },
    event,
    dedupKey: id,
    deliveryId: id,
  });
}
