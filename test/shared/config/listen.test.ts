import { expect, test } from 'vitest';
import { listenText, localUrl, parseListenAddress } from '../../../shared/config/listen.ts';
import { loadConfig } from '../../../shared/config/load.ts';

test.each([
  ['0.0.0.0:8080', { host: '0.0.0.0', port: 8080 }],
  ['[::]:1', { host: '::', port: 1 }],
  ['ingress.local:65535', { host: 'ingress.local', port: 65_535 }],
  ['0.0.0.0', null],
  [':8080', null],
  ['0.0.0.0:0', null],
  ['0.0.0.0:65536', null],
  ['::1:80', null],
  ['a b:80', null],
  ['http://0.0.0.0:80', null],
])('%s is an address to listen on, or none', (text, address) => {
  expect(parseListenAddress(text)).toEqual(address);
});

test.each([
  ['127.0.0.1', 'http://127.0.0.1:80'],
  ['0.0.0.0', 'http://127.0.0.1:80'],
  ['::', 'http://[::1]:80'],
  ['fd00::2', 'http://[fd00::2]:80'],
])('a server that listens on %s is asked at %s', (host, url) => {
  expect(localUrl({ host, port: 80 })).toBe(url);
});

const FORGE = `
[[forge]]
id = "one"
kind = "gitlab"
base_url = "https://gitlab.example.com"
token_env = "ONE"
webhook_secret_envs = ["TWO"]
projects = ["a/b"]
`;

const load = (env: Record<string, string>) =>
  loadConfig({ text: `${FORGE}[ingress]\nhost = "127.0.0.1"\nport = 9000\n`, env, needs: [] });

test('FIXPOINT_LISTEN counts more than the file, because the file may be written for a machine without containers', () => {
  const ingressOf = (env: Record<string, string>) => {
    const loaded = load(env);
    return loaded.ok ? loaded.config.ingress : loaded.problems;
  };
  expect(ingressOf({})).toMatchObject({ host: '127.0.0.1', port: 9000, maxConnections: 500 });
  expect(ingressOf({ FIXPOINT_LISTEN: '' })).toMatchObject({ host: '127.0.0.1', port: 9000 });
  expect(ingressOf({ FIXPOINT_LISTEN: '0.0.0.0:8080' })).toMatchObject({
    host: '0.0.0.0',
    port: 8080,
    maxConnections: 500,
  });
});

test('FIXPOINT_CONSOLE_LISTEN does the same for the console', () => {
  const loaded = load({ FIXPOINT_CONSOLE_LISTEN: '0.0.0.0:8091' });
  expect(loaded.ok && loaded.config.console).toMatchObject({ host: '0.0.0.0', port: 8091, enabled: false });
  expect(load({ FIXPOINT_CONSOLE_LISTEN: 'here' })).toMatchObject({ ok: false });
});

test('a mistake in FIXPOINT_LISTEN is among the others', () => {
  const loaded = load({ FIXPOINT_LISTEN: '8080' });
  expect(loaded).toEqual({
    ok: false,
    problems: ['the environment variable FIXPOINT_LISTEN: expected HOST:PORT, such as 0.0.0.0:8080'],
  });
});

test.each(['0.0.0.0:8080', '[::]:8080', '[::1]:80', 'host.example:1'])('%s is written as it is read', (text) => {
  const address = parseListenAddress(text);
  expect(address === null ? null : listenText(address)).toBe(text);
});
