/** What `fixpoint up` says once all services are ready: where webhooks arrive, where Redis is, and what to do next. */
import { localUrl } from '../../../shared/config/listen.ts';
import type { Config } from '../../../shared/config/load.ts';
import { servicesOf } from '../../../shared/config/service-needs.ts';
import { askHealth } from '../health/ask-health.ts';
import { serviceUrl } from '../health/service-url.ts';
import { CLOCK } from './keep-running.ts';

const LOOK_MS = 500;

export type OwnRedis = { readonly url: string; readonly folder: string } | null;

type Settings = Pick<Config, 'agent' | 'ingress' | 'forges' | 'author' | 'console' | 'project' | 'redis' | 'health'>;

/** Without secrets. The address of a configured Redis may hold a password, so only its variable is named. */
export const announcement = (config: Settings, redis: OwnRedis): readonly string[] => [
  `${config.health.enabled ? 'all services are ready' : 'the ingress is ready, and these are running'}: ${servicesOf(config).join(', ')}`,
  redis === null
    ? `Redis: the URL in ${config.redis.urlEnv}`
    : `Redis: ${redis.url}, started here, with its data in ${redis.folder}; the other commands find it there`,
  ...config.forges.map(({ id }) => `webhooks of "${id}": ${localUrl(config.ingress)}/webhooks/${id}`),
  ...(config.console.enabled ? [`operator's page: ${config.console.publicUrl ?? localUrl(config.console)}`] : []),
  'next: forward the public URL of the webhook to the ingress, run "fixpoint doctor", and open a change request',
];

/** Resolves with true once every service that can be asked is ready, and with false if the shutdown begins earlier. */
export const untilReady = async (config: Config, leaving: AbortSignal): Promise<boolean> => {
  const urls = servicesOf(config).flatMap((name) => serviceUrl(config, name) ?? []);
  while (!leaving.aborted) {
    const all = await Promise.all(urls.map(async (url) => isReady(url, leaving)));
    if (all.every(Boolean)) return true;
    await CLOCK.pause(LOOK_MS, leaving);
  }
  return false;
};

const isReady = async (url: string, leaving: AbortSignal): Promise<boolean> => {
  try {
    return (await askHealth(url, leaving)).ready;
  } catch {
    // The shutdown has begun.
    return false;
  }
};
