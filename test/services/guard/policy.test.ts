import { expect, it } from 'vitest';
import { policyOf } from '../../../services/guard/policy.ts';
import { loadConfig } from '../../../shared/config/load.ts';

const FORGE = `
[[forge]]
id = "main"
kind = "gitea"
base_url = "https://gitea.example.com"
token_env = "TOKEN"
webhook_secret_envs = ["HOOK"]
projects = ["a/b"]`;

const authorOf = (settings: string) => {
  const loaded = loadConfig({ text: `${settings}\n${FORGE}`, env: {}, needs: [] });
  if (!loaded.ok) throw new Error(loaded.problems.join('\n'));
  return policyOf(loaded.config).author;
};

const ON = '[author]\nenabled = true\ncommand = ["/opt/fix"]\nlabels = ["autofix"]\nmax_runtime_s = 60';

it('orders fixes where the operator says so, and gives them their running and their waiting time', () => {
  expect(authorOf(`${ON}\n[budgets]\nmax_wait_s = 40`)).toEqual({
    enabled: true,
    projects: [],
    labels: ['autofix'],
    authors: [],
    timeoutMs: 100_000,
  });
});

it('gives a fix the time of the validation commands twice, for itself and for its head', () => {
  const commands = '{ name = "a", command = ["/a"], timeout_s = 7 }, { name = "b", command = ["/b"], timeout_s = 3 }';
  const settings = `${ON}\n[budgets]\nmax_wait_s = 40\n[validation]\ncommand = [${commands}]`;
  expect(authorOf(settings).timeoutMs).toBe(100_000 + 20_000);
});

it.each([
  ['by default', ''],
  ['in a dry run', `${ON}\n[review]\ndry_run = true`],
])('orders none %s', (_when, settings) => {
  expect(authorOf(settings).enabled).toBe(false);
});
