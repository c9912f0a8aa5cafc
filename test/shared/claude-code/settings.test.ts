import { expect, it } from 'vitest';
import { cliSettingsOf } from '../../../shared/claude-code/settings.ts';
import { loadConfig } from '../../../shared/config/load.ts';
import { type ConnectedModel, createConnectedModel } from '../../../shared/runtime/connect-model.ts';
import { modelAddressOf } from '../../../shared/runtime/routed-model.ts';
import { createMemoryLedger } from '../../../shared/agent/model/memory-ledger.ts';
import { BUDGET_LIMITS } from '../../support/budget-limits.ts';

const FORGE =
  '[[forge]]\nid = "sim"\nkind = "forgejo"\nbase_url = "http://127.0.0.1:9"\ntoken_env = "TOKEN"\n' +
  'webhook_secret_envs = ["HOOK"]\nprojects = ["*"]\n';
const CLI = '[agent.claude_code]\ncommand = "/opt/claude"\n[budgets.model]\nrun_usd = 3\n';

const configOf = (more: string) => {
  const loaded = loadConfig({ text: `${FORGE}${more}`, env: {}, needs: [] });
  if (!loaded.ok) throw new Error(loaded.problems.join('\n'));
  return loaded.config;
};

it('come from the configuration, the key and the address from what the process may know', () => {
  const config = configOf(CLI);
  const access = { key: 'k'.repeat(20), baseUrl: 'http://127.0.0.1:8' };
  const connected: ConnectedModel = createConnectedModel({
    agent: config.agent,
    access,
    ledger: createMemoryLedger(BUDGET_LIMITS),
  });
  const { redact, boundaryOf, ...settings } = cliSettingsOf(config, { connected, access });
  expect(settings).toEqual({
    program: '/opt/claude',
    access: { apiKey: access.key, baseUrl: access.baseUrl, proxy: null, caFile: null },
    connected,
    agent: config.agent,
    runUsd: 3,
  });
  expect(redact('plain').text).toBe('plain');
  expect(boundaryOf({ forge: 'main', projectId: 1 })).toMatch(/^[0-9a-f]{32}$/);
});

it.each([
  ['http://127.0.0.1:7', 'http://127.0.0.1:8', 'http://127.0.0.1:7'],
  [null, 'http://127.0.0.1:8', 'http://127.0.0.1:8'],
  [null, null, 'https://api.anthropic.com'],
])('with the address %s of the operator and %s of the environment a model is asked at %s', (own, given, address) => {
  expect(modelAddressOf({ baseUrl: own }, { baseUrl: given })).toBe(address);
});
