/** The variables of each container of `docker-compose.yml`: only its own secrets. Computes only. */
import type { Config } from '../../../../shared/config/load.ts';
import { isLoopback } from '../../../../shared/loopback.ts';
import { PROXY_VARIABLES } from '../../../../shared/network/outgoing.ts';
import type { Need } from '../../../../shared/config/secrets.ts';
import {
  SERVICE_NEEDS,
  type ServiceName,
  secretVariables,
  servicesOf,
} from '../../../../shared/config/service-needs.ts';
import { isPlainValue, type Variables } from '../../variables/env-text.ts';

/** The password of the Redis of `docker-compose.yml`. */
export const REDIS_PASSWORD = 'REDIS_PASSWORD';

/** `doctor` checks everything, so its container gets the secrets of all services. */
export type ContainerName = ServiceName | 'doctor' | 'redis';

/**
 * These are not secrets. A container gets them only from the environment file, because the values of this machine's
 * environment are not valid in a container. The same applies to the standard variables of OpenTelemetry (`OTEL_…`).
 */
const PROCESS_VARIABLES = ['TZ', 'NODE_OPTIONS', 'NODE_EXTRA_CA_CERTS', ...PROXY_VARIABLES];

/** `inFile`: only the variables in the file; `all`: also those in the environment. */
export type KnownVariables = { readonly all: Variables; readonly inFile: Variables };

export type ContainerEnv = { readonly name: ContainerName; readonly variables: Variables };

// The cast is safe because the names are the keys of the object.
const ALL = Object.keys(SERVICE_NEEDS) as readonly ServiceName[];

export type WithRedis = { readonly variables: Variables } | { readonly problem: string };

/**
 * With `REDIS_PASSWORD` the containers use the Redis beside them, whose host is `redis`. Without it they use the Redis
 * of the variable that `redis.url_env` names, which must be reachable from a container.
 */
export const withContainerRedis = ({ redis }: Pick<Config, 'redis'>, variables: Variables): WithRedis => {
  const password = variables[REDIS_PASSWORD] ?? '';
  const url = variables[redis.urlEnv] ?? '';
  if (NOT_IN_REDIS_FILE.test(password))
    return {
      problem: `${REDIS_PASSWORD} contains a quote, a backslash or a line feed, which Redis cannot read: ${OTHER}`,
    };
  if (password !== '')
    return { variables: { ...variables, [redis.urlEnv]: `redis://:${encodeURIComponent(password)}@redis:6379/0` } };
  const help = `set ${REDIS_PASSWORD} for a Redis of its own (${OTHER})`;
  if (url === '') return { problem: `${REDIS_PASSWORD} is not set: ${help}, or ${redis.urlEnv} for an existing one` };
  if (isAddressHere(url))
    return { problem: `${redis.urlEnv} is an address of this machine, which no container reaches: ${help}` };
  return { variables };
};

const OTHER = 'openssl rand -hex 32 makes one';

/** The containers of Redis write the password between quotes into a settings file. */
const NOT_IN_REDIS_FILE = /["\\\p{Cc}]/u;

/** A socket is a path: it can be mounted into a container, and a service of the host opens it directly. */
const isAddressHere = (url: string): boolean => {
  if (!URL.canParse(url)) return false;
  const { protocol, hostname } = new URL(url);
  return protocol !== 'unix:' && isLoopback(hostname);
};

/** Contract: `all` comes from `withContainerRedis`. A service that does not run gets no secrets. */
export const containerEnvs = (config: Config, { all, inFile }: KnownVariables): readonly ContainerEnv[] => {
  const running = servicesOf(config);
  const pick = (needs: readonly Need[]): Variables => {
    const secrets = secretVariables(config, needs);
    const traces = Object.keys(inFile).filter((name) => name.startsWith('OTEL_'));
    return { ...chosen(inFile, [...PROCESS_VARIABLES, ...traces]), ...chosen(all, secrets) };
  };
  const needsOf = (name: ServiceName): readonly Need[] => (running.includes(name) ? SERVICE_NEEDS[name] : []);
  return [
    ...ALL.map((name) => ({ name, variables: pick(needsOf(name)) })),
    { name: 'doctor', variables: pick(ALL.flatMap(needsOf)) },
    { name: 'redis', variables: chosen(all, [REDIS_PASSWORD]) },
  ];
};

const chosen = (variables: Variables, names: readonly string[]): Variables =>
  Object.fromEntries(names.flatMap((name) => (variables[name] ? [[name, variables[name]]] : [])));

/** Null for a value that Docker, systemd and a shell would not all read in the same way. */
const quotedValue = (value: string): string | null => {
  if (isPlainValue(value)) return value;
  return /['\p{Cc}]|\\$/u.test(value) ? null : `'${value}'`;
};

export type EnvText = { readonly text: string } | { readonly unwritable: readonly string[] };

export const containerEnvText = ({ variables }: ContainerEnv): EnvText => {
  const lines = Object.entries(variables).map(([name, value]) => ({ name, value: quotedValue(value) }));
  const unwritable = lines.flatMap(({ name, value }) => (value === null ? [name] : []));
  if (unwritable.length > 0) return { unwritable };
  return { text: `${HEAD}${lines.map(({ name, value }) => `${name}=${value ?? ''}\n`).join('')}` };
};

const HEAD = '# Written by `fixpoint env-files` from fixpoint.toml and .env; changes are overwritten.\n';
