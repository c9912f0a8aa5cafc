/** Lists the secrets of each service, and thus the environment variables that a supervisor passes to its process. */
import type { Config } from './load.ts';
import { providersInUse } from './model-roles.ts';
import { everySettings } from './project-settings.ts';
import { hasAuthorModel, needsModel } from './model-needs.ts';
import { MODEL_ADDRESS, type Need, SUBSCRIPTION_TOKEN } from './secrets.ts';

export const SERVICE_NEEDS = {
  ingress: ['redis', 'webhooks', 'messages'],
  guard: ['redis', 'marker_secret', 'read_token'],
  reviewer: ['redis', 'git_token', 'model_key'],
  explorer: ['redis', 'git_token', 'model_key'],
  poster: ['redis', 'marker_secret', 'post_token', 'notify'],
  author: ['redis', 'read_token', 'push_token', 'author_model_key'],
  console: ['redis', 'console'],
} as const satisfies Readonly<Record<string, readonly Need[]>>;
export type ServiceName = keyof typeof SERVICE_NEEDS;

/** The needs of a process that does the work of all services. */
export const ALL_NEEDS: readonly Need[] = [...new Set<Need>(Object.values(SERVICE_NEEDS).flat())];

// The cast is safe because the names are the keys of the object.
const SERVICES = Object.keys(SERVICE_NEEDS) as readonly ServiceName[];

type Settings = Pick<Config, 'author' | 'agent' | 'review' | 'forges' | 'project'>;

/** Returns the services that a supervisor starts; the author only if it is enabled for some project, the console if it is enabled. */
export const servicesOf = (
  config: Pick<Settings, 'author' | 'agent' | 'forges' | 'project'> & Pick<Config, 'console'>,
): readonly ServiceName[] => {
  const hasAuthor = everySettings(config).some(({ author }) => author.enabled);
  return SERVICES.filter((name) => (name !== 'author' || hasAuthor) && (name !== 'console' || config.console.enabled));
};

type Forge = Config['forges'][number];

function forgeVariables(forge: Forge, need: Exclude<Need, 'notify' | 'console'>): readonly (string | null)[] {
  switch (need) {
    case 'webhooks':
      return [...forge.webhookSecretEnvs, forge.signingTokenEnv];
    case 'read_token':
      return [forge.readTokenEnv ?? forge.tokenEnv];
    case 'post_token':
      return [forge.postTokenEnv ?? forge.tokenEnv];
    case 'git_token':
      return [forge.gitTokenEnv ?? forge.tokenEnv];
    case 'push_token':
      return [forge.pushTokenEnv ?? forge.tokenEnv];
    case 'marker_secret':
    case 'model_key':
    case 'author_model_key':
    case 'messages':
    case 'redis':
      return [];
    default:
      return need satisfies never;
  }
}

const modelVariables = (agent: Config['agent']): readonly (string | null)[] => [
  agent.apiKeyEnv,
  MODEL_ADDRESS,
  agent.claudeCode.subscription ? SUBSCRIPTION_TOKEN : null,
  ...providersInUse(agent).map(({ keyEnv }) => (keyEnv === '' ? null : keyEnv)),
];

export function secretVariables(
  config: Settings & Pick<Config, 'redis' | 'marker' | 'messages' | 'notify' | 'console'>,
  needs: readonly Need[],
): readonly string[] {
  const { redis, marker, forges, messages, notify, console } = config;
  const every = everySettings(config);
  const names = needs.flatMap((need) => {
    if (need === 'redis') return [redis.urlEnv, redis.sentinelPasswordEnv];
    if (need === 'marker_secret') return [marker.secretEnv, marker.previousSecretEnv];
    if (need === 'model_key')
      return every.filter(({ review }) => needsModel(review.runner)).flatMap(({ agent }) => modelVariables(agent));
    if (need === 'author_model_key')
      return every.filter(({ author }) => hasAuthorModel(author)).flatMap(({ agent }) => modelVariables(agent));
    if (need === 'console')
      return console.enabled ? [console.tokenEnv, console.writeTokenEnv, console.login?.clientSecretEnv ?? null] : [];
    if (need === 'messages') return messages.client.map(({ tokenEnv }) => tokenEnv);
    if (need === 'notify') return notify.flatMap(({ urlEnv, secretEnv }) => [urlEnv, secretEnv]);
    if (need === 'push_token' && !every.some(({ author }) => author.enabled)) return [];
    return forges.flatMap((forge) => forgeVariables(forge, need));
  });
  return [...new Set(names.filter((name) => name !== null))];
}
