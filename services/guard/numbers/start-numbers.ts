import { randomBytes } from 'node:crypto';
import type { Queues } from '../../../shared/queue/enqueue.ts';
import { budgetLimitsOf } from '../../../shared/runtime/connect-model.ts';
import { isEmbeddedRedis } from '../../../shared/runtime/embedded-redis.ts';
import type { ServiceContext } from '../../../shared/runtime/service-context.ts';
import { createBudgetLedger } from '../../../shared/store/budget-ledger.ts';
import { createKeys } from '../../../shared/store/keys.ts';
import { createOpenHandoffs } from '../../../shared/store/learning/open-handoffs.ts';
import { serveSharedGauges } from './shared-gauges.ts';

export const startNumbers = (
  { config, redis, metrics, nowMs }: ServiceContext,
  queues: Pick<Queues, 'queue'>,
): { readonly stop: () => void } => {
  const { prefix } = config.redis;
  const keys = createKeys(prefix);
  return serveSharedGauges({
    redis,
    keys,
    queues,
    ledger: createBudgetLedger(redis, { prefix, limits: budgetLimitsOf(config.budgets.model) }),
    handoffs: createOpenHandoffs(redis, keys),
    forges: config.forges.map(({ id }) => id),
    redisMode: isEmbeddedRedis(config) ? 'embedded' : 'external',
    metrics,
    nowMs,
    nonce: randomBytes(8).toString('hex'),
  });
};
