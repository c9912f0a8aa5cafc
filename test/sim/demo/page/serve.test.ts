import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { request } from 'undici';
import { kill, state, step } from './sample-state.ts';
import { type DemoServer, serveDemo } from './serve.ts';

let server: DemoServer;
let shown = state();
let kills = 0;

beforeEach(async () => {
  shown = state();
  kills = 0;
  server = await serveDemo({
    state: () => shown,
    kill: () => {
      kills += 1;
      shown = state({ kill: kill() });
    },
  });
});

afterEach(async () => server.close());

const get = async (path: string, headers: Readonly<Record<string, string>> = {}) => {
  const answer = await request(new URL(path, server.url), { headers });
  return { status: answer.statusCode, headers: answer.headers, text: await answer.body.text() };
};

const tokenOf = async (): Promise<string> =>
  /name="token" value="([0-9a-f]+)"/.exec((await get('/kill')).text)?.[1] ?? '';

const press = async (token: string, headers: Readonly<Record<string, string>> = {}) => {
  const answer = await request(new URL('/kill', server.url), {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    body: new URLSearchParams({ token }).toString(),
  });
  return { status: answer.statusCode, location: answer.headers['location'], text: await answer.body.text() };
};

describe('the server of the demo', () => {
  it.each([
    ['/', 200, '<h2>First review'],
    ['/step/2', 200, '<h2>Second'],
    ['/kill', 200, '<h2>Kill the poster'],
    ['/demo.js', 200, "'use strict';"],
    ['/step/3', 404, 'there is no such page'],
    ['/step/0', 404, 'there is no such page'],
    ['/step/1/../../etc/passwd', 404, 'there is no such page'],
    ['/favicon.ico', 404, 'there is no such page'],
  ])('answers GET %s with %d', async (path, status, text) => {
    const answer = await get(path);
    expect([answer.status, answer.text.includes(text)]).toEqual([status, true]);
  });

  it('lets a page load only from here, be framed by none, and be kept by none', async () => {
    const { headers } = await get('/');
    expect(headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': expect.stringMatching(/^default-src 'none';.*frame-ancestors 'none'$/),
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
    });
    expect(headers['content-security-policy']).not.toMatch(/http|\*|script-src[^;]*unsafe/);
  });

  it('listens on loopback, and answers to no other name', async () => {
    expect(server.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/$/);
    expect((await get('/kill', { host: 'evil.example' })).status).toBe(421);
    expect((await get('/', { host: `localhost:${new URL(server.url).port}` })).status).toBe(200);
  });
});

describe('the button', () => {
  it('kills once and leads back to the page; a second press is refused while it runs', async () => {
    const token = await tokenOf();
    expect(await press(token)).toMatchObject({ status: 303, location: '/kill' });
    expect(await press(token)).toMatchObject({ status: 409, text: 'the poster is being killed already\n' });
    expect(kills).toBe(1);
  });

  it('needs the token of this server', async () => {
    const token = await tokenOf();
    expect(token).toMatch(/^[0-9a-f]{48}$/);
    const wrong = token.replace(/^./, (first) => (first === '0' ? '1' : '0'));
    for (const bad of ['', wrong, `${token}0`, 'ü'.repeat(48)]) expect((await press(bad)).status).toBe(403);
    expect(kills).toBe(0);
  });

  it('takes no request of another site, even with the token', async () => {
    const token = await tokenOf();
    expect((await press(token, { origin: 'http://evil.example' })).status).toBe(403);
    expect((await press(token, { origin: 'null' })).status).toBe(403);
    expect(kills).toBe(0);
    expect((await press(token, { origin: server.url.replace(/\/$/, '') })).status).toBe(303);
  });

  it('is refused while the story is played, when it was pressed often enough, and as anything but a form', async () => {
    const token = await tokenOf();
    shown = state({ steps: [step()] });
    expect(await press(token)).toMatchObject({ status: 409, text: 'the story is still being played\n' });
    expect((await get('/kill')).headers['location']).toBe('/');
    shown = state({ killsLeft: 0 });
    expect((await press(token)).status).toBe(409);
    expect((await press('x'.repeat(5_000))).status).toBe(413);
    const put = await request(new URL('/kill', server.url), { method: 'PUT' });
    expect(put.statusCode).toBe(405);
    await put.body.dump();
    expect(kills).toBe(0);
  });
});
