import fc from 'fast-check';
import { execFileSync } from 'node:child_process';
import { parseEnv } from 'node:util';
import { describe, expect, it } from 'vitest';
import {
  containerEnvs,
  containerEnvText,
  withContainerRedis,
} from '../../../../../services/cli/setup/plan/container-env.ts';
import type { Variables } from '../../../../../services/cli/variables/env-text.ts';
import { type Config, loadConfig } from '../../../../../shared/config/load.ts';

const TOML = `
[[forge]]
id = "lab"
kind = "gitlab"
base_url = "https://gitlab.example.com"
read_token_env = "LAB_READ"
post_token_env = "LAB_POST"
git_token_env = "LAB_GIT"
push_token_env = "LAB_PUSH"
webhook_secret_envs = ["LAB_HOOK"]
projects = ["a/b"]
`;

const configOf = (more = ''): Config => {
  const loaded = loadConfig({ text: `${TOML}${more}`, env: {}, needs: [] });
  if (!loaded.ok) throw new Error(loaded.problems.join('\n'));
  return loaded.config;
};

const KNOWN = {
  LAB_READ: 'r',
  LAB_POST: 'p',
  LAB_GIT: 'g',
  LAB_PUSH: 'u',
  LAB_HOOK: 'h',
  FIXPOINT_MARKER_SECRET: 'm',
  REDIS_PASSWORD: 'w',
  ANTHROPIC_API_KEY: 'k',
  OTHER: 'o',
};

const withRedis = (config: Config, variables: Variables): Variables => {
  const found = withContainerRedis(config, variables);
  if ('problem' in found) throw new Error(found.problem);
  return found.variables;
};

const namesOf = (config: Config, inFile: Readonly<Record<string, string>> = {}) =>
  Object.fromEntries(
    containerEnvs(config, { all: withRedis(config, KNOWN), inFile }).map(({ name, variables }) => [
      name,
      Object.keys(variables).toSorted(),
    ]),
  );

describe('the variables of the containers', () => {
  it('are those of their own secrets, whatever the forge calls them', () => {
    expect(namesOf(configOf())).toEqual({
      ingress: ['LAB_HOOK', 'REDIS_URL'],
      guard: ['FIXPOINT_MARKER_SECRET', 'LAB_READ', 'REDIS_URL'],
      reviewer: ['ANTHROPIC_API_KEY', 'LAB_GIT', 'REDIS_URL'],
      explorer: ['ANTHROPIC_API_KEY', 'LAB_GIT', 'REDIS_URL'],
      poster: ['FIXPOINT_MARKER_SECRET', 'LAB_POST', 'REDIS_URL'],
      author: [],
      console: [],
      doctor: [
        'ANTHROPIC_API_KEY',
        'FIXPOINT_MARKER_SECRET',
        'LAB_GIT',
        'LAB_HOOK',
        'LAB_POST',
        'LAB_READ',
        'REDIS_URL',
      ],
      redis: ['REDIS_PASSWORD'],
    });
  });

  it('are there for the author once it is enabled', () => {
    const { author, doctor } = namesOf(configOf('[author]\nenabled = true\ncommand = ["/bin/true"]\n'));
    expect(author).toEqual(['LAB_PUSH', 'LAB_READ', 'REDIS_URL']);
    expect(doctor).toContain('LAB_PUSH');
  });

  it('hold the settings of the process only if the file has them', () => {
    const settings = { TZ: 'UTC', NODE_OPTIONS: '--trace-warnings', OTEL_TRACES_EXPORTER: 'otlp' };
    const { ingress, redis } = namesOf(configOf(), { ...settings, OTHER: 'o' });
    expect(ingress).toEqual(['LAB_HOOK', 'NODE_OPTIONS', 'OTEL_TRACES_EXPORTER', 'REDIS_URL', 'TZ']);
    expect(redis).toEqual(['REDIS_PASSWORD']);
  });

  it('lead to the Redis of the compose file, with any password', () => {
    const { REDIS_URL: url = '' } = withRedis(configOf(), { REDIS_URL: 'redis://other', REDIS_PASSWORD: 'a/b@c' });
    expect(new URL(url)).toMatchObject({ hostname: 'redis', port: '6379', password: 'a%2Fb%40c' });
  });

  it.each([
    'redis://10.0.0.5:6379',
    'rediss://u:p@redis.example.com/2',
    'redis://:p@mymaster',
    'unix:///run/redis.sock',
    'unix://user:word@localhost/run/redis.sock',
  ])('lead to the shared Redis %s if the compose file has none', (REDIS_URL) => {
    expect(withRedis(configOf(), { REDIS_URL })).toEqual({ REDIS_URL });
  });

  it.each([
    [{}, /^REDIS_PASSWORD is not set: set REDIS_PASSWORD .*, or REDIS_URL for an existing one$/],
    [{ REDIS_URL: 'redis://127.0.0.1:6379' }, /^REDIS_URL is an address of this machine, which no container reaches/],
    [
      { REDIS_PASSWORD: 'a"b' },
      /^REDIS_PASSWORD contains a quote, a backslash or a line feed, which Redis cannot read/,
    ],
    [{ REDIS_PASSWORD: 'a\\b' }, /^REDIS_PASSWORD contains a quote, a backslash/],
    [{ REDIS_URL: 'redis://[::1]:6379' }, /^REDIS_URL is an address of this machine/],
  ])('are refused without a Redis that they reach: %j', (variables, problem) => {
    expect(withContainerRedis(configOf(), variables)).toEqual({ problem: expect.stringMatching(problem) });
  });
});

describe('the text of a file', () => {
  const textFor = (value: string) => containerEnvText({ name: 'guard', variables: { VALUE: value } });

  it.each(["it's", 'a\nb', 'a\u0000', 'ends\\'])('refuses %j, which is not read alike everywhere', (value) => {
    expect(textFor(value)).toEqual({ unwritable: ['VALUE'] });
  });

  it('is read by Node and by a shell as it was meant', () => {
    const values = fc.oneof(fc.string(), fc.constantFrom('$HOME', 'a b', '#a', 'a #b', '"q"', '`x`', '%{}', '\\n', ''));
    fc.assert(
      fc.property(values, (value) => {
        const written = textFor(value);
        if ('unwritable' in written) return;
        expect(parseEnv(written.text)['VALUE']).toBe(value);
        const print = `${written.text}\nprintf %s "$VALUE"`;
        expect(execFileSync('sh', ['-c', print], { encoding: 'utf8', env: {} })).toBe(value);
      }),
      { numRuns: 50 },
    );
  });
});
