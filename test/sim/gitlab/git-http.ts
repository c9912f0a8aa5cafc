import { mkdir, writeFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { readBranches } from '../forgejo/git.ts';
import { inTurn, isPush, runBackend } from '../shared/git-backend.ts';
import { type Identity, identifyGit, mayAct, mayRead } from './access.ts';
import { projectPath } from './paths.ts';
import { rulesOf } from './protection.ts';
import { applyPush, refUpdates } from './push.ts';
import type { SimProject, SimUser, World } from './world.ts';

export type GitRequest = { readonly project: SimProject; readonly rest: string; readonly query: string };

export const parseGitPath = (world: World, path: string, query: string): GitRequest | null => {
  const match = /^\/(.+?)(?:\.git)?(\/(?:info\/refs|git-upload-pack|git-receive-pack|HEAD|objects\/.*))$/.exec(path);
  if (match === null) return null;
  const name = decodeURIComponent(match[1] ?? '').toLowerCase();
  const project = world.projects.find((candidate) => projectPath(candidate).toLowerCase() === name);
  return project === undefined ? null : { project, rest: match[2] ?? '', query };
};

const hasScope = ({ token }: Identity, push: boolean): boolean => {
  const enough = push ? ['api', 'write_repository'] : ['api', 'read_api', 'read_repository', 'write_repository'];
  return token.scopes.some((scope) => enough.includes(scope));
};

/** Status of the rejection: 401 requests credentials, 403 and 404 as the forge decides. Null when allowed. */
const refusal = (identity: Identity | null | undefined, git: GitRequest): number | null => {
  if (identity === undefined) return 401;
  const push = isPush(git);
  if (identity === null) return push || git.project.visibility === 'private' ? 401 : null;
  if (!hasScope(identity, push)) return 403;
  if (!mayRead(identity.user, git.project)) return 404;
  return push && !mayAct(identity.user, git.project, 30) ? 403 : null;
};

/** GL lib/gitlab/checks/branch_check.rb `protected_branch_push_checks`, in the pre-receive hook: rejects the whole push. */
const protectingHooks = async (user: SimUser, project: SimProject): Promise<string | null> => {
  const { open, closed } = rulesOf(user, project);
  if (closed.length === 0) return null;
  const folder = join(project.gitDir, `hooks-of-${user.id}`);
  await mkdir(folder, { recursive: true });
  const words = 'GitLab: You are not allowed to push code to protected branches on this project.';
  const refs = (patterns: readonly string[]): string => patterns.map((pattern) => `refs/heads/${pattern}`).join('|');
  const taken = open.length === 0 ? '' : `${refs(open)}) ;; `;
  const cases = `case "$ref" in ${taken}${refs(closed)}) echo "${words}" >&2; exit 1;; esac`;
  const script = `#!/bin/sh\nwhile read -r before after ref; do\n${cases}\ndone\n`;
  await writeFile(join(folder, 'pre-receive'), script, { mode: 0o755 });
  return folder;
};

export const serveGit = async (
  world: World,
  git: GitRequest,
  req: IncomingMessage,
  res: ServerResponse,
): Promise<void> => {
  const identity = identifyGit(world, req.headers.authorization);
  const status = refusal(identity, git);
  if (status !== null) {
    res.writeHead(status, { 'www-authenticate': 'Basic realm="GitLab"' }).end();
    return;
  }
  const { gitDir } = git.project;
  const user = identity?.user ?? null;
  const hooks = user === null || !isPush(git) ? null : await protectingHooks(user, git.project);
  const backend = { gitDir, rest: git.rest, query: git.query, user: user?.username ?? null };
  const serve = (): Promise<void> => runBackend(req, res, hooks === null ? backend : { ...backend, hooks });
  if (user === null || git.rest !== '/git-receive-pack') await serve();
  else
    await inTurn(gitDir, async () => {
      const before = await readBranches(gitDir);
      await serve();
      await applyPush(world, git.project, refUpdates(before, await readBranches(gitDir)), user);
    });
  res.end();
};
