import { expect, it, test } from 'vitest';
import { loadConfig } from '../../../shared/config/load.ts';
import type { Config } from '../../../shared/config/load.ts';
import { compactAtTokens } from '../../../shared/agent/model/context-window.ts';
import type { Agent } from '../../../shared/config/agent-settings.ts';
import { agentFor, chainOf, findModel, modelsInUse } from '../../../shared/config/model-roles.ts';
import type { Need } from '../../../shared/config/secrets.ts';
import { secretValues } from '../../../shared/config/loaded/secret-values.ts';
import { SERVICE_NEEDS, secretVariables } from '../../../shared/config/service-needs.ts';

const FORGE =
  '[[forge]]\nid = "sim"\nkind = "forgejo"\nbase_url = "http://127.0.0.1:9"\ntoken_env = "TOKEN"\n' +
  'webhook_secret_envs = ["HOOK"]\nprojects = ["*"]\n';

const LOCAL = '[[agent.provider]]\nname = "local"\nkind = "openai"\nbase_url = "http://127.0.0.1:11434/v1"\n';
const MESSAGES = LOCAL.replace('openai', 'anthropic').replace('/v1"', '"');
const CLOUD =
  '[[agent.provider]]\nname = "cloud"\nkind = "openai"\nbase_url = "https://models.example/v1"\nkey_env = "CLOUD_KEY"\n';

const load = (more: string, env: Readonly<Record<string, string>> = {}, needs: readonly Need[] = []) =>
  loadConfig({ text: `${FORGE}${more}`, env, needs, folder: '/etc/fixpoint' });

const configOf = (...given: Parameters<typeof load>): Config => {
  const loaded = load(...given);
  if (!loaded.ok) throw new Error(loaded.problems.join('\n'));
  return loaded.config;
};

test.each([
  ['a name with a slash', LOCAL.replace('"local"', '"a/b"'), 'agent.provider[0].name: '],
  ['a name twice', `${LOCAL}${LOCAL}`, 'agent.provider: two providers have the same name'],
  ['a kind that is not known', LOCAL.replace('openai', 'house'), 'agent.provider[0].kind: '],
  ['an address with a password', LOCAL.replace('127', 'user:word@127'), 'agent.provider[0].base_url: '],
  [
    'an address with the endpoint',
    LOCAL.replace('/v1"', '/v1/chat/completions"'),
    'agent.provider[0].base_url: leave out /chat/completions, which Fixpoint adds',
  ],
  [
    'an address of the Messages API with the version',
    CLOUD.replace('"openai"', '"anthropic"'),
    'agent.provider[0].base_url: leave out /v1, which Fixpoint adds',
  ],
  [
    'no key in another place',
    CLOUD.replace('"CLOUD_KEY"', '""'),
    'agent.provider[0].key_env: expected the name of a variable',
  ],
  [
    'no key on an address like loopback',
    LOCAL.replace('127.0.0.1', '127.0.0.1.example'),
    'agent.provider[0].key_env: ',
  ],
  ['half a price', `${LOCAL}input_usd = 1\n`, 'agent.provider[0].output_usd: expected both'],
  [
    'a cache that costs more',
    `${LOCAL}input_usd = 1\noutput_usd = 1\ncached_input_usd = 2\n`,
    'agent.provider[0].cached_input_usd: expected at most input_usd',
  ],
  ['a tiny window', `${LOCAL}context_tokens = 1000\n`, 'agent.provider[0].context_tokens: '],
  [
    'a header without a value',
    `${LOCAL}headers = ["x-title"]\n`,
    'agent.provider[0].headers[0]: expected "Name: value"',
  ],
  [
    'a header of two lines',
    `${LOCAL}headers = ["x-title: a\\nb: c"]\n`,
    'agent.provider[0].headers[0]: expected "Name: value"',
  ],
  [
    'a header of its own',
    `${LOCAL}headers = ["Authorization: Bearer x"]\n`,
    'agent.provider[0].headers[0]: expected another header',
  ],
  ['an effort that nobody has', `${LOCAL}effort = "more"\n`, 'agent.provider[0].effort: '],
  ['chat settings of the Messages API', `${MESSAGES}json_schema = true\n`, 'agent.provider[0].kind: expected "openai"'],
  [
    'an effort that the Messages API does not have',
    `${MESSAGES}effort = "minimal"\n`,
    'agent.provider[0].effort: expected low',
  ],
  ['a role with an unknown effort', '[agent.reviewer]\neffort = "minimal"\n', 'agent.reviewer.effort: '],
  ['a model twice', '[agent.reviewer]\nmodels = ["a", "a"]\n', 'agent.reviewer.models: a model is named twice'],
  ['a chain without end', '[agent.reviewer]\nmodels = ["a", "b", "c", "d", "e", "f"]\n', 'agent.reviewer.models: '],
  [
    'a model that the CLI cannot call',
    `${LOCAL}[agent.reviewer]\nmodels = ["claude-sonnet-5-5", "local/qwen"]\n[agent.claude_code]\ncommand = "/opt/claude"\n[review]\nrunner = "claude-code"\n`,
    'agent.reviewer.model: local/qwen is a model of an [[agent.provider]]',
  ],
])('%s is refused', (_what, more, problem) => {
  const loaded = load(more);
  expect(loaded.ok ? [] : loaded.problems.map((each) => each.slice(0, problem.length))).toEqual([problem]);
});

test.each(['localhost', '127.0.0.1', '127.8.0.1', '[::1]'])('a server at %s may have no key', (host) => {
  expect(load(LOCAL.replace('127.0.0.1', host)).ok).toBe(true);
});

test('a certificate that is not there is refused by a process that asks models, relative to the file', () => {
  const more = `${LOCAL}ca_file = "private.pem"\n`;
  expect(configOf(more).agent.provider[0]?.caFile).toBe('/etc/fixpoint/private.pem');
  const loaded = load(more, { ANTHROPIC_API_KEY: 'a-model-key' }, ['model_key']);
  expect(loaded.ok ? [] : loaded.problems).toEqual(['agent.provider[0].ca_file: file not found']);
});

const CHAINS = `${LOCAL}${CLOUD}[agent.reviewer]\nmodels = ["local/qwen3:30b", "cloud/team/large"]\n[agent.explorer]\nmodel = "local/small"\n`;

it('knows the chain of each role, and whose model each one is', () => {
  const { agent } = configOf(CHAINS);
  expect(agent.reviewer.model).toBe('local/qwen3:30b');
  expect(chainOf(agent, 'reviewer')).toEqual(['local/qwen3:30b', 'cloud/team/large']);
  expect(chainOf(agent, 'author')).toEqual(chainOf(agent, 'reviewer'));
  expect(chainOf(agent, 'explorer')).toEqual(['local/small']);
  expect(chainOf(configOf('[agent.author]\nmodels = ["x"]\n').agent, 'author')).toEqual(['x']);
  expect(modelsInUse(agent)).toEqual(['local/qwen3:30b', 'cloud/team/large', 'local/small']);
  expect(findModel(agent, 'cloud/team/large')).toMatchObject({ provider: { name: 'cloud' }, model: 'team/large' });
  expect(findModel(agent, 'other/large')).toEqual({ provider: null, model: 'other/large' });
  expect(agentFor(configOf('[agent.author]\nmodels = ["x", "y"]\n').agent, 'author').reviewer).toMatchObject({
    model: 'x',
    models: ['x', 'y'],
  });
});

it('keeps the limits within the smallest window of the chain', () => {
  const small = CHAINS.replace(LOCAL, `${LOCAL}context_tokens = 8192\n`);
  const { agent } = configOf(small);
  const limitsOf = (given: Agent) => {
    const fitted = agentFor(given, 'reviewer');
    return [fitted.maxOutputTokens, compactAtTokens(fitted, 'reviewer')];
  };
  expect(limitsOf(agent)).toEqual([2_048, 4_608]);
  expect(limitsOf({ ...agent, compactAtTokens: 100_000 })).toEqual([2_048, 4_096]);
  expect(limitsOf({ ...agent, reviewer: { ...agent.reviewer, contextTokens: 8_000 } })).toEqual([2_000, 4_500]);
  const wide = configOf(CHAINS.replace(CLOUD, `${CLOUD}context_tokens = 1000000\n`)).agent;
  expect(limitsOf(wide)).toEqual([16_384, 737_712]);
  expect(limitsOf({ ...wide, compactAtTokens: 100_000 })).toEqual([16_384, 100_000]);
});

it('reads only the keys of the providers in use, and passes on only their variables', () => {
  const env = { CLOUD_KEY: 'cloud-key-1', ANTHROPIC_API_KEY: 'a-model-key' };
  const { secrets } = configOf(CHAINS, env, ['model_key']);
  expect(secrets.model).toEqual({
    key: '',
    baseUrl: null,
    providers: new Map([
      ['local', ''],
      ['cloud', 'cloud-key-1'],
    ]),
  });
  expect(secretValues(secrets)).toContain('cloud-key-1');
  const config = configOf(CHAINS);
  expect(secretVariables(config, SERVICE_NEEDS.reviewer)).toContain('CLOUD_KEY');
  expect(secretVariables(config, SERVICE_NEEDS.poster)).not.toContain('CLOUD_KEY');
  expect(configOf(CLOUD, env, ['model_key']).secrets.model).toEqual({ key: 'a-model-key', baseUrl: null });
  const missing = load(CHAINS, {}, ['model_key']);
  expect(missing.ok ? [] : missing.problems).toEqual([
    'agent.provider[1].key_env: the environment variable CLOUD_KEY is not set',
  ]);
});

it('needs the key of the short form only for a model without a provider', () => {
  const mixed = `${LOCAL}[review]\nrunner = "agent"\n[agent.reviewer]\nmodels = ["local/a", "claude-sonnet-5-5"]\n`;
  const loaded = load(mixed, {}, ['model_key']);
  expect(loaded.ok ? [] : loaded.problems).toEqual([
    'agent.api_key_env: the environment variable ANTHROPIC_API_KEY is not set',
  ]);
  const alone = `${LOCAL}[review]\nrunner = "agent"\n[agent.reviewer]\nmodel = "local/a"\n[agent.explorer]\nmodel = "local/a"\n`;
  expect(configOf(alone, {}, ['model_key']).secrets.model).toMatchObject({ key: '' });
});
