/** Each recipe of the guide for a server of models, against a simulator with that server's documented peculiarities. */
import { expect, it, onTestFinished } from 'vitest';
import { compactAtTokens } from '../../../shared/agent/model/context-window.ts';
import { createExploreTool } from '../../../shared/agent/tools/explore.ts';
import { runTurns } from '../../../shared/agent/run-turns.ts';
import { loadConfig } from '../../../shared/config/load.ts';
import { agentFor, findModel } from '../../../shared/config/model-roles.ts';
import type { ProviderSettings } from '../../../shared/config/provider-settings.ts';
import { createRoutedModel } from '../../../shared/runtime/routed-model.ts';
import { callModel } from '../../../services/cli/doctor/call-model.ts';
import { DIALECTS } from '../../sim/chat/dialects.ts';
import { type ChatSim, startChatSim } from '../../sim/chat/start.ts';
import { reply, text, thinking, toolUse } from '../../sim/messages/reply.ts';
import type { Script } from '../../sim/messages/script.ts';
import { readProjectFile } from '../../conventions/source.ts';
import { never, newWorkspace, reviewerTools, startOf, testRun } from '../../shared/agent/agent-run.ts';
import { REVIEW } from '../../shared/agent/scripted-model.ts';
import { writeFiles } from '../../shared/workspace/folder.ts';

const FORGE =
  '[[forge]]\nid = "sim"\nkind = "forgejo"\nbase_url = "http://127.0.0.1:9"\ntoken_env = "TOKEN"\n' +
  'webhook_secret_envs = ["HOOK"]\nprojects = ["*"]\n';

/** The title of each recipe, without the name of the vendor, and its settings. */
const RECIPES = [
  ...readProjectFile('deploy/guide/models.md').matchAll(
    /^### (?<title>.+)\n[^]*?```toml file=fixpoint\.toml\n(?<toml>[^]*?)```/gm,
  ),
]
  .map(({ groups }) => ({ title: groups?.['title'] ?? '', toml: groups?.['toml'] ?? '' }))
  .map(({ title, toml }) => ({ name: Object.keys(DIALECTS).find((name) => title.includes(name)) ?? '', title, toml }));

it('has a dialect for every recipe, and a recipe for every dialect', () => {
  expect(RECIPES.map(({ name }) => name).toSorted()).toEqual(Object.keys(DIALECTS).toSorted());
});

const KEY = ['recipe', 'key', '0123456789'].join('-');

const settingsOf = (toml: string) => {
  const loaded = loadConfig({ text: `${FORGE}${toml}`, env: {}, needs: [] });
  if (!loaded.ok) throw new Error(loaded.problems.join('\n'));
  return loaded.config.agent;
};

type Place = { readonly name: string; readonly toml: string; readonly script: Script };

const start = async ({ name, toml, script }: Place) => {
  const settings = settingsOf(toml);
  const { provider, model } = findModel(settings, settings.reviewer.model);
  if (provider === null) throw new Error('the reviewer has no model of the provider');
  const sim: ChatSim = await startChatSim({
    apiKeys: [KEY],
    dialect: DIALECTS[name] ?? {},
    models: [
      {
        id: model,
        contextTokens: provider.contextTokens ?? 0,
        minCacheTokens: 1_024,
        prices: [{ upToTokens: Number.POSITIVE_INFINITY, inputUsd: 0, outputUsd: 0 }],
      },
    ],
  });
  onTestFinished(() => sim.close());
  sim.script(script);
  // Only the address is another one; nothing else of the recipe is changed.
  const there: ProviderSettings = { ...provider, baseUrl: sim.url };
  const agent = agentFor({ ...settings, provider: [there] }, 'reviewer');
  const key = provider.keyEnv === '' ? '' : KEY;
  const routed = createRoutedModel(agent, { key: '', baseUrl: null, providers: new Map([[provider.name, key]]) });
  return { sim, agent, model: routed };
};

const reviewer: Script = ({ turn, heard }) => {
  if (turn > 0 || heard.some((words) => words.includes('export const a'))) {
    return reply([thinking('Done.'), text('Here it is.'), toolUse('submit_review', REVIEW)]);
  }
  return reply([
    thinking('Where?'),
    text('Reading.'),
    toolUse('Read', { path: 'a.ts' }),
    toolUse('Read', { path: 'b.ts' }),
  ]);
};

it.each(RECIPES)('$title reviews', async ({ name, toml }) => {
  const { sim, agent, model } = await start({ name, toml, script: reviewer });
  const root = newWorkspace();
  writeFiles(root, { 'a.ts': 'export const a = 1;\n', 'b.ts': 'export const b = 1;\n' });
  const tools = [...reviewerTools(root).filter(({ schema }) => schema.name !== 'Agent'), createExploreTool(1)];
  const { maxOutputTokens } = agent;
  const limits = { maxOutputTokens, compactAtTokens: compactAtTokens(agent, 'reviewer'), maxTurns: 2 };
  const start_ = startOf(tools, { model: agent.reviewer.model, ...limits });
  const { run } = testRun(model, { tools, start: start_ });
  const result = await runTurns(run, never);
  expect(result).toMatchObject({ kind: 'ended', outcome: { kind: 'submitted' } });
  expect(sim.requests.map(({ problem }) => problem)).toEqual([null, null]);
  expect(sim.violations).toEqual([]);
});

/** What the doctor finds out at each server: tools, parallel calls, usage, cached tokens. */
const FOUND: Readonly<Record<string, string>> = {
  Ollama: 'yes yes yes no',
  vLLM: 'yes yes yes no',
  'llama.cpp': 'yes yes yes no',
  LiteLLM: 'yes yes yes yes',
  OpenRouter: 'yes yes yes yes',
  Azure: 'yes yes yes yes',
  Bedrock: 'yes yes yes no',
  Vertex: 'yes yes yes yes',
};

it.each(RECIPES)('$title is seen by the doctor as it is', async ({ name, toml }) => {
  const script: Script = ({ turn }) =>
    turn === 0
      ? reply([thinking('Two.'), ...['Oslo', 'Lima'].map((city) => toolUse('Weather', { city }))])
      : reply('Sunny.');
  const { sim, agent, model } = await start({ name, toml, script });
  const [seen] = await callModel(model, agent.reviewer.model, never);
  const found = [...(seen?.text.matchAll(/: (yes|no)/g) ?? [])].map(([, word]) => word).join(' ');
  expect(found).toBe(FOUND[name]);
  expect(sim.requests.map(({ problem }) => problem)).toEqual([null, null]);
});
