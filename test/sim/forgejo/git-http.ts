import type { IncomingMessage, ServerResponse } from 'node:http';
import { inTurn, isPush, runBackend } from '../shared/git-backend.ts';
import { accessOf, hasAccess, identify } from './access.ts';
import { readBranches } from './git.ts';
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
  const { gitDir } = git.repo;
  const serve = (): Promise<void> =>
    runBackend(req, res, { gitDir, rest: git.rest, query: git.query, user: user?.login ?? null });
  if (user === null || git.rest !== '/git-receive-pack') await serve();
  else
    await inTurn(gitDir, async () => {
      const before = await readBranches(gitDir);
      await serve();
      await applyPush(world, git.repo, refUpdates(before, await readBranches(gitDir)), user);
    });
  res.end();
};
