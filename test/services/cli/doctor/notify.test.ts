import { expect, test } from 'vitest';
import { runChecks } from '../../../../services/cli/doctor/check.ts';
import { notifyChecks } from '../../../../services/cli/doctor/notify.ts';
import { loadConfig } from '../../../../shared/config/load.ts';

const findingsFor = async (url: string) => {
  const text = `[[forge]]
    id = "code"
    kind = "gitlab"
    base_url = "https://code.example"
    token_env = "TOKEN"
    webhook_secret_envs = ["HOOK"]
    projects = ["a/b"]
    [[notify]]
    name = "chat"
    kind = "slack"
    url_env = "CHAT_URL"`;
  const loaded = loadConfig({ text, folder: '/', env: { CHAT_URL: url }, needs: ['notify'] });
  if (!loaded.ok) throw new Error(loaded.problems.join('\n'));
  return runChecks(notifyChecks(loaded.config), new AbortController().signal);
};

test.each([
  ['https://127.0.0.1:9/secret-path', 'ok', 'slack, URL set and well-formed'],
  ['http://localhost:9/secret-path', 'ok', 'slack, URL set and well-formed'],
  ['http://[::1]:9/secret-path', 'ok', 'slack, URL set and well-formed'],
  ['http://192.0.2.1/secret-path', 'warn', 'the URL in CHAT_URL uses no encryption'],
  ['https://no-such-host.invalid/secret-path', 'warn', 'the host in CHAT_URL has no IP address'],
])('says of %s: %s', async (url, level, text) => {
  const findings = await findingsFor(url);
  expect(findings).toEqual([{ check: 'notify chat', level, text, fix: level === 'ok' ? null : expect.any(String) }]);
  expect(JSON.stringify(findings)).not.toContain('secret-path');
  expect(JSON.stringify(findings)).not.toContain(new URL(url).hostname);
});
