/** Secrets come only from the environment. A process reads only the secrets that it requests, so it cannot leak the others. */
import { DEFAULT_PROVIDER, PROVIDER_FACTS } from '../vocabulary/model-provider.ts';
import { AppError } from '../errors.ts';
import type { ForgeSettings } from './forge-settings.ts';
import { hasAuthorModel, needsDefaultKey, needsModel, type RunnerSettings, usesSubscription } from './model-needs.ts';
import { providersInUse } from './model-roles.ts';
import type { SettingsFile } from './schema.ts';
import {
  checkChosenToken,
  checkMarkerSecret,
  checkMessagesUrl,
  checkNotifyUrl,
  checkRedisUrl,
  checkSigningToken,
  checkToken,
  checkWebhookSecret,
  findSharedMessageTokens,
  findSharedWebhookSecrets,
} from './secret-rules.ts';
import type { SecretRule } from './secret-rules.ts';

/** Secrets that a process can request. `redis` is the URL with its password. */
export type Need =
  | 'webhooks'
  | 'read_token'
  | 'post_token'
  | 'git_token'
  | 'marker_secret'
  | 'redis'
  | 'model_key'
  | 'push_token'
  | 'author_model_key'
  | 'messages'
  | 'notify'
  | 'console';

export type ForgeSecrets = {
  /** Empty if these secrets were not requested. */
  readonly webhookSecrets: readonly string[];
  /** GitLab's signing token `whsec_…`, requested with the webhook secrets; null also if it is not configured. */
  readonly signingToken: string | null;
  readonly readToken: string | null;
  readonly postToken: string | null;
  readonly gitToken: string | null;
  /** Null also if the author is disabled. */
  readonly pushToken: string | null;
};

/** `baseUrl` comes from the environment, like the key; null if it is not set. */
export type ModelAccess = {
  /** The key of `agent.api_key_env`; empty if no model in use needs it. */
  readonly key: string;
  readonly baseUrl: string | null;
  /**
   * The keys of the `[[agent.provider]]` entries in use, by name; empty for a provider without a key. Absent if no
   * provider is in use.
   */
  readonly providers?: ReadonlyMap<string, string>;
  /** The token of the subscription that the Claude Code CLI uses instead of the key. Absent if it uses none. */
  readonly subscription?: string;
};

export const SUBSCRIPTION_TOKEN = 'CLAUDE_CODE_OAUTH_TOKEN';

/** `secret` is null if requests are not signed. */
export type ReceiverAccess = { readonly url: string; readonly secret: string | null };

/** `write` is null if there are no actions. */
export type ConsoleTokens = {
  readonly read: string;
  readonly write: string | null;
  /** The secret of the application on the forge; null if there is no login by a forge. */
  readonly login: string | null;
};

/** A secret is null if this process did not request it. Read secrets through `demand`. */
export type Secrets = {
  readonly redisUrl: string | null;
  /** Null also if the Sentinels need no password, or if there are none. */
  readonly sentinelPassword: string | null;
  readonly marker: { readonly current: string; readonly previous: string | null } | null;
  /** Null also if no model is configured. */
  readonly model: ModelAccess | null;
  /** The secrets of each forge, by forge id. */
  readonly forges: ReadonlyMap<string, ForgeSecrets>;
  /** One token per `messages.client`, in the same order; empty if they were not requested. */
  readonly messageTokens: readonly string[];
  /** The receivers, by the name of the `[[notify]]` entry; empty if they were not requested. */
  readonly receivers: ReadonlyMap<string, ReceiverAccess>;
  /** Null also if the console is disabled. */
  readonly console: ConsoleTokens | null;
};

/** The valid parts of the settings. Only the secrets that they name can be read. */
export type SecretSources = RunnerSettings & {
  /** The same settings with the sections of each project; absent or empty if there are no sections. */
  readonly variants?: readonly RunnerSettings[];
  readonly redis: SettingsFile['redis'] | null;
  readonly marker: SettingsFile['marker'] | null;
  readonly messages: SettingsFile['messages'] | null;
  readonly notify: SettingsFile['notify'] | null;
  readonly console: SettingsFile['console'] | null;
  readonly forges: readonly { readonly index: number; readonly forge: ForgeSettings }[];
};

export type Environment = Readonly<Record<string, string | undefined>>;

type Reader = {
  readonly needs: ReadonlySet<Need>;
  /** Returns null if the secret is not named, not set or invalid. In the latter two cases a problem is reported. */
  readonly read: (setting: string, envName: string | null, rule: SecretRule) => string | null;
};

function createReader(env: Environment, needs: readonly Need[], problems: string[]): Reader {
  const read: Reader['read'] = (setting, envName, rule) => {
    if (envName === null) return null;
    const value = env[envName] ?? '';
    const mistake = value === '' ? 'is not set' : rule(value);
    if (mistake === null) return value;
    problems.push(`${setting}: the environment variable ${envName} ${mistake}`);
    return null;
  };
  return { needs: new Set(needs), read };
}

function readForge(reader: Reader, index: number, forge: ForgeSettings): ForgeSecrets {
  const { needs, read } = reader;
  const at = (key: string): string => `forge[${index}].${key}`;
  const token = (need: Need, key: string, own: string | null): string | null => {
    if (!needs.has(need)) return null;
    return own === null ? read(at('token_env'), forge.tokenEnv, checkToken) : read(at(key), own, checkToken);
  };
  const webhooks = needs.has('webhooks');
  const secrets = webhooks
    ? forge.webhookSecretEnvs.map((name, n) => read(at(`webhook_secret_envs[${n}]`), name, checkWebhookSecret))
    : [];
  return {
    webhookSecrets: secrets.filter((secret) => secret !== null),
    signingToken: webhooks ? read(at('signing_token_env'), forge.signingTokenEnv, checkSigningToken) : null,
    readToken: token('read_token', 'read_token_env', forge.readTokenEnv),
    postToken: token('post_token', 'post_token_env', forge.postTokenEnv),
    gitToken: token('git_token', 'git_token_env', forge.gitTokenEnv),
    pushToken: token('push_token', 'push_token_env', forge.pushTokenEnv),
  };
}

function readMarker(reader: Reader, marker: SettingsFile['marker']): Secrets['marker'] {
  const current = reader.read('marker.secret_env', marker.secretEnv, checkMarkerSecret);
  const previous = reader.read('marker.previous_secret_env', marker.previousSecretEnv, checkMarkerSecret);
  return current === null ? null : { current, previous };
}

/** The address is no secret, but only processes with the model key read it. */
export const MODEL_ADDRESS = PROVIDER_FACTS[DEFAULT_PROVIDER].baseUrlEnv;

/** Reads the credentials that are used instead of the model key or in addition to it. */
const readOthers = (
  reader: Reader,
  agent: SettingsFile['agent'],
  sources: RunnerSettings,
): Pick<ModelAccess, 'providers' | 'subscription'> => {
  const providers = readProviders(reader, agent);
  const subscription = usesSubscription(sources, agent)
    ? reader.read('agent.claude_code.subscription', SUBSCRIPTION_TOKEN, checkToken)
    : null;
  return { ...(providers === null ? {} : { providers }), ...(subscription === null ? {} : { subscription }) };
};

/** Without a model, no key is needed; `auto` uses a key if there is one. */
function readModelOf(reader: Reader, env: Environment, sources: RunnerSettings): ModelAccess | null {
  const { agent, runner } = sources;
  const forAuthor = reader.needs.has('author_model_key') && hasAuthorModel(sources.author);
  const forReview = reader.needs.has('model_key') && needsModel(runner);
  if (agent === null || (!forReview && !forAuthor)) return null;
  const baseUrl = (env[MODEL_ADDRESS] ?? '') === '' ? null : reader.read('agent', MODEL_ADDRESS, checkMessagesUrl);
  const named = readOthers(reader, agent, sources);
  if (!needsDefaultKey(sources, agent)) return { key: '', baseUrl, ...named };
  if ((env[agent.apiKeyEnv] ?? '') === '' && runner === 'auto' && !forAuthor) return null;
  const key = reader.read('agent.api_key_env', agent.apiKeyEnv, checkToken);
  return key === null ? null : { key, baseUrl, ...named };
}

/** What any project needs: the key of the provider and of every `[[agent.provider]]` that a project uses. */
function readModel(reader: Reader, env: Environment, sources: SecretSources): ModelAccess | null {
  const all = [sources, ...(sources.variants ?? [])].flatMap((each) => readModelOf(reader, env, each) ?? []);
  const [first] = all;
  if (first === undefined) return null;
  const providers = all.flatMap((each) => [...(each.providers ?? [])]);
  const subscription = all.find((each) => each.subscription !== undefined)?.subscription;
  return {
    key: all.find(({ key }) => key !== '')?.key ?? '',
    baseUrl: first.baseUrl,
    ...(providers.length === 0 ? {} : { providers: new Map(providers) }),
    ...(subscription === undefined ? {} : { subscription }),
  };
}

const readProviders = (reader: Reader, agent: SettingsFile['agent']): ReadonlyMap<string, string> | null => {
  const used = providersInUse(agent);
  if (used.length === 0) return null;
  return new Map(
    used.map((provider) => {
      const at = `agent.provider[${agent.provider.indexOf(provider)}].key_env`;
      return [provider.name, provider.keyEnv === '' ? '' : (reader.read(at, provider.keyEnv, checkToken) ?? '')];
    }),
  );
};

/** A token that is missing or not named becomes an empty string, to keep the order. A missing token is also reported as a problem. */
function readMessageTokens(reader: Reader, messages: SecretSources['messages']): readonly string[] {
  if (messages === null || !reader.needs.has('messages')) return [];
  return messages.client.map(
    ({ tokenEnv }, index) => reader.read(`messages.client[${index}].token_env`, tokenEnv, checkChosenToken) ?? '',
  );
}

function readReceivers(reader: Reader, notify: SecretSources['notify']): Secrets['receivers'] {
  if (notify === null || !reader.needs.has('notify')) return new Map();
  const receivers = notify.flatMap(({ name, urlEnv, secretEnv }, index) => {
    const url = reader.read(`notify[${index}].url_env`, urlEnv, checkNotifyUrl);
    const secret = reader.read(`notify[${index}].secret_env`, secretEnv, checkSigningToken);
    return url === null ? [] : [[name, { url, secret }] as const];
  });
  return new Map(receivers);
}

/** One token for both purposes would allow actions to everyone who may read. */
function readConsole(reader: Reader, settings: SecretSources['console'], problems: string[]): Secrets['console'] {
  if (settings === null || !settings.enabled || !reader.needs.has('console')) return null;
  const read = reader.read('console.token_env', settings.tokenEnv, checkChosenToken);
  const write = reader.read('console.write_token_env', settings.writeTokenEnv, checkChosenToken);
  const login = reader.read('console.login.client_secret_env', settings.login?.clientSecretEnv ?? null, checkToken);
  if (read !== null && read === write)
    problems.push(
      'console.write_token_env: has the same token as console.token_env; actions need a token of their own',
    );
  return read === null ? null : { read, write, login };
}

const isAuthorOn = ({ author, variants = [] }: SecretSources): boolean =>
  author?.enabled === true || variants.some((each) => each.author?.enabled === true);

/** The push token is required only if the author is enabled. The `[[forge]]` table checks the other tokens. */
const findPushless = (sources: SecretSources, needs: readonly Need[]): readonly string[] =>
  !isAuthorOn(sources) || !needs.includes('push_token')
    ? []
    : sources.forges
        .filter(({ forge }) => forge.pushTokenEnv === null && forge.tokenEnv === null)
        .map(({ index }) => `forge[${index}].push_token_env: is missing; set it, or token_env for all purposes`);

const without = (reader: Reader, need: Need): Reader => ({
  ...reader,
  needs: new Set([...reader.needs].filter((each) => each !== need)),
});

export function readSecrets(
  sources: SecretSources,
  env: Environment,
  needs: readonly Need[],
): { readonly secrets: Secrets; readonly problems: readonly string[] } {
  const problems: string[] = [];
  const reader = createReader(env, needs, problems);
  const pushing = isAuthorOn(sources) ? reader : without(reader, 'push_token');
  const { redis, marker } = sources;
  const secrets: Secrets = {
    redisUrl:
      redis !== null && reader.needs.has('redis') ? reader.read('redis.url_env', redis.urlEnv, checkRedisUrl) : null,
    sentinelPassword:
      redis !== null && reader.needs.has('redis')
        ? reader.read('redis.sentinel_password_env', redis.sentinelPasswordEnv, checkToken)
        : null,
    marker: marker !== null && reader.needs.has('marker_secret') ? readMarker(reader, marker) : null,
    model: readModel(reader, env, sources),
    forges: new Map(sources.forges.map(({ index, forge }) => [forge.id, readForge(pushing, index, forge)])),
    messageTokens: readMessageTokens(reader, sources.messages),
    receivers: readReceivers(reader, sources.notify),
    console: readConsole(reader, sources.console, problems),
  };
  problems.push(...findPushless(sources, needs));
  problems.push(...findSharedWebhookSecrets(secrets.forges), ...findSharedMessageTokens(secrets.messageTokens));
  // One variable may serve several purposes, so its error is reported only once.
  return { secrets, problems: [...new Set(problems)] };
}

/** @throws `SECRET_NOT_DEMANDED` (a programming error) if the process did not request the secret. */
export function demand<Value>(secret: Value | null | undefined, need: Need): Value {
  if (secret !== null && secret !== undefined) return secret;
  throw new SecretNotDemandedError(need);
}

export class SecretNotDemandedError extends AppError {
  constructor(need: Need) {
    super({
      code: 'SECRET_NOT_DEMANDED',
      message: 'this process uses a secret that it did not request at start',
      disposition: { kind: 'fail' },
      fields: { need },
    });
  }
}
