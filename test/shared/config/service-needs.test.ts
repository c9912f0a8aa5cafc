import { expect, test } from 'vitest';
import { loadConfig } from '../../../shared/config/load.ts';
import type { Need } from '../../../shared/config/secrets.ts';
import { SERVICE_NEEDS, secretVariables } from '../../../shared/config/service-needs.ts';
import type { ServiceName } from '../../../shared/config/service-needs.ts';

const TEXT = `
[marker]
previous_secret_env = "MARKER_BEFORE"
[[forge]]
id = "apart"
kind = "gitlab"
base_url = "https://gitlab.example.com"
read_token_env = "READ"
post_token_env = "POST"
git_token_env = "GIT"
webhook_secret_envs = ["HOOK_A", "HOOK_B"]
signing_token_env = "SIGN"
projects = ["a/b"]
[[forge]]
id = "together"
kind = "gitea"
base_url = "https://gitea.example.com"
token_env = "ONE"
webhook_secret_envs = ["HOOK_C"]
projects = ["a/b"]`;

const load = (env: Record<string, string>, needs: readonly Need[]) => loadConfig({ text: TEXT, env, needs });

function variablesOf(needs: readonly Need[]): readonly string[] {
  const result = load({}, []);
  return result.ok ? secretVariables(result.config, needs) : [];
}

test.each<[ServiceName, string[]]>([
  ['ingress', ['REDIS_URL', 'HOOK_A', 'HOOK_B', 'SIGN', 'HOOK_C']],
  ['guard', ['REDIS_URL', 'FIXPOINT_MARKER_SECRET', 'MARKER_BEFORE', 'READ', 'ONE']],
  ['reviewer', ['REDIS_URL', 'GIT', 'ONE', 'ANTHROPIC_API_KEY', 'ANTHROPIC_BASE_URL']],
  ['explorer', ['REDIS_URL', 'GIT', 'ONE', 'ANTHROPIC_API_KEY', 'ANTHROPIC_BASE_URL']],
  ['poster', ['REDIS_URL', 'FIXPOINT_MARKER_SECRET', 'MARKER_BEFORE', 'POST', 'ONE']],
])('%s receives the variables of its needs and no other', (service, names) => {
  expect(variablesOf(SERVICE_NEEDS[service])).toEqual(names);
});

test('the variables that are named are exactly those that loading asks for', () => {
  for (const needs of Object.values(SERVICE_NEEDS)) {
    const asked = new Set<string>();
    const env = new Proxy<Record<string, string>>({}, { get: (_, name) => (asked.add(String(name)), undefined) });
    load(env, needs);
    expect([...asked].toSorted()).toEqual([...variablesOf(needs)].toSorted());
  }
});
