import { isListedBranch } from './find.ts';
import { firePull, type PullChanges } from './hook-payloads.ts';
import { mergeBase, resolveCommit, runGit } from './git.ts';
import { recordQuickActions } from './quick-actions.ts';
import { notFound, SimHttpError } from './reply.ts';
import type { SimPull, SimRepo, SimUser, World } from './world.ts';
import { fullName, nextId, record } from './world.ts';

export type NewPull = {
  readonly repo: SimRepo;
  readonly headRepo: SimRepo;
  readonly head: string;
  readonly base: string;
  readonly title: string;
  readonly body: string;
  readonly author: SimUser;
  /** AGit: there is no head branch, only `refs/pull/N/head` (forges.md 4.3). */
  readonly agit?: boolean;
};

export type On = { readonly world: World; readonly pull: SimPull };

export const note = ({ world, pull }: On, kind: string, author: SimUser, body = ''): void => {
  const at = world.clock();
  const id = nextId(world, 'comment');
  const plain = { code: null, reviewId: 0, resolver: null, reactions: [] };
  pull.comments.push({ id, kind, author, body, createdAt: at, updatedAt: at, ...plain });
  pull.updatedAt = at;
};

export const pullRef = (number: number): string => `refs/pull/${number}/head`;

/** Sets `refs/pull/N/head` in the base repository, also for forks; reviewers fetch it. */
export const publishHead = async (pull: SimPull): Promise<void> => {
  const { gitDir } = pull.repo;
  if (pull.headRepo !== null && pull.headRepo !== pull.repo)
    await runGit(gitDir, ['fetch', '--quiet', '--no-tags', pull.headRepo.gitDir, pull.headSha]);
  await runGit(gitDir, ['update-ref', pullRef(pull.number), pull.headSha]);
  pull.refSha = pull.headSha;
};

export const openPull = async (world: World, wish: NewPull): Promise<SimPull> => {
  const baseSha = await resolveCommit(wish.repo.gitDir, `refs/heads/${wish.base}`);
  const headSha = await resolveCommit(wish.headRepo.gitDir, wish.agit === true ? wish.head : `refs/heads/${wish.head}`);
  if (baseSha === null || headSha === null) throw new SimHttpError(404, 'no such branch');
  if (wish.agit !== true && !isListedBranch(world, wish.headRepo, wish.head)) throw notFound();
  const number = wish.repo.pulls.length + wish.repo.issues.length + 1;
  const at = world.clock();
  const pull: SimPull = {
    id: nextId(world, 'pull'),
    number,
    repo: wish.repo,
    author: wish.author,
    title: wish.title,
    body: wish.body,
    state: 'open',
    merged: false,
    mergedBy: null,
    mergeCommit: null,
    headRepo: wish.headRepo,
    headRef: wish.agit === true ? pullRef(number) : wish.head,
    headBranch: wish.agit === true ? null : wish.head,
    headSha,
    refSha: headSha,
    heads: [headSha],
    baseRef: wish.base,
    baseSha,
    hasBase: true,
    mergeBase: baseSha,
    flow: wish.agit === true ? 1 : 0,
    locked: false,
    autoMerge: false,
    labels: [],
    assignees: [],
    reviews: [],
    comments: [],
    createdAt: at,
    updatedAt: at,
    closedAt: null,
  };
  wish.repo.pulls.push(pull);
  await publishHead(pull);
  pull.mergeBase = await mergeBase(wish.repo.gitDir, baseSha, headSha);
  recordQuickActions(world, wish.author.login, `${fullName(wish.repo)}#${number}`, wish.body);
  log({ world, pull }, wish.author, 'pull.open', { title: wish.title });
  firePull(world, pull, { event: 'pull_request', action: 'opened', sender: wish.author });
  return pull;
};

export const log = (
  { world, pull }: On,
  actor: SimUser,
  kind: string,
  detail: Readonly<Record<string, unknown>> = {},
): void => record(world, { actor: actor.login, kind, repo: fullName(pull.repo), number: pull.number, detail });

/**
 * After the head branch or its fork was deleted: the forge closes the pull request, and then reports the ref that it
 * keeps (AdjustPullsCausedByBranchDeleted and CloseRepoBranchesPulls in services/pull/pull.go).
 */
export const loseHead = (world: World, pull: SimPull, actor: SimUser): void => {
  pull.headRef = pullRef(pull.number);
  pull.headSha = pull.refSha;
  setPullState(world, pull, 'closed', actor);
};

export type PullEdit = { readonly title?: string; readonly body?: string; readonly base?: string };

/** Each kind of change sends its own webhook, all with the action `edited` (forges.md 4.2). */
export const editPull = async (world: World, pull: SimPull, edit: PullEdit, actor: SimUser): Promise<void> => {
  const tell = (changes: PullChanges): void =>
    firePull(world, pull, { event: 'pull_request', action: 'edited', sender: actor, changes });
  if (edit.title !== undefined && edit.title !== pull.title) {
    const from = pull.title;
    pull.title = edit.title;
    note({ world, pull }, 'change_title', actor, `${from} → ${edit.title}`);
    tell({ title: { from } });
  }
  if (edit.body !== undefined && edit.body !== pull.body) {
    const from = pull.body;
    pull.body = edit.body;
    recordQuickActions(world, actor.login, `${fullName(pull.repo)}#${pull.number}`, edit.body);
    tell({ body: { from } });
  }
  if (edit.base !== undefined && edit.base !== pull.baseRef)
    await retarget(world, pull, { base: edit.base, actor, tell });
  pull.updatedAt = world.clock();
  log({ world, pull }, actor, 'pull.edit', { ...edit });
};

/**
 * After the target branch was deleted: the target changes without a webhook, unless such a pull request already exists or
 * there is nothing to merge (Gitea ChangeTargetBranch in services/pull/pull.go, seen on a real 1.27).
 */
export const loseBase = async (world: World, pull: SimPull, actor: SimUser): Promise<void> => {
  const { repo } = pull;
  const base = repo.defaultBranch;
  const tip = await resolveCommit(repo.gitDir, `refs/heads/${base}`);
  const isThere = ({ state, headRepo, headBranch, baseRef }: SimPull): boolean =>
    state === 'open' && headRepo === pull.headRepo && headBranch === pull.headBranch && baseRef === base;
  if (tip === null || tip === pull.headSha || repo.pulls.some(isThere)) return;
  await retarget(world, pull, { base, actor, tell: () => undefined });
  log({ world, pull }, actor, 'pull.edit', { base });
};

type Retarget = { readonly base: string; readonly actor: SimUser; readonly tell: (changes: PullChanges) => void };

const retarget = async (world: World, pull: SimPull, wish: Retarget): Promise<void> => {
  const baseSha = await resolveCommit(pull.repo.gitDir, `refs/heads/${wish.base}`);
  if (baseSha === null) throw new SimHttpError(404, `new base '${wish.base}' not exist`);
  const from = pull.baseRef;
  pull.baseRef = wish.base;
  pull.baseSha = baseSha;
  pull.hasBase = true;
  pull.mergeBase = await mergeBase(pull.repo.gitDir, baseSha, pull.refSha);
  note({ world, pull }, 'change_target_branch', wish.actor, `${from} → ${wish.base}`);
  wish.tell({ ref: { from } });
};

export const setPullState = (world: World, pull: SimPull, state: 'open' | 'closed', actor: SimUser): void => {
  if (pull.state === state || pull.merged) return;
  pull.state = state;
  pull.closedAt = state === 'closed' ? world.clock() : null;
  note({ world, pull }, state === 'closed' ? 'close' : 'reopen', actor);
  log({ world, pull }, actor, state === 'closed' ? 'pull.close' : 'pull.reopen');
  const action = state === 'closed' ? 'closed' : 'reopened';
  firePull(world, pull, { event: 'pull_request', action, sender: actor });
};
