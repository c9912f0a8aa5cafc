import { createHash } from 'node:crypto';
import { cp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { requireAccess } from './access.ts';
import { findRepo, findUser } from './find.ts';
import { type FileMap, type ObjectFormat, commitTo, initBare, resolveCommit, runGit } from './git.ts';
import { createHook, type NewHook } from './hooks.ts';
import { applyPush } from './push.ts';
import { loseHead } from './pulls.ts';
import { notFound } from './reply.ts';
import type { AccessLevel, SimHook, SimRepo, SimUser, World } from './world.ts';
import { nextId } from './world.ts';
import { type Application, oauthOf, register } from '../shared/oauth.ts';

export type SimAccount = { readonly id: number; readonly login: string; readonly token: string };
export type RepoWish = {
  readonly private?: boolean;
  readonly defaultBranch?: string;
  readonly objectFormat?: ObjectFormat;
};

export type CommitWish = {
  readonly repo: string;
  readonly branch: string;
  /** `null` deletes a file. */
  readonly files: FileMap;
  readonly message: string;
  readonly author: string;
  /** Start of a new branch. Default: the default branch. */
  readonly from?: string;
  /** Replaces the branch's tip by a commit on top of this revision, as a force push. */
  readonly onto?: string;
  readonly objectFormat?: ObjectFormat;
};

const tokenFor = (world: World, login: string): string =>
  createHash('sha1')
    .update(`${login}/${nextId(world, 'token')}`)
    .digest('hex');

export const createToken = (world: World, login: string, scopes: readonly string[] = ['all']): string => {
  const user = findUser(world, login);
  const value = tokenFor(world, login);
  world.tokens.set(value, { value, user, scopes });
  return value;
};

export const createUser = (world: World, wish: { readonly login: string; readonly isAdmin?: boolean }): SimAccount => {
  const { login } = wish;
  const user: SimUser = { id: nextId(world, 'user'), login, isAdmin: wish.isAdmin ?? false, deleted: false };
  world.users.push(user);
  return { id: user.id, login, token: createToken(world, login) };
};

/** `owner` is the only member of its team "Owners". */
export const createOrganization = (world: World, login: string, owner: string): SimUser => {
  const organization = { owners: new Set([findUser(world, owner).id]), hooks: [] };
  const made: SimUser = { id: nextId(world, 'user'), login, isAdmin: false, deleted: false, organization };
  world.users.push(made);
  return made;
};

const newRepo = (world: World, owner: SimUser, name: string, wish: RepoWish & { parent?: SimRepo }): SimRepo => {
  const repo: SimRepo = {
    id: nextId(world, 'repo'),
    owner,
    name,
    private: wish.private ?? false,
    defaultBranch: wish.defaultBranch ?? 'main',
    branchesSince: new Map(),
    protectedBranches: new Set(),
    gitDir: join(world.dataDir, owner.login, `${name}.git`),
    archived: false,
    hasPullRequests: true,
    parent: wish.parent ?? null,
    createdAt: world.clock(),
    collaborators: new Map(),
    pulls: [],
    issues: [],
    hooks: [],
    statuses: [],
    actionRuns: [],
    requiredContexts: new Map(),
    labels: [],
  };
  world.repos.push(repo);
  return repo;
};

export const createRepo = async (world: World, owner: string, name: string, wish: RepoWish = {}): Promise<SimRepo> => {
  const repo = newRepo(world, findUser(world, owner), name, wish);
  await initBare(repo.gitDir, repo.defaultBranch, wish.objectFormat);
  return repo;
};

export const forkRepo = async (world: World, source: string, owner: string): Promise<SimRepo> => {
  const parent = findRepo(world, source);
  const wish = { private: parent.private, defaultBranch: parent.defaultBranch, parent };
  const fork = newRepo(world, findUser(world, owner), parent.name, wish);
  await cp(parent.gitDir, fork.gitDir, { recursive: true });
  return fork;
};

export const createIssue = (
  world: World,
  wish: { readonly repo: string; readonly as: string; readonly title: string; readonly body: string },
): number => {
  const repo = findRepo(world, wish.repo);
  const number = repo.pulls.length + repo.issues.length + 1;
  const { title, body } = wish;
  const author = findUser(world, wish.as);
  repo.issues.push({ id: nextId(world, 'pull'), number, author, title, body, createdAt: world.clock() });
  return number;
};

/** Pull requests whose head is in the deleted fork are closed; they keep their commits and lose `head.repo`. */
export const deleteRepo = async (world: World, name: string): Promise<void> => {
  const repo = findRepo(world, name);
  world.repos.splice(world.repos.indexOf(repo), 1);
  for (const pull of world.repos.flatMap((other) => other.pulls)) {
    if (pull.headRepo !== repo) continue;
    pull.headRepo = null;
    loseHead(world, pull, repo.owner);
  }
  await rm(repo.gitDir, { recursive: true, force: true });
};

export const addCollaborator = (world: World, repo: string, login: string, level: AccessLevel): void => {
  findRepo(world, repo).collaborators.set(findUser(world, login).id, level);
};

export const addWebhook = (
  world: World,
  wish: Partial<NewHook> & { readonly repo: string; readonly url: string },
): SimHook => {
  const { repo, url } = wish;
  const events = wish.events ?? ['push', 'pull_request'];
  return createHook(world, findRepo(world, repo), {
    url,
    events,
    secret: wish.secret ?? '',
    contentType: wish.contentType ?? 'json',
  });
};

/** For all projects of the organisation, in addition to their own hooks (forges.md 4.4). */
export const addOrganizationWebhook = (
  world: World,
  wish: Partial<NewHook> & { readonly organization: string; readonly url: string },
): SimHook => {
  const { organization } = findUser(world, wish.organization);
  if (organization === undefined) throw notFound();
  const { url, events = ['push', 'pull_request'], secret = '', contentType = 'json' } = wish;
  return createHook(world, organization, { url, events, secret, contentType });
};

/** Requires contexts on a branch, as names or patterns. */
export const requireContexts = (
  world: World,
  wish: { readonly repo: string; readonly branch: string; readonly contexts: readonly string[] },
): void => {
  const repo = findRepo(world, wish.repo);
  repo.protectedBranches.add(wish.branch);
  repo.requiredContexts.set(wish.branch, wish.contexts);
};

export const archiveRepo = (world: World, repo: string): void => {
  findRepo(world, repo).archived = true;
};

/** Creates a commit and treats it as a push by its author. Returns the new SHA. */
export const commitFiles = async (world: World, wish: CommitWish): Promise<string> => {
  const repo = findRepo(world, wish.repo);
  const author = findUser(world, wish.author);
  requireAccess(author, repo, 'write');
  const before = await resolveCommit(repo.gitDir, `refs/heads/${wish.branch}`);
  const start = wish.from ?? `refs/heads/${repo.defaultBranch}`;
  const parent =
    wish.onto === undefined
      ? (before ?? (await resolveCommit(repo.gitDir, start)))
      : await resolveCommit(repo.gitDir, wish.onto);
  const after = await commitTo({
    gitDir: repo.gitDir,
    branch: wish.branch,
    parents: parent === null ? [] : [parent],
    files: wish.files,
    message: wish.message,
    author: { name: author.login, email: `${author.login}@noreply.localhost` },
    atMs: world.clock(),
  });
  await applyPush(world, repo, [{ branch: wish.branch, before, after }], author);
  return after;
};

/** Moves a branch to any commit, also back and forth. `null` deletes the branch. */
export const moveBranch = async (
  world: World,
  wish: { readonly repo: string; readonly branch: string; readonly to: string | null; readonly as: string },
): Promise<void> => {
  const repo = findRepo(world, wish.repo);
  const ref = `refs/heads/${wish.branch}`;
  const before = await resolveCommit(repo.gitDir, ref);
  const after = wish.to === null ? null : await resolveCommit(repo.gitDir, wish.to);
  if (after === null && wish.to !== null) throw notFound();
  await runGit(repo.gitDir, after === null ? ['update-ref', '-d', ref] : ['update-ref', ref, after]);
  await applyPush(world, repo, [{ branch: wish.branch, before, after }], findUser(world, wish.as));
};

export const renameUser = (world: World, login: string, to: string): void => {
  findUser(world, login).login = to;
};

export const revokeToken = (world: World, token: string): void => void world.tokens.delete(token);

export const removeUser = (world: World, login: string): void => {
  findUser(world, login).deleted = true;
};

/** An application that people log in with. */
export const registerApplication = (world: World, redirectUri: string): Application => register(world, redirectUri);

/** Whose browser comes to log in to an application. Null: a person who refuses it. */
export const visitAs = (world: World, login: string | null): void => {
  oauthOf(world).visitor = login;
};
