import { createHash } from 'node:crypto';
import { appendFile, cp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { commitTo, type FileMap, initBare, resolveCommit, runGit } from '../forgejo/git.ts';
import { requireLevel } from './access.ts';
import { GitlabRefusal, notFound } from './errors.ts';
import { findGroup, findProject, findUser } from './find.ts';
import { createHook, type NewHook } from './hooks.ts';
import { applyPush, tipOf } from './push.ts';
import { nextId } from './log.ts';
import { projectPath } from './paths.ts';
import type { AccessLevel, Scope, SimGroup, SimHook, SimProject, SimUser, SystemHookFlag, World } from './world.ts';
import { type Application, oauthOf, register } from '../shared/oauth.ts';

export type SimAccount = { readonly id: number; readonly login: string; readonly token: string };

export type CommitWish = {
  readonly project: string;
  readonly branch: string;
  /** `null` deletes a file. */
  readonly files: FileMap;
  readonly message: string;
  readonly author: string;
  /** Start of a new branch. Default: the default branch. */
  readonly from?: string;
  /** Replaces the branch's tip by a commit on top of this revision, as a force push. */
  readonly onto?: string;
};

const newToken = (world: World, user: SimUser, scopes: readonly Scope[]): string => {
  const value = createHash('sha256')
    .update(`${user.username}/${nextId(world, 'token')}`)
    .digest('hex')
    .slice(0, 40);
  world.tokens.set(value, { value, user, scopes, expiresOn: null, revoked: false });
  return value;
};

export const createToken = (world: World, username: string, scopes: readonly Scope[] = ['api']): string =>
  newToken(world, findUser(world, username), scopes);

const newUser = (world: World, wish: Omit<SimUser, 'id' | 'deleted'>): SimUser => {
  const user: SimUser = { ...wish, id: nextId(world, 'user'), deleted: false };
  world.users.push(user);
  return user;
};

export const createUser = (
  world: World,
  wish: { readonly login: string; readonly name?: string; readonly isAdmin?: boolean },
): SimAccount => {
  const { login, name = login, isAdmin = false } = wish;
  const user = newUser(world, { username: login, name, isAdmin, botOf: null });
  return { id: user.id, login, token: newToken(world, user, ['api']) };
};

/** `a/b` creates `b` inside the existing group `a`. */
export const createGroup = (world: World, path: string): SimGroup => {
  const at = path.lastIndexOf('/');
  const parent = at < 0 ? null : findGroup(world, path.slice(0, at));
  const id = nextId(world, 'group');
  const group: SimGroup = { kind: 'group', id, path: path.slice(at + 1), parent, members: new Map(), hooks: [] };
  world.groups.push(group);
  return group;
};

const namespaceAt = (world: World, path: string): SimGroup | SimUser => {
  try {
    return findGroup(world, path);
  } catch {
    return findUser(world, path);
  }
};

export type ProjectWish = { readonly visibility?: 'private' | 'public'; readonly defaultBranch?: string };
type NewProject = ProjectWish & { readonly forkedFrom?: SimProject };

const newProject = (world: World, namespace: SimGroup | SimUser, path: string, wish: NewProject): SimProject => {
  const id = nextId(world, 'project');
  const project: SimProject = {
    kind: 'project',
    id,
    path,
    namespace,
    visibility: wish.visibility ?? 'private',
    defaultBranch: wish.defaultBranch ?? 'main',
    gitDir: join(world.dataDir, `${id}.git`),
    archived: false,
    mergeRequestsEnabled: true,
    forkedFrom: wish.forkedFrom ?? null,
    createdAt: world.clock(),
    members: new Map(),
    mergeRequests: [],
    issues: [],
    hooks: [],
    labels: [],
    pipelines: [],
    statuses: [],
    resetApprovalsOnPush: world.edition === 'ee',
    premium: world.premium,
    authorMayApprove: false,
    approvalsRequired: 0,
    // GL default_branch_protection: maintainers may push and merge.
    protectedBranches: [{ pattern: wish.defaultBranch ?? 'main', push: 40, merge: 40 }],
    ci: null,
    pipelinesMustSucceed: false,
    maxJobsInPipeline: null,
    skippedPipelinesPass: false,
  };
  world.projects.push(project);
  return project;
};

/** Merge request refs cannot be pushed; any SHA can be fetched (forges.md 3.2, set by `initBare`). */
const hideRefs = '[receive]\n\thideRefs = refs/merge-requests\n';

/** Path `group/sub/name`; the namespace is an existing group or user. */
export const createProject = async (world: World, path: string, wish: ProjectWish = {}): Promise<SimProject> => {
  const at = path.lastIndexOf('/');
  const project = newProject(world, namespaceAt(world, path.slice(0, at)), path.slice(at + 1), wish);
  await initBare(project.gitDir, project.defaultBranch);
  await appendFile(join(project.gitDir, 'config'), hideRefs);
  return project;
};

export const createIssue = (
  world: World,
  wish: {
    readonly project: string;
    readonly as: string;
    readonly title: string;
    readonly description: string;
    readonly confidential?: boolean;
  },
): number => {
  const { issues } = findProject(world, wish.project);
  const { title, description, confidential = false } = wish;
  const author = findUser(world, wish.as);
  const iid = issues.length + 1;
  issues.push({ id: nextId(world, 'issue'), iid, author, title, description, confidential, createdAt: world.clock() });
  return iid;
};

export const forkProject = async (world: World, source: string, namespace: string): Promise<SimProject> => {
  const forkedFrom = findProject(world, source);
  const { visibility, defaultBranch, path } = forkedFrom;
  const fork = newProject(world, namespaceAt(world, namespace), path, { visibility, defaultBranch, forkedFrom });
  await cp(forkedFrom.gitDir, fork.gitDir, { recursive: true });
  return fork;
};

/** Merge requests from a deleted fork keep their commits, but lose `source` (forges.md 2.4). */
export const deleteProject = async (world: World, path: string): Promise<void> => {
  const project = findProject(world, path);
  world.projects.splice(world.projects.indexOf(project), 1);
  for (const mr of world.projects.flatMap((other) => other.mergeRequests))
    if (mr.sourceProject === project) mr.sourceProject = null;
  await rm(project.gitDir, { recursive: true, force: true });
};

export const renameProject = (world: World, path: string, to: string): void => {
  findProject(world, path).path = to;
};

export const archiveProject = (world: World, path: string): void => {
  findProject(world, path).archived = true;
};

/** `path`: of a project or group. A bot can only belong where its token was created (forges.md 3.1). */
export const addMember = (world: World, path: string, username: string, level: AccessLevel): void => {
  const user = findUser(world, username);
  const place = placeAt(world, path);
  if (user.botOf !== null && user.botOf !== place)
    throw new GitlabRefusal(400, { message: { base: ['Invalid user'] } });
  place.members.set(user.id, level);
};

const placeAt = (world: World, path: string): SimProject | SimGroup => {
  try {
    return findProject(world, path);
  } catch {
    return findGroup(world, path);
  }
};

export type TokenWish = { readonly level?: AccessLevel; readonly scopes?: readonly Scope[] };

const createBot = (world: World, place: SimProject | SimGroup, wish: TokenWish): SimAccount => {
  const random = Array.from({ length: 32 }, () => Math.floor(world.random() * 16).toString(16)).join('');
  const username = `${place.kind}_${place.id}_bot_${random}`;
  const user = newUser(world, { username, name: `${place.kind} bot`, isAdmin: false, botOf: place });
  place.members.set(user.id, wish.level ?? 30);
  return { id: user.id, login: username, token: newToken(world, user, wish.scopes ?? ['api']) };
};

/** A new token creates a new bot user `project_<id>_bot_…` (forges.md 3.1). */
export const createProjectAccessToken = (world: World, project: string, wish: TokenWish = {}): SimAccount =>
  createBot(world, findProject(world, project), wish);

export const createGroupAccessToken = (world: World, group: string, wish: TokenWish = {}): SimAccount =>
  createBot(world, findGroup(world, group), wish);

/** The bot user stays the same; the old token becomes invalid (forges.md 3.1). */
export const rotateToken = (world: World, value: string): string => {
  const token = world.tokens.get(value);
  if (token === undefined) throw notFound('Token');
  token.revoked = true;
  return newToken(world, token.user, token.scopes);
};

export const revokeToken = (world: World, value: string): void => {
  const token = world.tokens.get(value);
  if (token !== undefined) token.revoked = true;
};

export const renameUser = (world: World, username: string, to: string): void => {
  findUser(world, username).username = to;
};

/** What the account wrote moves to the ghost user (forges.md 3.1). */
export const removeUser = (world: World, username: string): void => {
  findUser(world, username).deleted = true;
};

const everything = ['push_events', 'merge_requests_events', 'note_events', 'pipeline_events', 'emoji_events'] as const;

export type HookWish = Partial<Omit<NewHook, 'url'>> & { readonly url: string };

/** Default events: all except confidential notes, which have their own checkbox. */
export const addProjectHook = (world: World, wish: HookWish & { readonly project: string }): SimHook =>
  createHook(world, findProject(world, wish.project), { events: everything, ...wish });

/** Premium only (forges.md 2.3). */
export const addGroupHook = (world: World, wish: HookWish & { readonly group: string }): SimHook => {
  if (world.edition === 'ce') throw notFound('Group');
  return createHook(world, findGroup(world, wish.group), { events: everything, ...wish });
};

/** Default event: `repository_update` (GL app/models/hooks/system_hook.rb). */
export const addSystemHook = (
  world: World,
  wish: Omit<HookWish, 'events'> & { readonly events?: readonly SystemHookFlag[] },
): SimHook => createHook(world, world.instance, { ...wish, events: wish.events ?? ['repository_update_events'] });

const parentFor = (project: SimProject, wish: CommitWish, before: string | null): Promise<string | null> => {
  if (wish.onto !== undefined) return resolveCommit(project.gitDir, wish.onto);
  if (before !== null) return Promise.resolve(before);
  return resolveCommit(project.gitDir, wish.from ?? `refs/heads/${project.defaultBranch}`);
};

/** Creates a commit and treats it as a push by its author. Returns the new SHA. */
export const commitFiles = async (world: World, wish: CommitWish): Promise<string> => {
  const project = findProject(world, wish.project);
  const author = findUser(world, wish.author);
  requireLevel(author, project, 30);
  const before = await tipOf(project, wish.branch);
  const parent = await parentFor(project, wish, before);
  const after = await commitTo({
    gitDir: project.gitDir,
    branch: wish.branch,
    parents: parent === null ? [] : [parent],
    files: wish.files,
    message: wish.message,
    author: { name: author.name, email: `${author.username}@noreply.localhost` },
    atMs: world.clock(),
  });
  await applyPush(world, project, [{ branch: wish.branch, before, after }], author);
  return after;
};

export type BranchMove = { readonly branch: string; readonly to: string | null };

/** Moves branches to any commits in one push, also back and forth. `null` deletes a branch. */
export const moveBranches = async (
  world: World,
  wish: { readonly project: string; readonly moves: readonly BranchMove[]; readonly as: string },
): Promise<void> => {
  const project = findProject(world, wish.project);
  const updates = [];
  for (const { branch, to } of wish.moves) {
    const before = await tipOf(project, branch);
    const after = to === null ? null : await resolveCommit(project.gitDir, to);
    if (after === null && to !== null) throw notFound('Commit');
    const ref = `refs/heads/${branch}`;
    await runGit(project.gitDir, after === null ? ['update-ref', '-d', ref] : ['update-ref', ref, after]);
    updates.push({ branch, before, after });
  }
  await applyPush(world, project, updates, findUser(world, wish.as));
};

export const moveBranch = (
  world: World,
  wish: { readonly project: string; readonly as: string } & BranchMove,
): Promise<void> =>
  moveBranches(world, { project: wish.project, as: wish.as, moves: [{ branch: wish.branch, to: wish.to }] });

export const pathOf = (world: World, id: number): string => projectPath(findProject(world, String(id)));

/** An application that people log in with. */
export const registerApplication = (world: World, redirectUri: string): Application => register(world, redirectUri);

/** Whose browser comes to log in to an application. Null: a person who refuses it. */
export const visitAs = (world: World, login: string | null): void => {
  oauthOf(world).visitor = login;
};
