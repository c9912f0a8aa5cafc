/** Settings of `[[agent.provider]]` as they reach a server, and what they cost. */
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, test } from 'vitest';
import { loadConfig } from '../../../shared/config/load.ts';
import type { ModelAccess } from '../../../shared/config/secrets.ts';
import type { Effort } from '../../../shared/agent/model/capabilities.ts';
import { effortOf, type ModelRole } from '../../../shared/config/model-roles.ts';
import { createRoutedModel } from '../../../shared/runtime/routed-model.ts';
import { modelPrice, ModelWithoutPriceError } from '../../../shared/runtime/model-price.ts';
import { type ChatSimOptions, startChatSim } from '../../sim/chat/start.ts';
import { startMessagesSim } from '../../sim/messages/start.ts';
import { reply } from '../../sim/messages/reply.ts';
import { WIRES } from '../../support/wires.ts';
import { never } from '../agent/agent-run.ts';

const FORGE =
  '[[forge]]\nid = "sim"\nkind = "forgejo"\nbase_url = "http://127.0.0.1:9"\ntoken_env = "TOKEN"\n' +
  'webhook_secret_envs = ["HOOK"]\nprojects = ["*"]\n';

const agentOf = (more: string) => {
  const loaded = loadConfig({ text: `${FORGE}${more}`, env: {}, needs: [] });
  if (!loaded.ok) throw new Error(loaded.problems.join('\n'));
  return loaded.config.agent;
};

const providerAt = (url: string, more = ''): string =>
  `[[agent.provider]]\nname = "local"\nkind = "openai"\nbase_url = "${url}"\nkey_env = "KEY"\n${more}`;

const requestFor = (model: string) => ({
  model,
  maxOutputTokens: 100,
  system: [],
  tools: [],
  messages: [{ role: 'user' as const, blocks: [{ kind: 'text' as const, text: 'Hello.' }] }],
});

const startServer = async (options: ChatSimOptions = {}) => {
  const sim = await startChatSim(options);
  onTestFinished(() => sim.close());
  sim.script(() => reply('ok'));
  return sim;
};

const access = (key: string): ModelAccess => ({ key: 'other', baseUrl: null, providers: new Map([['local', key]]) });

it('asks each provider for the model as it names it', async () => {
  const sim = await startServer();
  const house = await startMessagesSim();
  onTestFinished(() => house.close());
  house.script([reply('ok')]);
  const agent = agentOf(`[agent]\nbase_url = "${house.url}"\n${providerAt(sim.url)}`);
  const model = createRoutedModel(agent, { ...access(sim.apiKey), key: house.apiKey });
  await model.respond(requestFor('local/claude-sonnet-5-5'), never);
  await model.respond(requestFor('claude-haiku-5-5'), never);
  expect(sim.requests.map(({ request }) => request?.model)).toEqual(['claude-sonnet-5-5']);
  expect(house.requests.map(({ request }) => request?.model)).toEqual(['claude-haiku-5-5']);
  expect([...sim.requests, ...house.requests].map(({ problem }) => problem)).toEqual([null, null]);
});

it.each([true, false])('asks for the one-hour cache only if agent.long_cache is set: %s', async (longCache) => {
  const sim = await startMessagesSim();
  onTestFinished(() => sim.close());
  sim.script([reply('ok')]);
  const agent = agentOf(`[agent]\nbase_url = "${sim.url}"\nlong_cache = ${longCache}\n`);
  const system = [{ kind: 'text' as const, text: 'Review. '.repeat(1_000), cache: 'long' as const }];
  const model = createRoutedModel(agent, { key: sim.apiKey, baseUrl: null });
  await model.respond({ ...requestFor('claude-haiku-5-5'), system }, never);
  expect(sim.requests[0]?.body.includes('"ttl":"1h"')).toBe(longCache);
});

test.each([
  ['as a bearer token', '', 'authorization' as const],
  ['in another header', 'key_header = "api-key"\n', 'api-key' as const],
])('the key goes %s, and headers go along', async (_how, more, key) => {
  const sim = await startServer({ dialect: { key } });
  const agent = agentOf(providerAt(sim.url, `${more}headers = ["x-title: Fix: point"]\n`));
  await createRoutedModel(agent, access(sim.apiKey)).respond(requestFor('local/claude-sonnet-5-5'), never);
  expect(sim.requests[0]?.headers).toMatchObject({ 'x-title': 'Fix: point', 'user-agent': 'fixpoint' });
});

it('puts the capabilities into the request', async () => {
  const sim = await startServer();
  const more = 'effort = "low"\noutput_limit = "max_completion_tokens"\n';
  const model = createRoutedModel(agentOf(providerAt(sim.url, more)), access(sim.apiKey));
  await model.respond(requestFor('local/claude-sonnet-5-5'), never);
  expect(JSON.parse(sim.requests[0]?.body ?? '')).toMatchObject({
    reasoning_effort: 'low',
    max_completion_tokens: 100,
  });
});

describe('the effort of a role', () => {
  const ofRole = (role: ModelRole, more: string) => {
    const agent = agentOf(more);
    return effortOf(agent, role);
  };

  it('is its own setting; an author has that of the reviewer with its models', () => {
    const both = '[agent.reviewer]\neffort = "high"\n[agent.explorer]\neffort = "low"\n';
    expect([ofRole('reviewer', both), ofRole('explorer', both), ofRole('author', both)]).toEqual([
      'high',
      'low',
      'high',
    ]);
    expect(ofRole('author', `${both}[agent.author]\nmodels = ["claude-opus-5-5"]\n`)).toBeNull();
    expect(ofRole('author', `${both}[agent.author]\neffort = "max"\n`)).toBe('max');
    expect(ofRole('reviewer', '')).toBeNull();
  });

  test.each<[string, string, Effort | null, string | undefined]>([
    ['reaches a model that takes it', 'claude-sonnet-5-5', 'high', 'high'],
    ['is left out where none is set', 'claude-sonnet-5-5', null, undefined],
    ['is left out for a model that refuses it', 'claude-haiku-4-5', 'high', undefined],
    ['is left out for an unknown model', 'claude-unheard-of', 'high', undefined],
  ])('%s, on the Messages API', async (_what, model, effort, expected) => {
    const sim = await startMessagesSim();
    onTestFinished(() => sim.close());
    sim.script([reply('ok')]);
    const price = `[[agent.price]]\nmodel = "${model}"\ninput_usd = 1\noutput_usd = 1\n`;
    const agent = agentOf(`[agent]\nbase_url = "${sim.url}"\n${price}`);
    const asked = createRoutedModel(agent, { key: sim.apiKey, baseUrl: null }, effort).respond(
      requestFor(model),
      never,
    );
    await asked.catch(() => null);
    const body: unknown = JSON.parse(sim.requests[0]?.body ?? '{}');
    expect(body).toEqual(expect.not.objectContaining({ effort: expect.anything() }));
    expect((body as { output_config?: { effort?: string } }).output_config?.effort).toBe(expected);
  });

  test.each<[string, string, Effort | null, string | undefined]>([
    ['is left out where the provider declares none', '', 'high', undefined],
    ['comes before the default of the provider', 'effort = "low"\n', 'high', 'high'],
    ['is by default that of the provider', 'effort = "low"\n', null, 'low'],
  ])('%s, in chat completions', async (_what, more, effort, expected) => {
    const sim = await startServer();
    const model = createRoutedModel(agentOf(providerAt(sim.url, more)), access(sim.apiKey), effort);
    await model.respond(requestFor('local/claude-sonnet-5-5'), never);
    const body: unknown = JSON.parse(sim.requests[0]?.body ?? '{}');
    expect((body as { reasoning_effort?: string }).reasoning_effort).toBe(expected);
  });

  it('reaches another server of the Messages API that declares it', async () => {
    const sim = await startMessagesSim();
    onTestFinished(() => sim.close());
    sim.script([reply('ok')]);
    const settings = providerAt(sim.url, 'effort = "low"\n').replace('openai', 'anthropic');
    await createRoutedModel(agentOf(settings), access(sim.apiKey)).respond(
      requestFor('local/claude-sonnet-5-5'),
      never,
    );
    expect(JSON.parse(sim.requests[0]?.body ?? '{}')).toMatchObject({ output_config: { effort: 'low' } });
  });
});

const local = (more = ''): string => providerAt('http://127.0.0.1:1/v1', more);

test.each<[string, string, string, object]>([
  [
    'of [[agent.price]] first',
    `${local('input_usd = 1\noutput_usd = 2\n')}[[agent.price]]\nmodel = "local/a"\ninput_usd = 5\noutput_usd = 6\n`,
    'local/a',
    { inputPerMTok: 5, outputPerMTok: 6 },
  ],
  [
    'of the provider',
    local('input_usd = 1\noutput_usd = 2\n'),
    'local/a',
    { inputPerMTok: 1, outputPerMTok: 2, cache: { read: 1 } },
  ],
  [
    'with a cheaper cache',
    local('input_usd = 2\noutput_usd = 2\ncached_input_usd = 0.5\n'),
    'local/a',
    { cache: { read: 0.25 } },
  ],
  [
    'of nothing',
    local('input_usd = 0\noutput_usd = 0\ncached_input_usd = 0\n'),
    'local/a',
    { inputPerMTok: 0, outputPerMTok: 0, cache: { read: 0 } },
  ],
  [
    'of the table for the Messages API elsewhere',
    local().replace('openai', 'anthropic').replace('/v1', ''),
    'local/claude-haiku-5-5',
    { inputPerMTok: 0.1 },
  ],
])('the price is that %s', (_what, more, model, expected) => {
  expect(modelPrice(agentOf(more), model)).toMatchObject(expected);
});

test.each([
  ['a model of a provider without one', local(), 'local/a'],
  ['a known name at a server that may ask anything for it', local(), 'local/claude-haiku-5-5'],
  ['a model that nobody knows', '', 'house'],
])('%s has no price, and is refused', (_what, more, model) => {
  expect(() => modelPrice(agentOf(more), model)).toThrow(ModelWithoutPriceError);
});

const hasOpenssl = ((): boolean => {
  try {
    execFileSync('openssl', ['version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
})();

describe.skipIf(!hasOpenssl)('a server with a certificate of a private authority (needs openssl)', () => {
  const folder = mkdtempSync(join(tmpdir(), 'fixpoint-model-tls-'));
  const files = { key: join(folder, 'key.pem'), cert: join(folder, 'ca.pem') };
  beforeAll(() => {
    const name = ['-subj', '/CN=127.0.0.1', '-addext', 'subjectAltName=IP:127.0.0.1', '-days', '2'];
    const kind = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
    execFileSync('openssl', [...kind, ...name, '-keyout', files.key, '-out', files.cert], { stdio: 'ignore' });
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  /** Passes plain connections on, behind TLS. */
  const secured = async (url: string): Promise<string> => {
    const port = Number(new URL(url).port);
    const proxy = createServer({ key: readFileSync(files.key), cert: readFileSync(files.cert) }, (secure) => {
      const plain = connect(port, '127.0.0.1');
      secure.on('error', () => plain.destroy()).pipe(plain);
      plain.on('error', () => secure.destroy()).pipe(secure);
    });
    proxy.listen(0, '127.0.0.1');
    await once(proxy, 'listening');
    onTestFinished(() => void proxy.close());
    const address = proxy.address();
    const own = typeof address === 'object' && address !== null ? address.port : 0;
    return url.replace(`http://127.0.0.1:${port}`, `https://127.0.0.1:${own}`);
  };

  test.each(WIRES)('answers over $kind only when the authority is named', async (wire) => {
    const sim = await wire.start();
    onTestFinished(() => sim.close());
    sim.script(() => reply('ok'));
    const settings = providerAt(await secured(sim.url)).replace('openai', wire.kind);
    const ask = async (more: string) =>
      createRoutedModel(agentOf(`${settings}${more}`), access(sim.apiKey)).respond(
        requestFor('local/claude-sonnet-5-5'),
        never,
      );
    await expect(ask('')).rejects.toMatchObject({ code: 'MODEL_UNTRUSTED' });
    expect((await ask(`ca_file = "${files.cert}"\n`)).stopReason).toBe('end_turn');
  });
});
