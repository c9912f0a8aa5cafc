/** A git server on loopback with the real `git http-backend`. Serves every bare repository below `root` by its path. */
import { spawn } from 'node:child_process';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';

export type GitHttpRequest = {
  readonly repository: string;
  readonly service: 'git-upload-pack' | 'git-receive-pack' | 'other';
  readonly username: string | null;
  readonly password: string | null;
};

export type GitHttpAnswer =
  | { readonly kind: 'allow' }
  /** 401 with a challenge, so that git asks for credentials. */
  | { readonly kind: 'challenge' }
  | { readonly kind: 'not_found' }
  | { readonly kind: 'status'; readonly status: number }
  | { readonly kind: 'redirect'; readonly location: string };

export type GitHttpServer = {
  /** `http://127.0.0.1:PORT`, without a final slash. */
  readonly url: string;
  readonly requests: readonly string[];
  close(): Promise<void>;
};

const BACKEND = ['/usr/bin/git', 'http-backend'] as const;

const parseBasic = (header: string | undefined): Pick<GitHttpRequest, 'username' | 'password'> => {
  const encoded = /^basic (\S+)$/i.exec(header ?? '')?.[1];
  if (encoded === undefined) return { username: null, password: null };
  const [username = '', ...rest] = Buffer.from(encoded, 'base64').toString('utf8').split(':');
  return { username, password: rest.join(':') };
};

const parseRequest = (request: IncomingMessage, url: URL): GitHttpRequest => {
  const repository = /^\/(.+?\.git)(?:\/|$)/.exec(decodeURIComponent(url.pathname))?.[1] ?? '';
  const named = url.searchParams.get('service') ?? url.pathname.split('/').at(-1);
  const service = named === 'git-upload-pack' || named === 'git-receive-pack' ? named : 'other';
  return { repository, service, ...parseBasic(request.headers.authorization) };
};

const cgiEnvironment = (root: string, request: IncomingMessage, url: URL): Record<string, string> => {
  const header = (name: string): string => String(request.headers[name] ?? '');
  return {
    PATH: '/usr/bin:/bin',
    HOME: '/nonexistent',
    GIT_PROJECT_ROOT: root,
    GIT_HTTP_EXPORT_ALL: '1',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_COUNT: '2',
    GIT_CONFIG_KEY_0: 'safe.directory',
    GIT_CONFIG_VALUE_0: '*',
    GIT_CONFIG_KEY_1: 'http.receivepack',
    GIT_CONFIG_VALUE_1: 'true',
    PATH_INFO: decodeURIComponent(url.pathname),
    QUERY_STRING: url.search.slice(1),
    REQUEST_METHOD: request.method ?? 'GET',
    CONTENT_TYPE: header('content-type'),
    HTTP_CONTENT_ENCODING: header('content-encoding'),
    GIT_PROTOCOL: header('git-protocol'),
    REMOTE_USER: 'tester',
    REMOTE_ADDR: '127.0.0.1',
    ...(request.headers['content-length'] === undefined ? {} : { CONTENT_LENGTH: header('content-length') }),
  };
};

/** A CGI program sends its status in a `Status:` header; the body follows the empty line. */
const writeHead = (response: ServerResponse, head: string): void => {
  const headers = head.split(/\r?\n/).map((line) => /^([^:]+):\s*(.*)$/.exec(line));
  for (const match of headers) {
    const [, name = '', value = ''] = match ?? [];
    if (name.toLowerCase() === 'status') response.statusCode = Number.parseInt(value, 10);
    else if (name !== '') response.setHeader(name, value);
  }
};

const runBackend = (root: string, request: IncomingMessage, response: ServerResponse, url: URL): void => {
  const [git, command] = BACKEND;
  const child = spawn(git, [command], { env: cgiEnvironment(root, request, url), stdio: ['pipe', 'pipe', 'ignore'] });
  let pending: Buffer | null = Buffer.alloc(0);
  child.stdin.on('error', () => {});
  request.pipe(child.stdin);
  child.stdout.on('data', (chunk: Buffer) => {
    if (pending === null) {
      response.write(chunk);
      return;
    }
    pending = Buffer.concat([pending, chunk]);
    const end = pending.indexOf('\r\n\r\n');
    if (end < 0) return;
    writeHead(response, pending.subarray(0, end).toString('latin1'));
    response.write(pending.subarray(end + 4));
    pending = null;
  });
  child.once('error', () => response.destroy());
  child.once('close', () => response.end());
};

const respond = (answer: GitHttpAnswer, response: ServerResponse, serve: () => void): void => {
  switch (answer.kind) {
    case 'allow':
      return serve();
    case 'challenge':
      response.writeHead(401, { 'www-authenticate': 'Basic realm="git"' }).end();
      return;
    case 'not_found':
      response.writeHead(404).end();
      return;
    case 'status':
      response.writeHead(answer.status).end();
      return;
    case 'redirect':
      response.writeHead(302, { location: answer.location }).end();
      return;
    default:
      answer satisfies never;
  }
};

/** Serves until `close`. `authorise` decides every request; without it, all requests are allowed. */
export const serveGit = async (settings: {
  readonly root: string;
  readonly authorise?: (request: GitHttpRequest) => GitHttpAnswer;
}): Promise<GitHttpServer> => {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://127.0.0.1');
    requests.push(`${request.method ?? ''} ${url.pathname}${url.search}`);
    const answer = settings.authorise?.(parseRequest(request, url)) ?? { kind: 'allow' };
    respond(answer, response, () => runBackend(settings.root, request, response, url));
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the git server has no port');
  return {
    url: `http://127.0.0.1:${address.port}`,
    requests,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => {
        server.close(resolve);
      });
    },
  };
};
