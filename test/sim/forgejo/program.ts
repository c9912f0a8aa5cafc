/** What a test does to the forge directly, as its users would through the web page. */
import { createHash } from 'node:crypto';
import { cp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { requireAccess } from './access.ts';
import { addComment, deleteComment, editComment } from './comments.ts';
import { findComment, findPull, findRepo, findUser } from './find.ts';
import { type FileMap, initBare, resolveCommit, runGit, writeCommit } from './git.ts';
import { fireComment } from './hook-payloads.ts';
import { createHook, type NewHook } from './hooks.ts';
import { mergePull } from './merge.ts';
import { editPull, openPull, type PullEdit, setPullState } from './pulls.ts';
import { applyPush } from './push.ts';
import { notFound } from './reply.ts';
import { requestReview, withdrawRequest } from './reviewers.ts';
import { insertCodeComment, reviewStateFor, submitReview } from './reviews.ts';
import { createStatus } from './statuses.ts';
import type { AccessLevel, SimHook, SimPull, SimRepo, SimUser, World } from './world.ts';
import { fullName, nextId } from './world.ts';

export type SimAccount = { readonly id: number; readonly login: string; readonly token: string };
export type RepoWish = { readonly private?: boolean; readonly defaultBranch?: string };

/** Where something happens: full repository name and pull request number. */
export type PullAt = { readonly repo: string; readonly number: number };
export type PersonAt = PullAt & { readonly as: string };

export type PullWish = {
  readonly repo: string;
  readonly head: string;
  readonly base?: string;
  readonly title: string;
  readonly body?: string;
  readonly author: string;
  /** Full name of the fork that holds `head`; default: the repository itself. */
  readonly headRepo?: string;
  readonly agit?: boolean;
};

export type CommitWish = {
  readonly repo: string;
  readonly branch: string;
  /** `null` deletes a file. */
  readonly files: FileMap;
  readonly message: string;
  readonly author: string;
  /** Where a new branch starts; default: the default branch. */
  readonly from?: string;
  /** Replaces the branch's tip by a commit on this revision: a force push. */
  readonly onto?: string;
};

export type ReviewWish = PersonAt & {
  readonly event: string;
  readonly body?: string;
  readonly comments?: readonly {
    readonly path: string;
    readonly line: number;
    readonly side?: 'new' | 'old';
    readonly body: string;
  }[];
};

export type StatusWish = {
  readonly repo: string;
  readonly sha: string;
  readonly context: string;
  readonly state: string;
  readonly description?: string;
  readonly as: string;
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

const newRepo = (world: World, owner: SimUser, name: string, wish: RepoWish & { parent?: SimRepo }): SimRepo => {
  const repo: SimRepo = {
    id: nextId(world, 'repo'),
    owner,
    name,
    private: wish.private ?? false,
    defaultBranch: wish.defaultBranch ?? 'main',
    gitDir: join(world.dataDir, owner.login, `${name}.git`),
    parent: wish.parent ?? null,
    createdAt: world.clock(),
    collaborators: new Map(),
    pulls: [],
    hooks: [],
    statuses: [],
    labels: [],
  };
  world.repos.push(repo);
  return repo;
};

export const createRepo = async (world: World, owner: string, name: string, wish: RepoWish = {}): Promise<SimRepo> => {
  const repo = newRepo(world, findUser(world, owner), name, wish);
  await initBare(repo.gitDir, repo.defaultBranch);
  return repo;
};

export const forkRepo = async (world: World, source: string, owner: string): Promise<SimRepo> => {
  const parent = findRepo(world, source);
  const wish = { private: parent.private, defaultBranch: parent.defaultBranch, parent };
  const fork = newRepo(world, findUser(world, owner), parent.name, wish);
  await cp(parent.gitDir, fork.gitDir, { recursive: true });
  return fork;
};

/** Pull requests whose head lies in a deleted fork keep their commits, but lose `head.repo` (forges.md 4.3). */
export const deleteRepo = async (world: World, name: string): Promise<void> => {
  const repo = findRepo(world, name);
  world.repos.splice(world.repos.indexOf(repo), 1);
  for (const pull of world.repos.flatMap((other) => other.pulls)) if (pull.headRepo === repo) pull.headRepo = null;
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

/** Writes a commit by plumbing and treats it as a push by its author. Returns the new SHA. */
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
  const after = await writeCommit({
    gitDir: repo.gitDir,
    parents: parent === null ? [] : [parent],
    files: wish.files,
    message: wish.message,
    author: { name: author.login, email: `${author.login}@noreply.localhost` },
    atMs: world.clock(),
  });
  await runGit(repo.gitDir, ['update-ref', `refs/heads/${wish.branch}`, after]);
  await applyPush(world, repo, [{ branch: wish.branch, before, after }], author);
  return after;
};

/** Points a branch at any commit: force pushes and A, B, A, B. `null` deletes the branch. */
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

export const pullAt = (world: World, at: PullAt): SimPull => findPull(findRepo(world, at.repo), at.number);

export const openPullRequest = (world: World, wish: PullWish): Promise<SimPull> => {
  const repo = findRepo(world, wish.repo);
  return openPull(world, {
    repo,
    headRepo: wish.headRepo === undefined ? repo : findRepo(world, wish.headRepo),
    head: wish.head,
    base: wish.base ?? repo.defaultBranch,
    title: wish.title,
    body: wish.body ?? '',
    author: findUser(world, wish.author),
    agit: wish.agit ?? false,
  });
};

export const comment = (world: World, wish: PersonAt & { readonly body: string }): number =>
  addComment(world, pullAt(world, wish), findUser(world, wish.as), wish.body).id;

export const changeComment = (
  world: World,
  wish: { readonly repo: string; readonly id: number; readonly as: string; readonly body: string | null },
): void => {
  const where = findComment(findRepo(world, wish.repo), wish.id);
  const actor = findUser(world, wish.as);
  if (wish.body === null) deleteComment(world, where, actor);
  else editComment(world, where, wish.body, actor);
};

/** A reply typed under an inline comment on the web page: it fires an ordinary comment's hook (forges.md 4.3). */
export const replyInline = async (
  world: World,
  wish: PersonAt & { readonly to: number; readonly body: string },
): Promise<number> => {
  const pull = pullAt(world, wish);
  const parent = pull.comments.find((candidate) => candidate.id === wish.to)?.code;
  if (parent === undefined || parent === null) throw notFound();
  const author = findUser(world, wish.as);
  const place = { path: parent.path, newPosition: Math.max(0, parent.line), oldPosition: Math.max(0, -parent.line) };
  const reply = await insertCodeComment(
    world,
    pull,
    { id: parent.reviewId, author },
    { ...place, body: wish.body, extraLines: 0 },
  );
  fireComment(world, pull, reply, { action: 'created', sender: author });
  return reply.id;
};

/** A review submitted on the web page, inline comments included. Returns its id. */
export const review = async (world: World, wish: ReviewWish): Promise<number> => {
  const pull = pullAt(world, wish);
  const author = findUser(world, wish.as);
  const body = wish.body ?? '';
  const comments = wish.comments ?? [];
  const state = reviewStateFor(world, pull, author, { event: wish.event, body, hasComments: comments.length > 0 });
  // Opens the pending review that the inline comments are put into.
  const pending = submitReview(world, pull, { author, state: 'PENDING', body, commitId: pull.headSha });
  for (const { path, line, side, body: text } of comments) {
    const place = side === 'old' ? { newPosition: 0, oldPosition: line } : { newPosition: line, oldPosition: 0 };
    await insertCodeComment(world, pull, pending, { path, body: text, ...place, extraLines: 0 });
  }
  return state === 'PENDING'
    ? pending.id
    : submitReview(world, pull, { author, state, body, commitId: pull.headSha }).id;
};

export const askReview = (
  world: World,
  wish: PersonAt & { readonly reviewer: string; readonly withdraw?: boolean },
): void => {
  const pull = pullAt(world, wish);
  const ask = wish.withdraw === true ? withdrawRequest : requestReview;
  ask(world, pull, findUser(world, wish.reviewer), findUser(world, wish.as));
};

export const setStatus = async (world: World, wish: StatusWish): Promise<void> => {
  const { sha, context, state, description = '', repo } = wish;
  const creator = findUser(world, wish.as);
  await createStatus(world, findRepo(world, repo), { sha, context, state, description, targetUrl: '', creator });
};

export const editPullRequest = (world: World, wish: PersonAt & PullEdit): Promise<void> => {
  const { title, body, base } = wish;
  const edit = {
    ...(title === undefined ? {} : { title }),
    ...(body === undefined ? {} : { body }),
    ...(base === undefined ? {} : { base }),
  };
  return editPull(world, pullAt(world, wish), edit, findUser(world, wish.as));
};

export const setState = (world: World, wish: PersonAt, state: 'open' | 'closed'): void =>
  setPullState(world, pullAt(world, wish), state, findUser(world, wish.as));

export const merge = (world: World, wish: PersonAt): Promise<void> =>
  mergePull(world, pullAt(world, wish), findUser(world, wish.as));

/** As on the web page: only there can Forgejo resolve a conversation (forges.md 5.3). */
export const resolveThread = (
  world: World,
  wish: PersonAt & { readonly comment: number; readonly resolved: boolean },
): void => {
  const found = pullAt(world, wish).comments.find((candidate) => candidate.id === wish.comment);
  if (found === undefined) throw notFound();
  found.resolver = wish.resolved ? findUser(world, wish.as) : null;
};

export const removeUser = (world: World, login: string): void => {
  findUser(world, login).deleted = true;
};

export { fullName };
