/** Row F-F7: each service is checked with the secrets of its own container, which holds no others. */
import { describe, expect, it } from 'vitest';
import { examine } from '../../../../services/cli/doctor/doctor.ts';
import { loadConfig } from '../../../../shared/config/load.ts';
import { SERVICE_NEEDS, secretVariables, type ServiceName } from '../../../../shared/config/service-needs.ts';
import { install, never, standBench, world } from '../doctor-bench.ts';
import { runCli } from '../run-cli.ts';

standBench();

/** A token for each purpose, so that a missing one is noticed. */
const TOKENS = `read_token_env = "READ"\npost_token_env = "POST"\ngit_token_env = "GIT"\npush_token_env = "PUSH"`;

const ROWS: readonly (readonly [ServiceName, readonly string[], RegExp])[] = [
  ['ingress', ['redis'], /redis: version/],
  ['guard', ['redis', 'forge sim'], /the forge accepts the token in READ \(reading\)/],
  ['reviewer', ['data folder', 'cage', 'redis', 'forge sim', 'model'], /the token in GIT is set; only git uses it/],
  ['explorer', ['data folder', 'cage', 'redis', 'forge sim', 'model'], /is known at/],
  ['poster', ['redis', 'forge sim', 'notify chat'], /the forge accepts the token in POST \(posting\)/],
  ['author', ['data folder', 'cage', 'redis', 'forge sim'], /only git uses it \(pushing\)/],
];

const installed = async () => {
  const { tokens, forge } = world;
  const more =
    '[sandbox]\nbackend = "none"\n[author]\nenabled = true\ncaged = false\nagent = "command"\ncommand = ["/bin/true"]\n' +
    '[[notify]]\nname = "chat"\nkind = "slack"\nurl_env = "CHAT_URL"';
  const edit = (toml: string): string => toml.replace(/^token_env = .*$/m, TOKENS);
  const [git, push] = [
    forge.createToken('fixpoint', ['write:repository']),
    forge.createToken('fixpoint', ['write:repository']),
  ];
  return install({
    more,
    edit,
    env: { READ: tokens.reader, POST: tokens.bot, GIT: git, PUSH: push, CHAT_URL: 'http://127.0.0.1:9/hook' },
  });
};

const containerOf = async (service: ServiceName) => {
  const examination = await installed();
  const plain = loadConfig({ path: examination.path, env: {}, needs: [] });
  if (!plain.ok) throw new Error(plain.problems.join('\n'));
  const names = new Set(secretVariables(plain.config, SERVICE_NEEDS[service]));
  const env = Object.fromEntries(Object.entries(examination.env).filter(([name]) => names.has(name)));
  return { ...examination, env, service };
};

describe('F-F7: doctor looks at one service with its own secrets', () => {
  it.each(ROWS)('%s', async (service, expected, words) => {
    const findings = await examine(await containerOf(service), never());
    expect(findings.filter(({ level }) => level === 'fail')).toEqual([]);
    const checks = new Set(findings.map(({ check }) => check));
    expect([...checks]).toEqual(['configuration', 'node', 'git', 'account', ...expected]);
    expect(findings.map(({ check, text }) => `${check}: ${text}`).join('\n')).toMatch(words);
  });

  it('fails when the secret of the service is missing, and for no other secret', async () => {
    const { env, ...poster } = await containerOf('poster');
    const without = Object.fromEntries(Object.entries(env).filter(([name]) => name !== 'POST'));
    const findings = await examine({ ...poster, env: without }, never());
    const failed = findings.filter(({ level }) => level === 'fail').map(({ text }) => text);
    expect(failed).toEqual([expect.stringContaining('POST')]);
  });

  it('says when the forge refuses the token of the service', async () => {
    const { env, ...guard } = await containerOf('guard');
    const findings = await examine({ ...guard, env: { ...env, READ: ['not', 'a', 'token'].join('-') } }, never());
    expect(findings.filter(({ level }) => level === 'fail').map(({ text }) => text)).toEqual([
      'the forge does not accept the token in READ',
    ]);
  });

  it('refuses a service that does not exist', async () => {
    const { code, stderr } = await runCli(['doctor', 'mailer']);
    expect(code).toBe(2);
    expect(stderr).toContain(
      'there is no service "mailer"; expected ingress, guard, reviewer, explorer, poster, author',
    );
  });
});
