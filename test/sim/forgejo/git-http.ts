import { mkdir, writeFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { inTurn, isPush, runBackend } from '../shared/git-backend.ts';
import { accessOf, hasAccess, identify } from './access.ts';
import { readBranches } from './git.ts';
import { applyPush, refUpdates } from './push.ts';
import type { SimRepo, SimUser, World } from './world.ts';
import { fullName } from './world.ts';

export type GitRequest = { readonly repo: SimRepo; readonly rest: string; readonly query: string };

export const parseGitPath = (world: World, path: string, query: string): GitRequest | null => {
  const match =
    /^\/([^/]+)\/([^/]+?)(?:\.git)?(\/(?:info\/refs|git-upload-pack|git-receive-pack|HEAD|objects\/.*))$/.exec(path);
  if (match === null) return null;
  const name = `${match[1]}/${match[2]}`.toLowerCase();
  const repo = world.repos.find((candidate) => fullName(candidate).toLowerCase() === name);
  return repo === undefined ? null : { repo, rest: match[3] ?? '', query };
};

/**
 * Status of the rejection: 401 requests credentials, 404 hides a repository. Null when allowed. Readers may start a push,
 * because `refs/for/…` needs only read access (routers/web/repo/githttp.go of both forges).
 */
const refusal = (user: SimUser | null | undefined, git: GitRequest): number | null => {
  if (user === undefined || (user === null && isPush(git))) return 401;
  if (accessOf(user, git.repo) !== 'none') return null;
  return user === null ? 401 : 404;
};

/** A pre-receive hook for readers that rejects every ref (routers/private/hook_pre_receive.go). */
const refusingHooks = async ({ gitDir }: SimRepo): Promise<string> => {
  const folder = join(gitDir, 'refusing-hooks');
  await mkdir(folder, { recursive: true });
  const script = '#!/bin/sh\necho "User permission denied for writing." >&2\nexit 1\n';
  await writeFile(join(folder, 'pre-receive'), script, { mode: 0o755 });
  return folder;
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
  const mayPush = hasAccess(user, git.repo, 'write');
  const refusing = isPush(git) && !mayPush ? { hooks: await refusingHooks(git.repo) } : {};
  const serve = (): Promise<void> =>
    runBackend(req, res, { gitDir, rest: git.rest, query: git.query, user: user?.login ?? null, ...refusing });
  if (user === null || git.rest !== '/git-receive-pack') await serve();
  else
    await inTurn(gitDir, async () => {
      const before = await readBranches(gitDir);
      await serve();
      await applyPush(world, git.repo, refUpdates(before, await readBranches(gitDir)), user);
    });
  res.end();
};
