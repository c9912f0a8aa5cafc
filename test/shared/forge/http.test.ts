import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net';
import { inspect } from 'node:util';
import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { AppError } from '../../../shared/errors.ts';
import { ForgeRequestError, ForgeUnknownOutcomeError } from '../../../shared/forge/errors.ts';
import { createForgeHttp, type ForgeHttp, type HttpOptions } from '../../../shared/forge/http.ts';
import { apiPath } from '../../../shared/forge/path.ts';
import type { RequestSeen } from '../../../shared/forge/request-seen.ts';
import { manualClock } from './manual-clock.ts';
import { type Answer, type Script, type ScriptedServer, startScriptedServer } from './scripted-server.ts';

// Joined at run time so that no scanner takes it for a real one.
const TOKEN = ['tok', 'en', 'for', 'tests', '0123456789'].join('_');
const Thing = z.object({ id: z.number() });
const GOOD: Answer = { kind: 'json', status: 200, body: { id: 7 } };
const signal = (): AbortSignal => new AbortController().signal;

const started: ScriptedServer[] = [];
afterEach(async () => {
  const surprises = started.flatMap((server) => server.surprises);
  await Promise.all(started.splice(0).map((server) => server.close()));
  if (surprises.length > 0) throw new Error(`asked more than the script answers: ${surprises.join(', ')}`);
});

const serve = async (script: Script): Promise<ScriptedServer> => {
  const server = await startScriptedServer(script);
  started.push(server);
  return server;
};

const open = (baseUrl: string, options: Partial<HttpOptions> = {}): ForgeHttp & { slept: readonly number[] } => {
  const clock = manualClock();
  return { ...createForgeHttp({ forgeId: 'test', baseUrl, token: TOKEN, clock, ...options }), slept: clock.slept };
};

const readThing = (http: ForgeHttp, at = signal()) =>
  http.read({ path: apiPath`/api/v1/things/${7}`, schema: Thing }, at);
const writeThing = (http: ForgeHttp, at = signal()) =>
  http.write({ method: 'POST', path: apiPath`/api/v1/things`, body: { name: 'x' }, schema: Thing }, at);

const failureOf = async (promise: Promise<unknown>): Promise<AppError> => {
  const outcome: unknown = await promise.then(
    () => 'no error',
    (error: unknown) => error,
  );
  expect(outcome).toBeInstanceOf(AppError);
  return outcome as AppError; // Checked by the line above.
};

const status = (code: number, headers: Record<string, string> = {}): Answer => ({
  kind: 'json',
  status: code,
  body: { message: `says ${code}`, url: 'x' },
  headers,
});

describe('a read', () => {
  it('gives the parsed value and sends the token in one header', async () => {
    const server = await serve([GOOD]);
    const http = open(`${server.url}/prefix/`);
    expect((await readThing(http)).value).toEqual({ id: 7 });
    const [request] = server.requests;
    expect(request?.url).toBe('/prefix/api/v1/things/7');
    expect(request?.headers.authorization).toBe(`token ${TOKEN}`);
    expect(request?.headers.accept).toBe('application/json');
    expect(JSON.stringify({ ...request, headers: { ...request?.headers, authorization: '' } })).not.toContain(TOKEN);
  });

  it.each([
    ['429 and then an answer', [status(429), GOOD], [125]],
    ['502, 503 and then an answer', [status(502), status(503), GOOD], [125, 250]],
    ['a cut connection and then an answer', [{ kind: 'reset' }, GOOD], [125]],
    ['half an answer and then a whole one', [{ kind: 'cut' }, GOOD], [125]],
    ['no body and then an answer', [{ kind: 'text', status: 200, body: '' }, GOOD], [125]],
    ['JSON that breaks off and then whole JSON', [{ kind: 'text', status: 200, body: '{"id":' }, GOOD], [125]],
    ['a named delay in seconds', [status(429, { 'retry-after': '2' }), GOOD], [2_000]],
    ['a named date', [status(503, { 'retry-after': 'Thu, 01 Jan 2026 00:00:04 GMT' }), GOOD], [4_000]],
  ] as [string, Answer[], number[]][])('survives %s', async (_name, script, waits) => {
    const server = await serve(script);
    const http = open(server.url);
    expect((await readThing(http)).value).toEqual({ id: 7 });
    expect(http.slept).toEqual(waits);
  });

  it.each([
    [[status(401)], 'FORGE_UNAUTHORISED', { kind: 'fail' }],
    [[status(403)], 'FORGE_FORBIDDEN', { kind: 'fail' }],
    [[status(404)], 'FORGE_NOT_FOUND', { kind: 'fail' }],
    [[status(400)], 'FORGE_REJECTED', { kind: 'fail' }],
    [[status(405)], 'FORGE_REJECTED', { kind: 'fail' }],
    [[status(422)], 'FORGE_REJECTED', { kind: 'fail' }],
    [[status(500)], 'FORGE_UNAVAILABLE', { kind: 'retry' }],
    [[status(503), status(503), status(503), status(503)], 'FORGE_UNAVAILABLE', { kind: 'retry' }],
    [[status(429), status(429), status(429), status(429)], 'FORGE_RATE_LIMITED', { kind: 'retry' }],
    [[status(429, { 'retry-after': '600' })], 'FORGE_RATE_LIMITED', { kind: 'retry_after', delayMs: 600_000 }],
    [[status(503, { 'retry-after': '60' })], 'FORGE_UNAVAILABLE', { kind: 'retry_after', delayMs: 60_000 }],
    [[{ kind: 'text', status: 200, body: '<html>sign in</html>' }], 'FORGE_BAD_ANSWER', { kind: 'retry' }],
    [[{ kind: 'text', status: 200, body: '' }], 'FORGE_BAD_ANSWER', { kind: 'retry' }],
    [[{ kind: 'json', status: 200, body: { id: 'seven' } }], 'FORGE_BAD_ANSWER', { kind: 'fail' }],
    [[{ kind: 'text', status: 204, body: '' }], 'FORGE_BAD_ANSWER', { kind: 'fail' }],
    [[{ kind: 'json', status: 200, body: null }], 'FORGE_BAD_ANSWER', { kind: 'retry' }],
  ] as [Answer[], string, unknown][])('ends %j as %s with %j', async (script, code, disposition) => {
    const patient =
      script[0]?.kind === 'text' && script[0].status === 200 ? [...script, ...script, ...script, ...script] : script;
    const server = await serve(patient);
    const error = await failureOf(readThing(open(server.url)));
    expect(error).toBeInstanceOf(ForgeRequestError);
    expect([error.code, error.disposition]).toEqual([code, disposition]);
    expect(server.requests).toHaveLength(patient.length);
  });

  it.each([301, 302, 303, 307, 308])('does not follow a redirect with %i', async (code) => {
    const target = await serve([]);
    const server = await serve([status(code, { location: `${target.url}/api/v1/things/7` })]);
    const error = await failureOf(readThing(open(server.url)));
    expect(error.code).toBe('FORGE_REDIRECTED');
    expect(target.requests).toEqual([]);
  });

  it('stops reading an answer that is too large', async () => {
    const server = await serve([{ kind: 'json', status: 200, body: { id: 7, filling: 'x'.repeat(5_000) } }]);
    const error = await failureOf(readThing(open(server.url, { maxBytes: 1_000 })));
    expect([error.code, error.fields['reason'], error.disposition]).toEqual([
      'FORGE_BAD_ANSWER',
      'size',
      { kind: 'fail' },
    ]);
  });

  it('reads a file as text, which need not be JSON, and stops reading at its own limit', async () => {
    const path = apiPath`/api/v1/files/${7}`;
    const server = await serve([
      { kind: 'text', status: 200, body: '{"half":' },
      { kind: 'text', status: 200, body: 'x'.repeat(5_000) },
    ]);
    const http = open(server.url);
    expect(await http.readText({ path, maxBytes: 100 }, signal())).toBe('{"half":');
    expect(server.requests[0]?.headers.accept).toBe('*/*');
    const error = await failureOf(http.readText({ path, maxBytes: 100 }, signal()));
    expect([error.code, error.fields['reason']]).toEqual(['FORGE_BAD_ANSWER', 'size']);
  });

  it('does not follow a redirect to a file, so that no other server gets the token', async () => {
    const target = await serve([]);
    const server = await serve([status(302, { location: `${target.url}/file` })]);
    const error = await failureOf(open(server.url).readText({ path: apiPath`/f/${1}`, maxBytes: 100 }, signal()));
    expect([error.code, target.requests]).toEqual(['FORGE_REDIRECTED', []]);
  });

  it('gives up on a forge that answers nothing within the limit', async () => {
    const server = await serve([{ kind: 'silence' }]);
    const error = await failureOf(readThing(open(server.url, { timeouts: { connectMs: 500, totalMs: 60 } })));
    expect([error.code, error.fields['reason'], error.disposition]).toEqual([
      'FORGE_UNAVAILABLE',
      'TimeoutError',
      { kind: 'retry' },
    ]);
  });

  it('ends when its signal aborts', async () => {
    const controller = new AbortController();
    const server = await serve(() => {
      controller.abort();
      return { kind: 'silence' };
    });
    const error = await failureOf(readThing(open(server.url), controller.signal));
    expect([error.code, error.disposition]).toEqual(['FORGE_ABORTED', { kind: 'retry' }]);
  });

  it('sends nothing when its signal has aborted before', async () => {
    const server = await serve([]);
    const error = await failureOf(readThing(open(server.url), AbortSignal.abort()));
    expect([error.code, server.requests.length]).toEqual(['FORGE_ABORTED', 0]);
  });

  it('tries an unreachable forge four times', async () => {
    const server = await startScriptedServer([]);
    await server.close();
    const http = open(server.url);
    const error = await failureOf(readThing(http));
    expect([error.code, error.fields['reason'], error.fields['attempts']]).toEqual([
      'FORGE_UNAVAILABLE',
      'ECONNREFUSED',
      4,
    ]);
    expect(http.slept).toEqual([125, 250, 500]);
  });
});

describe('a write', () => {
  it('sends JSON once and gives the parsed answer with its status', async () => {
    const server = await serve([{ kind: 'json', status: 201, body: { id: 9 } }]);
    expect(await writeThing(open(server.url))).toEqual({ status: 201, value: { id: 9 } });
    expect(server.requests.map(({ method, body }) => [method, body])).toEqual([['POST', '{"name":"x"}']]);
    expect(server.requests[0]?.headers['content-type']).toBe('application/json');
  });

  it.each([
    ['a cut connection', { kind: 'reset' }],
    ['half an answer', { kind: 'cut' }],
    ['500', status(500)],
    ['502', status(502)],
    ['503 with a delay', status(503, { 'retry-after': '1' })],
    ['504', status(504)],
    ['a success with broken JSON', { kind: 'text', status: 201, body: '{"id":' }],
    ['a success without a body', { kind: 'text', status: 201, body: '' }],
    ['a success with another shape', { kind: 'json', status: 201, body: {} }],
    ['nothing at all', { kind: 'silence' }],
  ] as [string, Answer][])('has an unknown outcome after %s and is not sent again', async (_name, answer) => {
    const server = await serve([answer]);
    // Long enough to be sent on a busy machine; only silence waits for its end.
    const totalMs = answer.kind === 'silence' ? 2_000 : 20_000;
    const error = await failureOf(writeThing(open(server.url, { timeouts: { connectMs: 5_000, totalMs } })));
    expect(error).toBeInstanceOf(ForgeUnknownOutcomeError);
    expect([error.code, error.disposition]).toEqual(['FORGE_UNKNOWN_OUTCOME', { kind: 'retry' }]);
    expect(server.requests).toHaveLength(1);
  });

  it.each(['<html>maintenance</html>', '{"id":', 'ok'])(
    'of which the answer does not matter has an unknown outcome when a proxy answers %j',
    async (body) => {
      const server = await serve([{ kind: 'text', status: 200, body }]);
      const request = { method: 'POST', path: apiPath`/things`, schema: null } as const;
      expect(await failureOf(open(server.url).write(request, signal()))).toBeInstanceOf(ForgeUnknownOutcomeError);
      expect(server.requests).toHaveLength(1);
    },
  );

  it.each(['', '{}', '{"id":7}', 'null'])(
    'of which the answer does not matter is done with the body %j',
    async (body) => {
      const server = await serve([{ kind: 'text', status: 200, body }]);
      const request = { method: 'POST', path: apiPath`/things`, schema: null } as const;
      expect(await open(server.url).write(request, signal())).toEqual({ status: 200, value: null });
    },
  );

  it.each([
    [status(401), 'FORGE_UNAUTHORISED', { kind: 'fail' }],
    [status(403), 'FORGE_FORBIDDEN', { kind: 'fail' }],
    [status(404), 'FORGE_NOT_FOUND', { kind: 'fail' }],
    [status(307, { location: '/elsewhere' }), 'FORGE_REDIRECTED', { kind: 'fail' }],
    [status(422), 'FORGE_REJECTED', { kind: 'fail' }],
    [status(429), 'FORGE_RATE_LIMITED', { kind: 'retry' }],
    [status(429, { 'retry-after': '5' }), 'FORGE_RATE_LIMITED', { kind: 'retry_after', delayMs: 5_000 }],
  ] as [Answer, string, unknown][])('surely did nothing after %j: %s', async (answer, code, disposition) => {
    const server = await serve([answer]);
    const error = await failureOf(writeThing(open(server.url)));
    expect([error.code, error.disposition, server.requests.length]).toEqual([code, disposition, 1]);
  });

  it('is tried again while it cannot have been sent, and is not unknown then', async () => {
    const server = await startScriptedServer([]);
    await server.close();
    const http = open(server.url);
    const error = await failureOf(writeThing(http));
    expect([error.code, error.disposition]).toEqual(['FORGE_UNAVAILABLE', { kind: 'retry' }]);
    expect(http.slept).toHaveLength(3);
  });

  it('is unknown when its signal aborts after it was sent', async () => {
    const controller = new AbortController();
    const server = await serve(() => {
      controller.abort();
      return { kind: 'silence' };
    });
    const error = await failureOf(writeThing(open(server.url), controller.signal));
    expect(error.code).toBe('FORGE_UNKNOWN_OUTCOME');
  });

  it('is never sent when its signal aborts while the connection is being made', async () => {
    const controller = new AbortController();
    const sockets: Socket[] = [];
    const seen: string[] = [];
    const server = createTcpServer((socket) => {
      sockets.push(socket.on('data', () => seen.push('data')).on('error', () => seen.push('error')));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo; // A listening TCP server has one.
    // The TLS handshake is never answered: the request waits for a connection that does not come.
    const writing = failureOf(writeThing(open(`https://127.0.0.1:${port}`), controller.signal));
    await expect.poll(() => seen.length).toBeGreaterThan(0);
    controller.abort();
    expect((await writing).code).toBe('FORGE_ABORTED');
    for (const socket of sockets) socket.destroy();
    await new Promise<void>((resolve) => server.close(() => resolve()));
  });

  it('ignores the body of the answer where no shape is asked for', async () => {
    const server = await serve([
      { kind: 'text', status: 204, body: '' },
      { kind: 'text', status: 200, body: '{"done":true}' },
    ]);
    const http = open(server.url);
    const erase = () => http.write({ method: 'DELETE', path: apiPath`/api/v1/things/${7}`, schema: null }, signal());
    expect(await erase()).toEqual({ status: 204, value: null });
    expect(await erase()).toEqual({ status: 200, value: null });
  });
});

describe('the token', () => {
  const everything = (error: unknown): string =>
    [
      inspect(error, { depth: 20, showHidden: true }),
      JSON.stringify(error),
      String(error instanceof Error && error.stack),
    ].join('\n');

  it.each([
    ['is refused', status(401)],
    ['is echoed by the forge', { kind: 'json', status: 422, body: { message: `bad token ${TOKEN}\nsecond line` } }],
    ['is echoed in a wrong shape', { kind: 'json', status: 200, body: { id: TOKEN } }],
    ['is echoed as text', { kind: 'text', status: 500, body: TOKEN }],
    ['went into a cut connection', { kind: 'reset' }],
  ] as [string, Answer][])('is in no error when it %s', async (_name, answer) => {
    const server = await serve(() => answer);
    const http = open(server.url);
    for (const error of [await failureOf(readThing(http)), await failureOf(writeThing(http))]) {
      expect(everything(error)).not.toContain(TOKEN);
    }
  });

  it('leaves the rest of the explanation readable, on one line', async () => {
    const server = await serve([{ kind: 'json', status: 422, body: { message: `bad ${TOKEN}\n\u202Esecond line` } }]);
    const error = await failureOf(writeThing(open(server.url)));
    expect(error.fields).toEqual({
      forge: 'test',
      method: 'POST',
      path: '/api/v1/things',
      attempts: 1,
      status: 422,
      explanation: 'bad [token] second line',
    });
  });

  it.each(['', 'two words', 'line\nbreak', 'ümlaut'])('is refused as %j without being repeated', (token) => {
    const attempt = (): unknown => createForgeHttp({ forgeId: 'test', baseUrl: 'https://forge.example', token });
    expect(attempt).toThrow(expect.objectContaining({ code: 'FORGE_TOKEN_INVALID' }));
    if (token !== '') expect(attempt).not.toThrow(token);
  });
});

describe('the configured address', () => {
  it.each([
    '',
    'forge.example',
    'ftp://forge.example',
    'https://u:p@forge.example',
    'https://forge.example/?a=1',
    'https://forge.example/#a',
  ])('is refused as %j', (baseUrl) => {
    expect(() => createForgeHttp({ forgeId: 'test', baseUrl, token: TOKEN })).toThrow(
      expect.objectContaining({ code: 'FORGE_BASE_URL_INVALID' }),
    );
  });

  it('is the only one dialled, whatever an answer links to', async () => {
    const elsewhere = await serve([]);
    const server = await serve([
      { ...GOOD, headers: { link: `<${elsewhere.url}/page2>; rel="next"`, location: elsewhere.url } },
    ]);
    await readThing(open(server.url));
    expect([server.requests.length, elsewhere.requests.length]).toEqual([1, 0]);
  });
});

describe('what is seen of each request', () => {
  it('is its method, status, time, and what the forge still allows', async () => {
    const server = await serve([
      status(200, { 'RateLimit-Remaining': '41' }),
      GOOD,
      status(429, { 'retry-after': '0' }),
      GOOD,
    ]);
    const seen: RequestSeen[] = [];
    const http = open(server.url, { onRequest: (request) => void seen.push(request) });
    await readThing(http).catch(() => undefined);
    await readThing(http);
    await readThing(http);
    expect(seen.map(({ method, status: code, rateLimitRemaining }) => [method, code, rateLimitRemaining])).toEqual([
      ['GET', '200', 41],
      ['GET', '200', null],
      ['GET', '429', null],
      ['GET', '200', null],
    ]);
    expect(seen.every(({ seconds }) => seconds > 0 && seconds < 10)).toBe(true);
  });
});
