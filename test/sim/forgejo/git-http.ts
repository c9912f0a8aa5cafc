import { spawn } from 'node:child_process';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { accessOf, hasAccess, identify } from './access.ts';
import { gitEnvironment, readBranches } from './git.ts';
import { applyPush, refUpdates } from './push.ts';
import type { SimRepo, SimUser, World } from './world.ts';
import { fullName } from './world.ts';

export type GitRequest = { readonly repo: SimRepo; readonly rest: string; readonly query: string };

/** `/{owner}/{repo}.git/…`, the suffix being optional as on the real one. Null: not a git request. */
export const parseGitPath = (world: World, path: string, query: string): GitRequest | null => {
  const match =
    /^\/([^/]+)\/([^/]+?)(?:\.git)?(\/(?:info\/refs|git-upload-pack|git-receive-pack|HEAD|objects\/.*))$/.exec(path);
  if (match === null) return null;
  const name = `${match[1]}/${match[2]}`.toLowerCase();
  const repo = world.repos.find((candidate) => fullName(candidate).toLowerCase() === name);
  return repo === undefined ? null : { repo, rest: match[3] ?? '', query };
};

const isPush = (git: GitRequest): boolean =>
  git.rest === '/git-receive-pack' || git.query.includes('service=git-receive-pack');

/** 401 asks for credentials; 403 and 404 as the forge decides. Null: go on. */
const refusal = (user: SimUser | null | undefined, git: GitRequest): number | null => {
  if (user === undefined) return 401;
  if (isPush(git)) {
    if (user === null) return 401;
    return hasAccess(user, git.repo, 'write') ? null : 403;
  }
  if (accessOf(user, git.repo) !== 'none') return null;
  return user === null ? 401 : 404;
};

const cgiEnvironment = (req: IncomingMessage, git: GitRequest, user: SimUser | null): Record<string, string> => ({
  ...gitEnvironment(),
  GIT_PROJECT_ROOT: git.repo.gitDir,
  GIT_HTTP_EXPORT_ALL: '1',
  PATH_INFO: git.rest,
  QUERY_STRING: git.query,
  REQUEST_METHOD: req.method ?? 'GET',
  CONTENT_TYPE: req.headers['content-type'] ?? '',
  REMOTE_ADDR: '127.0.0.1',
  ...(user === null ? {} : { REMOTE_USER: user.login }),
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

const runBackend = async (
  req: IncomingMessage,
  res: ServerResponse,
  env: Record<string, string>,
): Promise<Buffer[]> => {
  const child = spawn('git', ['http-backend'], { env, stdio: ['pipe', 'pipe', 'ignore'] });
  child.stdin.on('error', () => undefined);
  res.on('close', () => child.kill());
  req.pipe(child.stdin);
  return relay(child, res);
};

/** One push at a time per repository, so that the branches before and after belong to it. */
const pushes = new WeakMap<SimRepo, Promise<unknown>>();

const inTurn = async (repo: SimRepo, task: () => Promise<void>): Promise<void> => {
  const before = pushes.get(repo) ?? Promise.resolve();
  const running = before.then(task, task);
  pushes.set(repo, running);
  await running;
};

export const serveGit = async (
  world: World,
  git: GitRequest,
  req: IncomingMessage,
  res: ServerResponse,
): Promise<void> => {
  const identity = identify(world, req.headers.authorization);
  const user = identity === undefined || identity === null ? identity : identity.user;
  const status = refusal(user, git);
  if (status !== null || user === undefined) {
    res.writeHead(status ?? 401, { 'www-authenticate': 'Basic realm="Gitea"' }).end();
    return;
  }
  const env = cgiEnvironment(req, git, user);
  const serve = async (): Promise<void> => {
    for (const chunk of await runBackend(req, res, env)) res.write(chunk);
  };
  if (user === null || git.rest !== '/git-receive-pack') await serve();
  else
    await inTurn(git.repo, async () => {
      const before = await readBranches(git.repo.gitDir);
      await serve();
      await applyPush(world, git.repo, refUpdates(before, await readBranches(git.repo.gitDir)), user);
    });
  res.end();
};
