import { expect, test } from 'vitest';
import { environmentOf } from '../../../../services/cli/up/start-service.ts';
import { loadConfig } from '../../../../shared/config/load.ts';

const TOML = `
[[forge]]
id = "lab"
kind = "gitlab"
base_url = "https://gitlab.example.com"
read_token_env = "LAB_READ"
post_token_env = "LAB_POST"
git_token_env = "LAB_GIT"
webhook_secret_envs = ["LAB_HOOK"]
projects = ["a/b"]
`;

test('a service gets its own secrets and the variables of OpenTelemetry, and nothing else of the environment', () => {
  const loaded = loadConfig({ text: TOML, env: {}, needs: [] });
  if (!loaded.ok) throw new Error(loaded.problems.join('\n'));
  const env = {
    PATH: '/bin',
    LAB_READ: 'r',
    LAB_HOOK: 'h',
    OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318',
    OTEL_SDK_DISABLED: 'true',
    OTHER: 'o',
  };
  expect(Object.keys(environmentOf('ingress', { config: loaded.config, env })).toSorted()).toEqual([
    'LAB_HOOK',
    'OTEL_EXPORTER_OTLP_ENDPOINT',
    'OTEL_SDK_DISABLED',
    'PATH',
  ]);
});
