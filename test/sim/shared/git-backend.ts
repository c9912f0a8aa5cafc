/** Git over HTTP for any simulated forge, by `git http-backend`. */
import { spawn } from 'node:child_process';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { gitEnvironment } from '../forgejo/git.ts';

export type BackendRequest = {
  readonly gitDir: string;
  readonly rest: string;
  readonly query: string;
  readonly user: string | null;
  /** A folder with a `pre-receive` hook that rejects pushes with a reason. */
  readonly hooks?: string;
};

export const isPush = (request: Pick<BackendRequest, 'rest' | 'query'>): boolean =>
  request.rest === '/git-receive-pack' || request.query.includes('service=git-receive-pack');

const cgiEnvironment = (req: IncomingMessage, git: BackendRequest): Record<string, string> => ({
  ...gitEnvironment(),
  GIT_PROJECT_ROOT: git.gitDir,
  GIT_HTTP_EXPORT_ALL: '1',
  PATH_INFO: git.rest,
  QUERY_STRING: git.query,
  REQUEST_METHOD: req.method ?? 'GET',
  CONTENT_TYPE: req.headers['content-type'] ?? '',
  REMOTE_ADDR: '127.0.0.1',
  ...(git.user === null ? {} : { REMOTE_USER: git.user }),
  // Continues the numbering after the one setting of `gitEnvironment`.
  ...(git.hooks === undefined
    ? {}
    : { GIT_CONFIG_COUNT: '2', GIT_CONFIG_KEY_1: 'core.hooksPath', GIT_CONFIG_VALUE_1: git.hooks }),
  ...(typeof req.headers['content-encoding'] === 'string'
    ? { HTTP_CONTENT_ENCODING: req.headers['content-encoding'] }
    : {}),
  ...(typeof req.headers['git-protocol'] === 'string' ? { GIT_PROTOCOL: req.headers['git-protocol'] } : {}),
});

const writeHead = (res: ServerResponse, head: string): void => {
  let status = 200;
  for (const line of head.split('\r\n')) {
    const colon = line.indexOf(':');
    if (colon < 0) continue;
    const name = line.slice(0, colon);
    const value = line.slice(colon + 1).trim();
    if (name.toLowerCase() === 'status') status = Number.parseInt(value, 10);
    else res.setHeader(name, value);
  }
  res.writeHead(status);
};

const relay = (child: ReturnType<typeof spawn>, res: ServerResponse): Promise<Buffer[]> =>
  new Promise((resolve, reject) => {
    let pending: Buffer | null = Buffer.alloc(0);
    const held: Buffer[] = [];
    child.stdout?.on('data', (chunk: Buffer) => {
      if (pending === null) return void held.push(chunk);
      pending = Buffer.concat([pending, chunk]);
      const end = pending.indexOf('\r\n\r\n');
      if (end < 0) return undefined;
      writeHead(res, pending.subarray(0, end).toString('latin1'));
      held.push(pending.subarray(end + 4));
      pending = null;
      return undefined;
    });
    child.on('error', reject);
    child.on('close', () => resolve(held));
  });

/** Writes git's output into the response, but does not end the response. */
export const runBackend = async (req: IncomingMessage, res: ServerResponse, git: BackendRequest): Promise<void> => {
  const env = cgiEnvironment(req, git);
  const child = spawn('git', ['http-backend'], { env, stdio: ['pipe', 'pipe', 'ignore'] });
  child.stdin.on('error', () => undefined);
  res.on('close', () => child.kill());
  req.pipe(child.stdin);
  for (const chunk of await relay(child, res)) res.write(chunk);
};

/** Runs one push at a time per repository, so that the branches before and after belong to it. */
const pushes = new Map<string, Promise<unknown>>();

export const inTurn = async (gitDir: string, task: () => Promise<void>): Promise<void> => {
  const before = pushes.get(gitDir) ?? Promise.resolve();
  const running = before.then(task, task);
  pushes.set(gitDir, running);
  await running.finally(() => {
    if (pushes.get(gitDir) === running) pushes.delete(gitDir);
  });
};
