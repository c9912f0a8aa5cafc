/** What a service gets when it starts, with a real Redis and forges in memory. */
import type { Redis } from 'ioredis';
import { pino } from 'pino';
import { loadConfig } from '../../shared/config/load.ts';
import { SERVICE_NEEDS, type ServiceName } from '../../shared/config/service-needs.ts';
import type { Forge } from '../../shared/forge/port.ts';
import { createMetrics } from '../../shared/metrics.ts';
import type { ServiceContext } from '../../shared/runtime/service-context.ts';
import { makeSettings } from './settings.ts';

type ContextWish = {
  readonly redis: Redis;
  readonly service: ServiceName;
  readonly forge: Forge;
  /** Additional TOML, whole tables only. */
  readonly more?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
};

export const serviceContext = (wish: ContextWish): ServiceContext => {
  const made = makeSettings({
    forgeUrl: 'http://forge.example',
    token: 'token-of-the-bot',
    projects: ['acme/shop'],
    dataDir: '/nowhere',
    redisUrl: 'redis://given.example',
    more: wish.more ?? '',
  });
  const loaded = loadConfig({
    text: made.toml,
    folder: '/',
    env: { ...made.env, ...wish.env },
    needs: SERVICE_NEEDS[wish.service],
  });
  if (!loaded.ok) throw new Error(loaded.problems.join('\n'));
  return {
    config: loaded.config,
    redis: wish.redis,
    log: pino({ level: 'silent' }),
    metrics: createMetrics({ service: wish.service, processMetrics: false }),
    forges: new Map([[wish.forge.id, wish.forge]]),
    nowMs: Date.now,
    signal: wish.signal,
  };
};
