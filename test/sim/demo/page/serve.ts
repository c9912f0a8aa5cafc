/** Serves the demo's pages on loopback. The only thing that a request can cause is a kill, and only from the page itself. */
import { randomBytes, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as readText } from 'node:stream/consumers';
import type { DemoState } from './demo-state.ts';
import { isKilling, isPlaying } from './demo-state.ts';
import { killPage } from './kill-page.ts';
import { demoScript } from './script.ts';
import { stepPage } from './step-page.ts';

export type DemoServer = { readonly url: string; readonly close: () => Promise<void> };

export type DemoServerOptions = {
  readonly port?: number;
  readonly state: () => DemoState;
  /** Contract: begins a kill and returns at once. */
  readonly kill: () => void;
};

type Answer = {
  readonly status: number;
  readonly type?: 'text/html' | 'text/javascript' | 'text/plain';
  readonly body: string;
  readonly location?: string;
};

type Site = Pick<DemoServerOptions, 'state' | 'kill'> & { readonly token: string; readonly port: number };

/** No other site can be asked for anything, and none can frame the page. */
const HEADERS = {
  'content-security-policy':
    "default-src 'none'; style-src 'unsafe-inline'; script-src 'self'; connect-src 'self'; img-src data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  // With `no-referrer` a browser would send the origin `null` with the form.
  'referrer-policy': 'same-origin',
  'cache-control': 'no-store',
} as const;

const MAX_BODY_BYTES = 4_096;

const refuse = (status: number, body: string): Answer => ({ status, type: 'text/plain', body: `${body}\n` });
const html = (body: string): Answer => ({ status: 200, type: 'text/html', body });
const moved = (location: string): Answer => ({ status: 303, body: '', location });

/** Another name for this machine's loopback would let a foreign page read this one (DNS rebinding). */
const isOwnHost = ({ headers }: IncomingMessage, port: number): boolean =>
  headers.host === `127.0.0.1:${port}` || headers.host === `localhost:${port}`;

const isOwnOrigin = ({ headers }: IncomingMessage): boolean =>
  headers.origin === undefined || headers.origin === `http://${headers.host}`;

const isToken = (given: string, token: string): boolean => {
  const [one, other] = [Buffer.from(given), Buffer.from(token)];
  return one.length === other.length && timingSafeEqual(one, other);
};

const postKill = async (request: IncomingMessage, { state, kill, token }: Site): Promise<Answer> => {
  if (!isOwnOrigin(request)) return refuse(403, 'this request does not come from the page of the demo');
  const length = Number(request.headers['content-length'] ?? Number.NaN);
  if (!(length <= MAX_BODY_BYTES)) return refuse(413, `the body must have a length of at most ${MAX_BODY_BYTES} bytes`);
  const given = new URLSearchParams(await readText(request)).get('token') ?? '';
  if (!isToken(given, token)) return refuse(403, 'the token is wrong: reload the page');
  const now = state();
  if (isPlaying(now)) return refuse(409, 'the story is still being played');
  if (isKilling(now)) return refuse(409, 'the poster is being killed already');
  if (now.killsLeft === 0) return refuse(409, 'the poster was killed often enough: start the demo again');
  kill();
  return moved('/kill');
};

const getPage = (path: string, { state, token }: Site): Answer => {
  const now = state();
  if (path === '/') return html(stepPage(now, 0));
  if (path === '/demo.js') return { status: 200, type: 'text/javascript', body: demoScript };
  if (path === '/kill') return isPlaying(now) ? moved('/') : html(killPage(now, token));
  const step = Number(/^\/step\/([1-9]\d?)$/.exec(path)?.[1]);
  return step <= now.names.length ? html(stepPage(now, step - 1)) : refuse(404, 'there is no such page');
};

const answerTo = async (request: IncomingMessage, site: Site): Promise<Answer> => {
  if (!isOwnHost(request, site.port)) return refuse(421, 'this is not the address of the demo');
  const { pathname } = new URL(request.url ?? '/', 'http://demo');
  if (request.method === 'GET' || request.method === 'HEAD') return getPage(pathname, site);
  if (request.method === 'POST' && pathname === '/kill') return postKill(request, site);
  return refuse(405, 'only GET, and POST of /kill');
};

const send = (response: ServerResponse, { status, type = 'text/plain', body, location }: Answer): void => {
  const headers = {
    ...HEADERS,
    'content-type': `${type}; charset=utf-8`,
    ...(location === undefined ? {} : { location }),
  };
  response.writeHead(status, headers).end(body);
};

const fail = (response: ServerResponse, error: unknown): void => {
  process.stderr.write(
    `the page of the demo: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`,
  );
  if (!response.headersSent) send(response, refuse(500, 'this page could not be shown'));
};

/** Contract: the caller closes it. @throws when the port is taken */
export const serveDemo = async ({ port = 0, ...options }: DemoServerOptions): Promise<DemoServer> => {
  const token = randomBytes(24).toString('hex');
  const server = createServer((request, response) => {
    // Safe cast: a server that listens on TCP has an address of this type.
    const site = { ...options, token, port: (server.address() as AddressInfo).port };
    answerTo(request, site).then(
      (answer) => send(response, answer),
      (error: unknown) => fail(response, error),
    );
  });
  server.requestTimeout = 10_000;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, '127.0.0.1', resolve);
  });
  const { port: bound } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${bound}/`,
    close: async () => {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
};
