/** What the deployment of each service must provide, derived from the settings and needs of the code. */
import { healthAddress } from '../../shared/config/loaded/health-port.ts';
import { type Config, loadConfig } from '../../shared/config/load.ts';
import type { Need } from '../../shared/config/secrets.ts';
import { SERVICE_NEEDS, type ServiceName, secretVariables } from '../../shared/config/service-needs.ts';

// The cast is safe because the names are the keys of the object.
export const SERVICES = Object.keys(SERVICE_NEEDS) as readonly ServiceName[];

/** Every setting that names a variable has a value that says its own name. */
const variableOf = (setting: string): string => setting.toUpperCase().replaceAll('.', '__');
const settingOf = (variable: string): string | null =>
  variable.includes('__') ? variable.toLowerCase().replaceAll('__', '.') : null;

/** A comma separates settings of one table. */
const namesIn = (table: string, keys: string): string =>
  keys
    .split(', ')
    .map((key) => {
      const variable = JSON.stringify(variableOf(`${table}.${key}`));
      return `${key} = ${key.endsWith('_envs') ? `[${variable}]` : variable}\n`;
    })
    .join('');

const EVERYTHING = `
[redis]
sentinels = ["10.0.0.1:26379"]
${namesIn('redis', 'url_env, sentinel_password_env')}
[marker]
${namesIn('marker', 'secret_env, previous_secret_env')}
[[forge]]
id = "lab"
kind = "gitlab"
base_url = "https://gitlab.example.com"
projects = ["a/b"]
${namesIn('forge', 'token_env, read_token_env, post_token_env, git_token_env, push_token_env, webhook_secret_envs, signing_token_env')}
[agent]
${namesIn('agent', 'api_key_env')}
claude_code = { command = "/usr/local/bin/claude", subscription = true }
reviewer = { models = ["claude-sonnet-5-5", "local/coder"] }
[[agent.provider]]
name = "local"
kind = "openai"
base_url = "https://models.example.com/v1"
input_usd = 0
output_usd = 0
context_tokens = 32768
${namesIn('agent.provider', 'key_env')}
[review]
runner = "agent"
[author]
enabled = true
agent = "agent"
[console]
enabled = true
public_url = "https://fixpoint.example.com"
${namesIn('console', 'token_env, write_token_env')}
login = { forge = "lab", client_id = "fixpoint", client_secret_env = "${variableOf('console.login.client_secret_env')}" }
[messages]
client = [{ name = "ann", role = "author", forge = "lab", project_id = 42, token_env = "${variableOf('messages.client.token_env')}" }]
[[notify]]
name = "on-call"
kind = "json"
${namesIn('notify', 'url_env, secret_env')}
`;

const loadEverything = (): Config => {
  const loaded = loadConfig({ text: EVERYTHING, env: {}, needs: [], folder: '/app' });
  if (!loaded.ok) throw new Error(loaded.problems.join('\n'));
  return loaded.config;
};

/** Settings for an installation that uses every secret. */
export const everything = loadEverything();

/** The settings that name the variables of a service, and the variables that have a fixed name. */
export const namedBy = (service: ServiceName): readonly string[] =>
  secretVariables(everything, SERVICE_NEEDS[service]).map((variable) => settingOf(variable) ?? variable);

/** The port of `/healthz`, `/readyz` and `/metrics`. */
export const healthPort = (service: ServiceName): number =>
  service === 'ingress' ? everything.ingress.port : (healthAddress(everything.health, service)?.port ?? 0);

export type Peer = 'Redis' | 'forges' | 'models' | 'receivers';

/** With what a process talks that has a secret. Others send `webhooks`, `messages` and requests to the console. */
const PEER_OF: Readonly<Record<Need, Peer | null>> = {
  redis: 'Redis',
  webhooks: null,
  messages: null,
  /** For the login with an account of a forge. */
  console: 'forges',
  marker_secret: null,
  read_token: 'forges',
  post_token: 'forges',
  git_token: 'forges',
  push_token: 'forges',
  model_key: 'models',
  author_model_key: 'models',
  notify: 'receivers',
};

export const peersOf = (service: ServiceName): readonly Peer[] => [
  ...new Set(SERVICE_NEEDS[service].flatMap((need: Need) => PEER_OF[need] ?? [])),
];

/** Those that open files of a repository for a model, or run commands on them. */
export const runsCages = (service: string): boolean => ['reviewer', 'explorer', 'author'].includes(service);
