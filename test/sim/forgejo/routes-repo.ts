import { z } from 'zod';
import { accessOf, hasAccess } from './access.ts';
import { bodyOf, type Call, numberParam, param, type Route, repoOf, signedIn, text } from './call.ts';
import { findUser, isListedBranch } from './find.ts';
import { readBranches, resolveCommit, runGitBytes, SimGitError } from './git.ts';
import { addHook, changeHook, HookWish } from './hooks.ts';
import { paged } from './paging.ts';
import { forbidden, json, notFound, type Reply } from './reply.ts';
import { hookJson, isoTime, labelJson, userJson } from './represent.ts';
import { nextId, type SimRepo, type SimUser } from './world.ts';

const base = (repo: SimRepo): string => `/repos/${repo.owner.login}/${repo.name}`;

/** Only the project's admins may ask about other users (Forgejo routers/api/v1/repo/collaborators.go, design 9). */
const permission = (call: Call): Reply => {
  const repo = repoOf(call);
  const asker = signedIn(call);
  const about = findUser(call.world, param(call, 'collaborator'));
  if (about.id !== asker.id && !hasAccess(asker, repo, 'admin'))
    throw forbidden(
      'Only admins can query all permissions, repo admins can query all repo permissions, collaborators can query only their own',
    );
  const level = accessOf(about, repo);
  return json(200, { permission: level, role_name: level, user: userJson(call.world, about) });
};

const assignees = (call: Call): Reply => {
  const repo = repoOf(call);
  const able = call.world.users.filter((user) => !user.deleted && hasWrite(user, repo));
  return json(
    200,
    able.map((user) => userJson(call.world, user)),
  );
};

// A site admin may write everywhere, but is not listed (Forgejo models/repo/user_repo.go GetRepoAssignees).
const hasWrite = (user: SimUser, repo: SimRepo): boolean =>
  user.id === repo.owner.id || ['write', 'admin'].includes(repo.collaborators.get(user.id) ?? '');

const branchJson = (
  call: Call,
  repo: SimRepo,
  { name, sha }: { readonly name: string; readonly sha: string },
): Record<string, unknown> => ({
  name,
  commit: { id: sha, message: '', url: '', timestamp: isoTime(call.world.clock()) },
  protected: repo.protectedBranches.has(name),
  required_approvals: 0,
  enable_status_check: repo.requiredContexts.has(name),
  status_check_contexts: repo.requiredContexts.get(name) ?? [],
  user_can_push: true,
  user_can_merge: true,
  effective_branch_protection_name: '',
});

const branches = async (call: Call): Promise<Reply> => {
  const repo = repoOf(call);
  const listed = [...(await readBranches(repo.gitDir))].filter(([name]) => isListedBranch(call.world, repo, name));
  const all = listed.map(([name, sha]) => branchJson(call, repo, { name, sha }));
  return all.length === 0 ? json(200, null) : paged(call, `${base(repo)}/branches`, all);
};

const branch = async (call: Call): Promise<Reply> => {
  const name = param(call, 'branch');
  const repo = repoOf(call);
  const sha = (await readBranches(repo.gitDir)).get(name);
  if (sha === undefined || !isListedBranch(call.world, repo, name)) throw notFound();
  return json(200, branchJson(call, repo, { name, sha }));
};

const fileAt = async (call: Call): Promise<{ bytes: Buffer; path: string }> => {
  const repo = repoOf(call);
  const path = param(call, 'filepath');
  const commit = await resolveCommit(repo.gitDir, call.query.get('ref') ?? `refs/heads/${repo.defaultBranch}`);
  if (commit === null) throw notFound();
  try {
    return { bytes: await runGitBytes(repo.gitDir, ['cat-file', 'blob', `${commit}:${path}`]), path };
  } catch (error) {
    if (error instanceof SimGitError) throw notFound();
    throw error;
  }
};

const contents = async (call: Call): Promise<Reply> => {
  const { bytes, path } = await fileAt(call);
  const content = bytes.toString('base64');
  return json(200, {
    name: path.split('/').at(-1),
    path,
    type: 'file',
    size: bytes.length,
    encoding: 'base64',
    content,
  });
};

const createRepoHook = (call: Call): Reply => {
  const repo = repoOf(call, 'admin');
  return json(201, hookJson(addHook(call.world, repo, bodyOf(call, HookWish))));
};

const editHook = (call: Call): Reply => {
  const repo = repoOf(call, 'admin');
  const hook = repo.hooks.find(({ id }) => id === numberParam(call, 'id'));
  if (hook === undefined) throw notFound();
  changeHook(call.world, hook, bodyOf(call, HookWish.partial()));
  return json(200, hookJson(hook));
};

const addLabel = (call: Call): Reply => {
  const repo = repoOf(call, 'write');
  const { name, color } = bodyOf(call, z.object({ name: text, color: text }));
  const label = { id: nextId(call.world, 'label'), name, color: color.replace('#', '') };
  repo.labels.push(label);
  return json(201, labelJson(call.world, repo, label));
};

const at = (path: string): string => `/repos/{owner}/{repo}${path}`;
const listHooks = (call: Call): Reply => {
  const repo = repoOf(call, 'admin');
  return paged(call, `${base(repo)}/hooks`, repo.hooks.map(hookJson));
};
const listLabels = (call: Call): Reply => {
  const repo = repoOf(call);
  const labels = repo.labels.map((label) => labelJson(call.world, repo, label));
  return paged(call, `${base(repo)}/labels`, labels);
};
const raw = async (call: Call): Promise<Reply> => ({ status: 200, text: (await fileAt(call)).bytes.toString('utf8') });

export const repoRoutes: readonly Route[] = [
  { method: 'GET', path: at('/collaborators/{collaborator}/permission'), category: 'repository', handle: permission },
  { method: 'GET', path: at('/assignees'), category: 'repository', handle: assignees },
  { method: 'GET', path: at('/branches'), category: 'repository', handle: branches },
  { method: 'GET', path: at('/branches/{branch...}'), category: 'repository', handle: branch },
  { method: 'GET', path: at('/hooks'), category: 'repository', handle: listHooks },
  { method: 'POST', path: at('/hooks'), category: 'repository', handle: createRepoHook },
  { method: 'PATCH', path: at('/hooks/{id}'), category: 'repository', handle: editHook },
  { method: 'GET', path: at('/labels'), category: 'issue', handle: listLabels },
  { method: 'POST', path: at('/labels'), category: 'issue', handle: addLabel },
  { method: 'GET', path: at('/raw/{filepath...}'), category: 'repository', handle: raw },
  { method: 'GET', path: at('/contents/{filepath...}'), category: 'repository', handle: contents },
];
