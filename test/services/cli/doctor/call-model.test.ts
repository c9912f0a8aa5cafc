/** What `fixpoint doctor --call-model` finds out about a model and its server, over both wires. */
import { describe, expect, it, onTestFinished, test } from 'vitest';
import { callModel } from '../../../../services/cli/doctor/call-model.ts';
import { modelChecks } from '../../../../services/cli/doctor/model.ts';
import type { Model } from '../../../../shared/agent/model/model.ts';
import { loadConfig } from '../../../../shared/config/load.ts';
import type { Dialect } from '../../../sim/chat/dialect.ts';
import { type ChatSim, startChatSim } from '../../../sim/chat/start.ts';
import { fail, reply, toolUse } from '../../../sim/messages/reply.ts';
import type { Script } from '../../../sim/messages/script.ts';
import { connectWire, WIRES } from '../../../support/wires.ts';

const MODEL = 'claude-sonnet-5-5';
const never = new AbortController().signal;

/** Does what it is asked to do. */
const obedient: Script = ({ turn }) =>
  turn === 0 ? reply(['Oslo', 'Lima'].map((city) => toolUse('Weather', { city }))) : reply('Sunny in both.');

const startServer = async (dialect: Partial<Dialect>, script: Script = obedient): Promise<ChatSim> => {
  const sim = await startChatSim({ dialect });
  onTestFinished(() => sim.close());
  sim.script(script);
  return sim;
};

const chat = (sim: ChatSim): Model => {
  const wire = WIRES.find(({ kind }) => kind === 'openai');
  if (wire === undefined) throw new Error('no wire');
  return connectWire(wire, sim);
};

test.each(WIRES)('a model over $kind that can do everything is praised in one line', async (wire) => {
  const sim = await wire.start();
  onTestFinished(() => sim.close());
  sim.script(obedient);
  const [line, ...more] = await callModel(connectWire(wire, sim), MODEL, never);
  expect(line?.text).toMatch(/^claude-sonnet-5-5 answers \(\d+ tokens in, \d+ out\); /);
  expect(line?.text).toContain('tools: yes, parallel calls: yes, usage reported: yes, cached tokens reported: yes');
  expect(more).toEqual([]);
  expect(sim.requests.map(({ problem }) => problem)).toEqual([null, null]);
});

describe('a server', () => {
  test.each<[string, Partial<Dialect>, string, readonly string[]]>([
    ['with one call at a time', { parallel: 'only-if-asked' }, 'tools: yes, parallel calls: no', []],
    ['without caching', { caches: 'none' }, 'cached tokens reported: no', []],
    ['that does not say what it cached', { reportsCache: false }, 'cached tokens reported: no', []],
    ['that reports no usage', { usage: 'never' }, 'usage reported: no', ['warn']],
  ])('%s is described so', async (_what, dialect, facts, levels) => {
    const [line, ...more] = await callModel(chat(await startServer(dialect)), MODEL, never);
    expect(line?.text).toContain(facts);
    expect(more.map(({ level }) => level)).toEqual(levels);
  });

  it('whose model calls nothing cannot review', async () => {
    const sim = await startServer({}, () => reply('I cannot look that up.'));
    const seen = await callModel(chat(sim), MODEL, never);
    expect(seen.map(({ level, text }) => [level, text.slice(0, 60)])).toEqual([
      ['ok', expect.stringContaining('answers')],
      ['fail', 'claude-sonnet-5-5 called no tool, so it cannot review'],
    ]);
  });

  it('that refuses the call is a failed check with its code', async () => {
    const sim = await startServer({}, () => fail(402));
    expect(await callModel(chat(sim), MODEL, never)).toEqual([
      expect.objectContaining({ level: 'fail', text: expect.stringContaining('MODEL_UNAUTHORISED') }),
    ]);
  });
});

describe('a provider in the settings', () => {
  const look = async (sim: ChatSim, model: string, more = '', key = sim.apiKey, calls = false) => {
    const text =
      '[[forge]]\nid = "sim"\nkind = "forgejo"\nbase_url = "http://127.0.0.1:9"\ntoken_env = "TOKEN"\n' +
      'webhook_secret_envs = ["HOOK"]\nprojects = ["*"]\n[review]\nrunner = "agent"\n' +
      `[agent.reviewer]\nmodel = "${model}"\n[agent.explorer]\nmodel = "${model}"\n` +
      `[[agent.provider]]\nname = "local"\nkind = "openai"\nbase_url = "${sim.url}"\nkey_env = "LOCAL_KEY"\n${more}`;
    const loaded = loadConfig({ text, env: { LOCAL_KEY: key }, needs: ['model_key'] });
    if (!loaded.ok) throw new Error(loaded.problems.join('\n'));
    const seen = await Promise.all(modelChecks(loaded.config, calls).map(async (check) => check.look(never)));
    return seen.flat().map(({ level, text: said }) => [level, said.replace(sim.url, 'URL')]);
  };
  const free = 'input_usd = 0\noutput_usd = 0\n';

  it('is asked for its list of models, and each model once for what it can do', async () => {
    const sim = await startServer({});
    expect(await look(sim, `local/${MODEL}`, free)).toEqual([['ok', `local/${MODEL} is known at URL`]]);
    expect(sim.requests.map(({ method }) => method)).toEqual(['GET']);
    expect((await look(sim, `local/${MODEL}`, free, sim.apiKey, true)).at(-1)?.[1]).toContain('tools: yes');
  });

  it('that does not list the model, has no list, refuses the key or names no price is told so', async () => {
    expect(await look(await startServer({}), 'local/house', free)).toEqual([
      ['warn', 'URL does not list the model house'],
    ]);
    expect(await look(await startServer({ lists: false }), 'local/house', free)).toEqual([
      ['warn', 'URL does not list the model house'],
    ]);
    expect(await look(await startServer({}), `local/${MODEL}`, free, 'another-key')).toEqual([
      ['fail', 'the provider does not accept the key (401)'],
    ]);
    expect(await look(await startServer({}), `local/${MODEL}`)).toEqual([
      ['ok', `local/${MODEL} is known at URL`],
      ['fail', `local/${MODEL} has no price, so its budget cannot be enforced`],
    ]);
  });
});
