/** Lists the secrets of each service, and thus the environment variables that a supervisor passes to its process. */
import type { Config } from './load.ts';
import { providersInUse } from './model-roles.ts';
import { hasAuthorModel, MODEL_ADDRESS, type Need, needsModel, SUBSCRIPTION_TOKEN } from './secrets.ts';

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

/** Returns the services that a supervisor starts; the author and the console are among them only if they are enabled. */
export const servicesOf = ({ author, console }: Pick<Config, 'author' | 'console'>): readonly ServiceName[] =>
  SERVICES.filter((name) => (name !== 'author' || author.enabled) && (name !== 'console' || console.enabled));

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
  config: Pick<
    Config,
    'redis' | 'marker' | 'forges' | 'agent' | 'author' | 'review' | 'messages' | 'notify' | 'console'
  >,
  needs: readonly Need[],
): readonly string[] {
  const { redis, marker, forges, agent, author, review, messages, notify, console } = config;
  const names = needs.flatMap((need) => {
    if (need === 'redis') return [redis.urlEnv, redis.sentinelPasswordEnv];
    if (need === 'marker_secret') return [marker.secretEnv, marker.previousSecretEnv];
    if (need === 'model_key') return needsModel(review.runner) ? modelVariables(agent) : [];
    if (need === 'author_model_key') return hasAuthorModel(author) ? modelVariables(agent) : [];
    if (need === 'console') return console.enabled ? [console.tokenEnv, console.writeTokenEnv] : [];
    if (need === 'messages') return messages.client.map(({ tokenEnv }) => tokenEnv);
    if (need === 'notify') return notify.flatMap(({ urlEnv, secretEnv }) => [urlEnv, secretEnv]);
    if (need === 'push_token' && !author.enabled) return [];
    return forges.flatMap((forge) => forgeVariables(forge, need));
  });
  return [...new Set(names.filter((name) => name !== null))];
}
