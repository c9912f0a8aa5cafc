/** Who gets in, and what a stranger gets to see. */
import { afterAll, beforeAll, beforeEach, describe, expect, it, test } from 'vitest';
import { csrfOf, isForeignOrigin } from '../../../services/console/access/csrf.ts';
import { localPath } from '../../../services/console/access/local-path.ts';
import { startRedis, type TestRedis } from '../../support/redis.ts';
import { type ConsoleStage, form, openConsole, storeScene, TOKENS } from './console-stage.ts';

let redis: TestRedis;
let stage: ConsoleStage;

beforeAll(async () => {
  redis = await startRedis();
});

beforeEach(async () => {
  await stage?.close();
  stage = await openConsole({ redisUrl: redis.url });
  await stage.source.redis.flushall();
  await storeScene(stage.source);
});

afterAll(async () => {
  await stage?.close();
  await redis?.stop();
});

const PAGES = [
  '/',
  '/change-requests',
  '/change-requests/sim/4/7',
  '/projects',
  '/projects/sim/4',
  '/live',
  '/nothing-there',
  '/change-requests/find?ref=sim/4/7',
];

const ask = async (url: string, headers: Readonly<Record<string, string>> = {}) => stage.app.inject({ url, headers });

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

describe('without a token', () => {
  it.each(PAGES)('%s shows nothing, neither what is stored nor whether it exists', async (url) => {
    const response = await ask(url);
    expect(response.statusCode).toBe(401);
    expect(response.headers['www-authenticate']).toBe('Bearer');
    expect(response.body).not.toMatch(/Charge|acme|sim\/4/);
  });

  it('leads a browser to the login and from there back', async () => {
    const response = await ask('/change-requests?page=2', { accept: 'text/html,*/*' });
    expect([response.statusCode, response.headers.location]).toEqual([
      303,
      '/login?next=%2Fchange-requests%3Fpage%3D2',
    ]);
    const login = await ask('/login?next=%2Fchange-requests%3Fpage%3D2');
    expect(login.body).toContain('name="next" value="/change-requests?page=2"');
    const { headers } = await stage.app.inject({
      method: 'POST',
      url: '/login',
      ...form({ token: TOKENS.read, next: '/change-requests?page=2' }),
    });
    expect(headers.location).toBe('/change-requests?page=2');
  });

  it('takes no form', async () => {
    expect((await stage.app.inject({ method: 'POST', url: '/logout', ...form({}) })).statusCode).toBe(401);
  });
});

describe('with a token', () => {
  it.each([
    ['a wrong one', 'x'.repeat(48)],
    ['an empty one', ''],
    ['one with a line feed', 'a\tb'],
    ['the start of the right one', TOKENS.read.slice(0, -1)],
    ['a longer one', `${TOKENS.read}0`],
    ['one that is too long', 'x'.repeat(5_000)],
  ])('%s is refused', async (_what, token) => {
    expect((await ask('/', bearer(token))).statusCode).toBe(401);
  });

  it.each(Object.entries(TOKENS))('the token for %s opens the page', async (_scope, token) => {
    const response = await ask('/change-requests/sim/4/7', bearer(token));
    expect([response.statusCode, response.body.includes('Charge the card only once')]).toEqual([200, true]);
  });

  it('blocks an address after ten wrong tokens, also for the right one, and lets it in a minute later', async () => {
    for (let count = 0; count < 10; count += 1) expect((await ask('/', bearer('wrong'))).statusCode).toBe(401);
    const blocked = await ask('/', bearer(TOKENS.read));
    expect([blocked.statusCode, blocked.headers['retry-after']]).toEqual([429, '60']);
    const login = await stage.app.inject({ method: 'POST', url: '/login', ...form({ token: TOKENS.read }) });
    expect([login.statusCode, login.headers['set-cookie']]).toEqual([429, undefined]);
    stage.clock.nowMs += 60_001;
    expect((await ask('/', bearer(TOKENS.read))).statusCode).toBe(200);
  });

  it('logs a refused login, and never the token', async () => {
    await stage.app.inject({ method: 'POST', url: '/login', ...form({ token: 'guess-of-somebody' }) });
    expect(stage.lines.join('')).toContain('login to the console refused');
    expect(stage.lines.join('')).not.toContain('guess-of-somebody');
  });
});

describe('the session of a browser', () => {
  it('is a cookie that scripts and other sites cannot use', async () => {
    const { headers } = await stage.app.inject({ method: 'POST', url: '/login', ...form({ token: TOKENS.read }) });
    expect(headers['set-cookie']).toMatch(
      /^fixpoint-console=[\w-]{43}; Max-Age=43200; Path=\/; HttpOnly; SameSite=Strict$/,
    );
  });

  it('is sent over https only, where the public URL is one', async () => {
    await stage.close();
    stage = await openConsole({ redisUrl: redis.url, more: 'public_url = "https://console.example"\n' });
    const { headers } = await stage.app.inject({ method: 'POST', url: '/login', ...form({ token: TOKENS.read }) });
    expect(headers['set-cookie']).toMatch(/^__Host-fixpoint-console=.*; HttpOnly; Secure; SameSite=Strict$/);
    expect(headers['strict-transport-security']).toBe('max-age=31536000');
  });

  it('ends for good when it is logged out', async () => {
    const { cookie, csrf } = await stage.logIn();
    expect((await ask('/', { cookie })).statusCode).toBe(200);
    const { headers, payload } = form({ csrf });
    const out = await stage.app.inject({ method: 'POST', url: '/logout', headers: { ...headers, cookie }, payload });
    expect([out.statusCode, out.headers['set-cookie']]).toEqual([303, expect.stringContaining('Max-Age=0')]);
    expect((await ask('/', { cookie })).statusCode).toBe(401);
  });

  it.each([
    ['no value', {}],
    ['a wrong value', { csrf: 'x'.repeat(43) }],
    ["another session's value", { csrf: csrfOf('y'.repeat(43)) }],
  ])('does nothing for a form with %s', async (_what, fields) => {
    const { cookie } = await stage.logIn();
    const { headers, payload } = form(fields);
    const out = await stage.app.inject({ method: 'POST', url: '/logout', headers: { ...headers, cookie }, payload });
    expect(out.statusCode).toBe(403);
    expect((await ask('/', { cookie })).statusCode).toBe(200);
  });

  it('does nothing for a form of another site, even with the right value', async () => {
    const { cookie, csrf } = await stage.logIn();
    const { headers, payload } = form({ csrf });
    const from = (origin: string) => ({ ...headers, cookie, origin, host: 'console.example:8090' });
    const foreign = { method: 'POST', url: '/logout', headers: from('http://evil.example'), payload } as const;
    expect((await stage.app.inject(foreign)).statusCode).toBe(403);
    const own = { ...foreign, headers: from('http://console.example:8090') };
    expect((await stage.app.inject(own)).statusCode).toBe(303);
  });

  it('works behind a proxy with a password of its own, which a browser sends with every request', async () => {
    const authorization = `Basic ${Buffer.from('team:word').toString('base64')}`;
    const { cookie } = await stage.logIn();
    for (let count = 0; count < 12; count += 1)
      expect((await ask('/', { cookie, authorization })).statusCode).toBe(200);
    const unknown = await ask('/cost', { authorization, accept: 'text/html' });
    expect([unknown.statusCode, unknown.headers.location]).toEqual([303, '/login?next=%2Fcost']);
    const login = { method: 'POST', url: '/login', ...form({ token: TOKENS.read }) } as const;
    const entered = await stage.app.inject({ ...login, headers: { ...login.headers, authorization } });
    expect(entered.statusCode).toBe(303);
  });

  it('takes its own forms behind a proxy that replaces the name of the host', async () => {
    await stage.close();
    stage = await openConsole({ redisUrl: redis.url, more: 'public_url = "https://console.example"\n' });
    const { headers, payload } = form({ token: TOKENS.read });
    const from = async (origin: string) =>
      stage.app.inject({
        method: 'POST',
        url: '/login',
        headers: { ...headers, origin, host: '127.0.0.1:8090' },
        payload,
      });
    expect((await from('https://console.example')).statusCode).toBe(303);
    expect((await from('http://console.example')).statusCode).toBe(403);
    expect((await from('https://evil.example')).statusCode).toBe(403);
  });

  it('cannot be read from Redis', async () => {
    const { cookie } = await stage.logIn();
    const { redis: connection } = stage.source;
    const stored = await Promise.all(
      (await connection.keys('*session*')).map(async (key) => `${key} ${await connection.get(key)}`),
    );
    expect(stored).toHaveLength(1);
    expect(stored.join('')).not.toContain(cookie.split('=')[1]);
    expect(stored.join('')).not.toContain(TOKENS.read);
  });
});

test.each([
  ['/queues?page=2', '/queues?page=2'],
  ['//evil.example/', '/'],
  ['//evil.example/path', '/'],
  ['/.//evil.example', '/'],
  ['/\\evil.example', '/'],
  ['https://evil.example/', '/'],
  ['/a\r\nset-cookie: x=y', '/aset-cookie:%20x=y'],
  ['/\t/evil.example', '/'],
  ['javascript:alert(1)', '/'],
  [undefined, '/'],
])('%j leads to %s', (given, path) => {
  expect(localPath(given)).toBe(path);
});

test.each([
  [undefined, 'a.example', null, false],
  ['http://a.example', 'a.example', null, false],
  ['http://a.example:8090', 'a.example', null, true],
  ['null', 'a.example', null, true],
  ['null', 'a.example', 'https://a.example', true],
  ['http://b.example', 'a.example', null, true],
  ['http://a.example', undefined, null, true],
  ['https://a.example', '127.0.0.1:8090', 'https://a.example', false],
  ['https://a.example:444', '127.0.0.1:8090', 'https://a.example', true],
  ['http://a.example', '127.0.0.1:8090', 'https://a.example', true],
  ['http://127.0.0.1:8090', '127.0.0.1:8090', 'https://a.example', false],
])('a form from %s to %s, whose public URL is %s, is foreign: %s', (origin, host, publicUrl, foreign) => {
  expect(isForeignOrigin(origin, { host, publicUrl })).toBe(foreign);
});

describe('every answer', () => {
  it.each(['/', '/login', '/nothing', '/assets/style.css'])(
    'of %s allows only what the page itself has',
    async (url) => {
      const { headers } = await ask(url, bearer(TOKENS.read));
      expect(headers['content-security-policy']).toBe(
        "default-src 'none';style-src 'self';script-src 'self';img-src 'self';connect-src 'self';form-action 'self';base-uri 'none';frame-ancestors 'none'",
      );
      expect(headers).toMatchObject({
        'x-content-type-options': 'nosniff',
        'x-frame-options': 'DENY',
        'referrer-policy': 'same-origin',
        'cross-origin-opener-policy': 'same-origin',
        'cross-origin-resource-policy': 'same-origin',
      });
    },
  );

  it.each([
    ['../../etc/passwd', '/assets/..%2f..%2fetc%2fpasswd'],
    ['a project that is no number', '/change-requests/sim/4e0/7'],
    ['a number with a leading zero', '/change-requests/sim/4/07'],
    ['a negative number', '/change-requests/sim/4/-7'],
    ['a number beyond the exact ones', '/change-requests/sim/4/99999999999999999'],
    ['a forge with a colon', '/change-requests/sim:4/4/7'],
    ['a run of another change request', '/change-requests/sim/4/8/runs/aaaaaaaaaaaaaaaa'],
    ['a run that is a path', '/change-requests/sim/4/7/runs/..%2f..%2fstate'],
    ['a very long address', `/change-requests/${'a'.repeat(4_000)}/4/7`],
    ['a broken escape', '/change-requests/%E0%A4%A/4/7'],
  ])('to %s says nothing of what was asked', async (_what, url) => {
    const { statusCode, body } = await ask(url, bearer(TOKENS.read));
    expect([400, 404, 414]).toContain(statusCode);
    expect(body).toContain('<h1>');
    expect(body).not.toMatch(/passwd|4e0|aaaaaaaa|sim:4/);
  });

  it('refuses a large form, and a form that is none', async () => {
    const large = { method: 'POST', url: '/login', ...form({ token: 'x'.repeat(20_000) }) } as const;
    expect((await stage.app.inject(large)).statusCode).toBe(413);
    const json = {
      method: 'POST',
      url: '/login',
      headers: { 'content-type': 'application/json' },
      payload: '{}',
    } as const;
    expect((await stage.app.inject(json)).statusCode).toBe(415);
  });
});

test('says that Redis is away, at once, and works again when it is back', async () => {
  const own = await startRedis();
  const alone = await openConsole({ redisUrl: own.url });
  await own.stop();
  await expect.poll(() => alone.source.redis.status, { timeout: 5_000 }).not.toBe('ready');
  const { statusCode, body } = await alone.app.inject({ url: '/', headers: bearer(TOKENS.read) });
  expect([statusCode, body.includes('Redis does not answer')]).toEqual([503, true]);
  await alone.close();
});
