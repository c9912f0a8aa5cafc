import { addComment, deleteComment, editComment } from './comments.ts';
import { findComment, findPull, findRepo, findUser } from './find.ts';
import { fireComment, firePull } from './hook-payloads.ts';
import { mergePull } from './merge.ts';
import { editPull, openPull, type PullEdit, setPullState } from './pulls.ts';
import { notFound } from './reply.ts';
import { requestReview, withdrawRequest } from './reviewers.ts';
import { insertCodeComment, reviewStateFor, submitReview } from './reviews.ts';
import { createStatus } from './statuses.ts';
import type { SimActionRun, SimPull, World } from './world.ts';
import { LOST_REFERENCE, nextId } from './world.ts';

/** Full repository name, and pull request number. */
export type PullAt = { readonly repo: string; readonly number: number };
export type PersonAt = PullAt & { readonly as: string };

export type PullWish = {
  readonly repo: string;
  readonly head: string;
  readonly base?: string;
  readonly title: string;
  readonly body?: string;
  readonly author: string;
  /** Full name of the fork with `head`. Default: the repository itself. */
  readonly headRepo?: string;
  readonly agit?: boolean;
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
  readonly workflow?: string;
};

export type RunWish = {
  readonly repo: string;
  readonly sha: string;
  readonly workflow: string;
  readonly event: string;
  readonly status: string;
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

/** Replies to an inline comment on the web page, which sends the hook of an ordinary comment (forges.md 4.3). */
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

/** Submits a review on the web page, with its inline comments. Returns its id. */
export const review = async (world: World, wish: ReviewWish): Promise<number> => {
  const pull = pullAt(world, wish);
  const author = findUser(world, wish.as);
  const body = wish.body ?? '';
  const comments = wish.comments ?? [];
  const state = reviewStateFor(world, pull, author, { event: wish.event, body, hasComments: comments.length > 0 });
  // Creates the pending review for the inline comments.
  const pending = await submitReview(world, pull, { author, state: 'PENDING', body, commitId: pull.headSha });
  for (const { path, line, side, body: text } of comments) {
    const place = side === 'old' ? { newPosition: 0, oldPosition: line } : { newPosition: line, oldPosition: 0 };
    await insertCodeComment(world, pull, pending, { path, body: text, ...place, extraLines: 0 });
  }
  if (state === 'PENDING') return pending.id;
  return (await submitReview(world, pull, { author, state, body, commitId: pull.headSha })).id;
};

/** Besides whoever is an assignee already. */
export const assign = (world: World, wish: PersonAt & { readonly to: string }): void => {
  const pull = pullAt(world, wish);
  pull.assignees.push(findUser(world, wish.to));
  pull.updatedAt = world.clock();
  firePull(world, pull, { event: 'pull_request_assign', action: 'assigned', sender: findUser(world, wish.as) });
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
  const { sha, context, state, description = '', repo, workflow = '' } = wish;
  const creator = findUser(world, wish.as);
  const status = { sha, context, state, description, targetUrl: '', creator, workflow };
  await createStatus(world, findRepo(world, repo), status);
};

/** Starts a run of Actions, or updates the one of this workflow and event. */
export const setActionRun = (world: World, { repo, ...wish }: RunWish): void => {
  const { actionRuns } = findRepo(world, repo);
  const isSame = (run: SimActionRun): boolean =>
    run.sha === wish.sha && run.workflow === wish.workflow && run.event === wish.event;
  const found = actionRuns.find(isSame);
  if (found === undefined) actionRuns.push({ ...wish, id: nextId(world, 'run') });
  else found.status = wish.status;
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

/** As on the web page, which is the only way in Forgejo (forges.md 5.3). */
export const resolveThread = (
  world: World,
  wish: PersonAt & { readonly comment: number; readonly resolved: boolean },
): void => {
  const found = pullAt(world, wish).comments.find((candidate) => candidate.id === wish.comment);
  if (found === undefined) throw notFound();
  found.resolver = wish.resolved ? findUser(world, wish.as) : null;
};

export const react = (world: World, wish: PersonAt & { readonly comment: number; readonly content: string }): void => {
  const found = pullAt(world, wish).comments.find((candidate) => candidate.id === wish.comment);
  if (found === undefined) throw notFound();
  found.reactions.push({ user: findUser(world, wish.as), content: wish.content, createdAt: world.clock() });
};

/** A comment elsewhere mentioned the pull request and was then deleted: the event stays, and its comment is gone. */
export const loseReference = (world: World, wish: PersonAt): void => {
  const at = world.clock();
  const rest = { body: '', createdAt: at, updatedAt: at, code: null, reviewId: 0, resolver: null, reactions: [] };
  const author = findUser(world, wish.as);
  pullAt(world, wish).comments.push({ id: nextId(world, 'comment'), kind: LOST_REFERENCE, author, ...rest });
};

export const addLabels = (world: World, wish: PersonAt & { readonly labels: readonly string[] }): void => {
  const pull = pullAt(world, wish);
  const known = pull.repo.labels;
  for (const name of wish.labels)
    if (!known.some((label) => label.name === name)) known.push({ id: nextId(world, 'label'), name, color: '667180' });
  pull.labels.push(...known.filter((label) => wish.labels.includes(label.name) && !pull.labels.includes(label)));
  const sender = findUser(world, wish.as);
  firePull(world, pull, { event: 'pull_request_label', action: 'label_updated', sender });
};

export const setLocked = (world: World, at: PullAt, locked: boolean): void => {
  pullAt(world, at).locked = locked;
};

/** Merges automatically at the next combined `success` of the head. */
export const scheduleMerge = (world: World, at: PullAt): void => {
  pullAt(world, at).autoMerge = true;
};
