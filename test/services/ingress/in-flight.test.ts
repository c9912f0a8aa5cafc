/** What senders without a signature can hold: each of these is tried over real connections. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { forgejoPullRequest, gitlabMergeRequest } from '../../shared/webhooks/payloads.ts';
import { loadConfig } from '../../../shared/config/load.ts';
import { makeSettings } from '../../support/settings.ts';
import {
  createFakeIngress,
  deliver,
  type FakeIngress,
  forgejoDelivery,
  gitlabDelivery,
  NOW_MS,
  SECRETS,
  signedGitlabDelivery,
} from './fake-ingress.ts';

const KI = 1024;
const LIMITS = { bodyLimitBytes: 64 * KI, limits: { bytesInFlight: 256 * KI, connections: 20 } };

let ingress: FakeIngress | null = null;
const sockets: Socket[] = [];

afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await ingress?.app.close();
  ingress = null;
});

const listen = async (): Promise<number> => {
  ingress = createFakeIngress(LIMITS);
  await ingress.app.listen({ host: '127.0.0.1', port: 0 });
  // A TCP server that listens has an AddressInfo.
  return (ingress.app.server.address() as AddressInfo).port;
};

type Talk = { readonly socket: Socket; readonly heard: () => string; readonly closed: Promise<number> };

const open = async (port: number, ...said: readonly string[]): Promise<Talk> => {
  const socket = connect(port, '127.0.0.1');
  sockets.push(socket);
  const begun = performance.now();
  let heard = '';
  socket.on('data', (data) => {
    heard += data.toString('latin1');
  });
  socket.on('error', () => {});
  const closed = new Promise<number>((resolve) => {
    socket.once('close', () => resolve(performance.now() - begun));
  });
  await once(socket, 'connect');
  for (const each of said) socket.write(each);
  return { socket, heard: () => heard, closed };
};

const HEAD = 'POST /webhooks/forgejo-main HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n';
const withLength = (length: number): string => `${HEAD}Content-Length: ${length}\r\n\r\n`;
const CHUNKED = `${HEAD}Transfer-Encoding: chunked\r\n\r\n`;
const chunk = (length: number): string => `${length.toString(16)}\r\n${'x'.repeat(length)}\r\n`;

const defaults = () => {
  const wish = { forgeUrl: 'http://127.0.0.1:1', token: 'unused-token', projects: ['acme/shop'], dataDir: '/nowhere' };
  const { toml } = makeSettings({ ...wish, redisPrefix: 'fixpoint' });
  const loaded = loadConfig({ text: toml, folder: '/nowhere', env: {}, needs: [] });
  if (!loaded.ok) throw new Error(loaded.problems.join('\n'));
  return loaded.config;
};

const good = () => forgejoDelivery('pull_request', forgejoPullRequest());

describe('a sender that does not end', () => {
  it('F-E2: is cut off after ten seconds, whatever it leaves out', async () => {
    const port = await listen();
    const talks = await Promise.all([
      open(port),
      open(port, 'POST /webhooks/forgejo-main HTTP/1.1\r\nHo'),
      open(port, withLength(60 * KI), 'x'.repeat(59 * KI)),
      open(port, CHUNKED, chunk(10)),
      open(port, `${HEAD}Content-Encoding: gzip\r\nContent-Length: 2000\r\n\r\n`, '\u001f\u008b'),
    ]);
    const drip = setInterval(() => talks[3]?.socket.write(chunk(1)), 200);
    const after = await Promise.all(talks.map(({ closed }) => closed));
    clearInterval(drip);
    for (const ms of after) {
      expect(ms).toBeGreaterThan(9_000);
      expect(ms).toBeLessThan(13_000);
    }
  }, 30_000);

  it('F-E2: is cut off five seconds after an answer when nothing more comes', async () => {
    const port = await listen();
    const { closed, heard } = await open(port, 'GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n');
    expect(await closed).toBeLessThan(8_000);
    expect(heard()).toContain('200 OK');
  }, 30_000);
});

describe('many senders', () => {
  it('F-E2: get 503 and a time to wait past the limit of bytes, the largest first', async () => {
    const port = await listen();
    const talks = await Promise.all(
      Array.from({ length: 10 }, async () => open(port, withLength(60 * KI), 'x'.repeat(59 * KI))),
    );
    const refused = (): number => talks.filter(({ heard }) => heard().includes('503')).length;
    await expect.poll(refused, { timeout: 5_000 }).toBeGreaterThanOrEqual(6);
    expect(talks.find(({ heard }) => heard().includes('503'))?.heard()).toContain('retry-after: 10');
    const { url, headers, payload } = good();
    const answer = await fetch(`http://127.0.0.1:${port}${url}`, { method: 'POST', headers, body: payload });
    expect(answer.status).toBe(202);
  });

  it('F-E2: a body without a length is counted as it comes, byte by byte too', async () => {
    const port = await listen();
    const large = await open(port, CHUNKED, chunk(65 * KI));
    await expect.poll(large.heard, { timeout: 5_000 }).toContain('413');
    const small = await open(port, CHUNKED);
    for (let sent = 0; sent < 2_000; sent += 1) small.socket.write(chunk(1));
    await expect.poll(small.heard, { timeout: 5_000 }).toContain('503');
  });

  it('F-E2: past the limit of connections a request gets 503, and past twice of it no answer', async () => {
    const port = await listen();
    await Promise.all(Array.from({ length: 20 }, async () => open(port)));
    const next = await open(port, 'GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n');
    await expect.poll(next.heard, { timeout: 5_000 }).toContain('503');
    expect(next.heard()).toContain('retry-after: 10');
    const others = await Promise.all(Array.from({ length: 25 }, async () => open(port)));
    await others.at(-1)?.closed;
    expect(others.at(-1)?.heard()).toBe('');
  });
});

describe('a GitLab whose token fits, while too many bodies are being read', () => {
  it('GL10: gets 200 for what is not read, so that the hook stays on, and the bound holds', async () => {
    const port = await listen();
    const head = [
      'POST /webhooks/lab HTTP/1.1',
      'Host: x',
      'Content-Type: application/json',
      'X-Gitlab-Event: Merge Request Hook',
      `X-Gitlab-Token: ${SECRETS.lab}`,
      `Content-Length: ${60 * KI}`,
    ];
    const said = `${head.join('\r\n')}\r\n\r\n`;
    const talks = await Promise.all(Array.from({ length: 10 }, async () => open(port, said, 'x'.repeat(59 * KI))));
    const answered = (status: string): number => talks.filter(({ heard }) => heard().includes(status)).length;
    await expect.poll(() => answered('200 OK'), { timeout: 5_000 }).toBeGreaterThanOrEqual(6);
    expect([answered('503'), answered('413')]).toEqual([0, 0]);
    expect(talks.find(({ heard }) => heard().includes('200'))?.heard()).toContain('the sweep finds what changed');
  });
});

describe('a delivery that is larger than the limit', () => {
  const big = (): string => 'x'.repeat(70 * KI);

  it('F-C13: of a GitLab whose token fits is ignored with 200, so that the hook stays on', async () => {
    const { app, lines } = createFakeIngress(LIMITS);
    const delivery = gitlabDelivery(gitlabMergeRequest({ description: big() }));
    const answer = await deliver(app, delivery);
    expect([answer.statusCode, answer.json()]).toEqual([
      200,
      { ignored: 'the body is too large; the sweep finds what changed' },
    ]);
    expect(lines.join('')).toContain('too large');
    const forged = { ...delivery, headers: { ...delivery.headers, 'x-gitlab-token': 'not-the-token-at-all' } };
    expect((await deliver(app, forged)).statusCode).toBe(413);
  });

  it('GL10: of a GitLab that signs is ignored with 200 when all but the body fits, and refused when it is old', async () => {
    const { app } = createFakeIngress(LIMITS);
    const body = gitlabMergeRequest({ description: big() });
    const answer = await deliver(app, signedGitlabDelivery(body));
    expect([answer.statusCode, answer.json()]).toEqual([
      200,
      { ignored: 'the body is too large; the sweep finds what changed' },
    ]);
    expect((await deliver(app, signedGitlabDelivery(body, `${NOW_MS / 1000 - 3_600}`))).statusCode).toBe(413);
  });

  it('GL10: is read by default up to what GitLab sends at most, 25 MiB', async () => {
    const { bodyLimitBytes, maxBytesInFlight } = defaults().ingress;
    const { app, jobs } = createFakeIngress({
      bodyLimitBytes,
      limits: { bytesInFlight: maxBytesInFlight, connections: 20 },
    });
    const rest = Buffer.byteLength(JSON.stringify(gitlabMergeRequest({ description: '' })));
    const body = gitlabMergeRequest({ description: 'x'.repeat(25 * KI * KI - rest) });
    expect(Buffer.byteLength(JSON.stringify(body))).toBe(25 * KI * KI);
    expect((await deliver(app, gitlabDelivery(body))).statusCode).toBe(202);
    expect(jobs).toHaveLength(1);
  });

  it('F-C13: of a forge that signs the body is refused, since it could be anyone', async () => {
    const { app } = createFakeIngress(LIMITS);
    const delivery = forgejoDelivery('pull_request', forgejoPullRequest({ description: big() }));
    expect((await deliver(app, delivery)).statusCode).toBe(413);
  });
});
