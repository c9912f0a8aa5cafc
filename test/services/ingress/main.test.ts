import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { forgejoPullRequest } from '../../shared/webhooks/payloads.ts';
import { builtScript, ROOT } from '../../support/built.ts';
import { freePort, startRedis } from '../../support/redis.ts';
import { CONFIG_TEXT } from './config-text.ts';
import { forgejoDelivery, SECRETS } from './fake-ingress.ts';

/** A GitLab that proves itself by signing alone. */
const SIGNED_TEXT = CONFIG_TEXT.replace('"forgejo"', '"gitlab"').replace(
  'webhook_secret_envs = ["CODE_WEBHOOK_SECRET"]',
  'signing_token_env = "CODE_SIGNING_TOKEN"',
);

let folder = '';
let script = '';
beforeAll(async () => {
  script = await builtScript('services/ingress/main.js');
  folder = await mkdtemp(join(tmpdir(), 'fixpoint-ingress-'));
  await writeFile(join(folder, 'fixpoint.toml'), CONFIG_TEXT);
  await writeFile(join(folder, 'signed.toml'), SIGNED_TEXT);
  await writeFile(join(folder, 'open.toml'), CONFIG_TEXT.replace('["CODE_WEBHOOK_SECRET"]', '[]'));
});
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

type Process = { readonly child: ChildProcess; readonly output: () => string; readonly ended: Promise<number | null> };

const run = (env: Readonly<Record<string, string>>, config = 'fixpoint.toml'): Process => {
  const args = [script, '--config', join(folder, config)];
  const child = spawn(process.execPath, args, { cwd: ROOT, env: { PATH: process.env['PATH'] ?? '', ...env } });
  const chunks: string[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => chunks.push(String(chunk)));
  const ended = once(child, 'close').then(() => child.exitCode);
  return { child, output: () => chunks.join(''), ended };
};

describe('the process of the ingress', () => {
  it.each([
    ['missing', undefined],
    ['empty', ''],
    ['of seven characters', 'sevench'],
  ])('does not start with a webhook secret that is %s, and does not repeat it', async (_name, secret) => {
    const env = { REDIS_URL: 'redis://127.0.0.1:1', ...(secret === undefined ? {} : { CODE_WEBHOOK_SECRET: secret }) };
    const { ended, output } = run(env);
    expect(await ended).toBe(2);
    expect(output()).toContain('CODE_WEBHOOK_SECRET');
    if (secret) expect(output()).not.toContain(secret);
  });

  it.each([
    ['missing', undefined],
    ['empty', ''],
    ['of seven bytes', ['whsec', Buffer.alloc(7, 5).toString('base64')].join('_')],
  ])('does not start with a signing token alone that is %s, and does not repeat it', async (_name, token) => {
    const env = { REDIS_URL: 'redis://127.0.0.1:1', ...(token === undefined ? {} : { CODE_SIGNING_TOKEN: token }) };
    const { ended, output } = run(env, 'signed.toml');
    expect(await ended).toBe(2);
    expect(output()).toContain('CODE_SIGNING_TOKEN');
    if (token) expect(output()).not.toContain(token);
  });

  it('does not start without any secret', async () => {
    const { ended, output } = run({ REDIS_URL: 'redis://127.0.0.1:1' }, 'open.toml');
    expect(await ended).toBe(2);
    expect(output()).toContain('webhook_secret_envs: names no variable');
  });

  it('ends with 1 when Redis is not there', async () => {
    const { ended, output } = run({
      REDIS_URL: `redis://127.0.0.1:${await freePort()}`,
      CODE_WEBHOOK_SECRET: SECRETS.code,
    });
    expect(await ended).toBe(1);
    expect(output()).toContain('ingress could not start');
    expect(output()).toContain('REDIS_UNREACHABLE');
  });

  it('takes a delivery, and leaves in order when it is told to', async () => {
    const redis = await startRedis();
    const { child, ended, output } = run({ REDIS_URL: redis.url, CODE_WEBHOOK_SECRET: SECRETS.code });
    try {
      await expect.poll(output, { timeout: 20_000 }).toContain('ingress listens');
      const port = /"port":(\d+)/.exec(output())?.[1];
      const { url, headers, payload } = forgejoDelivery('pull_request', forgejoPullRequest());
      const response = await fetch(`http://127.0.0.1:${port}${url}`, {
        method: 'POST',
        headers,
        body: new Uint8Array(payload),
      });
      expect(response.status).toBe(202);
      child.kill('SIGTERM');
      expect(await ended).toBe(0);
      expect(output()).not.toContain(SECRETS.code);
    } finally {
      child.kill('SIGKILL');
      await redis.stop();
    }
  });
});
