import { approve as approveAs, requestChanges as requestAs, unapprove as unapproveAs } from './approvals.ts';
import { awardNamed, awardsOf, removeAward } from './awards.ts';
import { notFound } from './errors.ts';
import { discussionNotes, findMergeRequest, findNote, findProject, findUser } from './find.ts';
import { diffRefs } from './mr-facts.ts';
import { reRequestReview } from './mr-edit.ts';
import { openMergeRequest as open } from './mr-open.ts';
import {
  closeMergeRequest as closeAs,
  mergeMergeRequest as mergeAs,
  prepare,
  reopenMergeRequest as reopenAs,
} from './mr-state.ts';
import { updateMergeRequest } from './mr-update.ts';
import { createNote, deleteNote, type NewNote, updateNote } from './notes.ts';
import { resolveDiscussion as resolveAs } from './resolve.ts';
import { createStatus, type State } from './statuses.ts';
import type { SimMergeRequest, SimNote, SimPosition, World } from './world.ts';

/** Full path of the target project, and the merge request's number in its URL. */
export type MergeRequestAt = { readonly project: string; readonly iid: number };
export type PersonAt = MergeRequestAt & { readonly as: string };

export type MergeRequestWish = {
  readonly project: string;
  readonly sourceBranch: string;
  readonly targetBranch?: string;
  readonly title: string;
  readonly description?: string;
  readonly author: string;
  /** Full path of the fork with the source branch. Default: the project itself. */
  readonly sourceProject?: string;
};

export const mergeRequestAt = (world: World, at: MergeRequestAt): SimMergeRequest =>
  findMergeRequest(findProject(world, at.project), at.iid);

export const openMergeRequest = (world: World, wish: MergeRequestWish): Promise<SimMergeRequest> => {
  const project = findProject(world, wish.project);
  return open(world, {
    project,
    sourceProject: wish.sourceProject === undefined ? project : findProject(world, wish.sourceProject),
    sourceBranch: wish.sourceBranch,
    targetBranch: wish.targetBranch ?? project.defaultBranch,
    title: wish.title,
    description: wish.description ?? '',
    author: findUser(world, wish.author),
  });
};

/** Prepares the merge request at once, so that it has `diff_refs`. */
export const prepareMergeRequest = (world: World, at: MergeRequestAt): Promise<void> =>
  prepare(world, mergeRequestAt(world, at));

export type EditWish = PersonAt & {
  readonly title?: string;
  readonly description?: string;
  readonly targetBranch?: string;
  readonly labels?: readonly string[];
  readonly reviewers?: readonly string[];
  readonly assignees?: readonly string[];
  readonly locked?: boolean;
};

export const editMergeRequest = (world: World, wish: EditWish): Promise<void> => {
  const { title, description, targetBranch, labels, locked } = wish;
  const reviewers = wish.reviewers?.map((name) => findUser(world, name));
  const assignees = wish.assignees?.map((name) => findUser(world, name));
  const edit = { title, description, targetBranch, labels, reviewers, assignees, locked };
  return updateMergeRequest(world, mergeRequestAt(world, wish), edit, findUser(world, wish.as));
};

export const reRequest = (world: World, wish: PersonAt & { readonly reviewer: string }): Promise<void> =>
  reRequestReview(world, mergeRequestAt(world, wish), wish.reviewer, findUser(world, wish.as));

export const closeMergeRequest = (world: World, at: PersonAt): Promise<void> =>
  closeAs(world, mergeRequestAt(world, at), findUser(world, at.as));
export const reopenMergeRequest = (world: World, at: PersonAt): Promise<void> =>
  reopenAs(world, mergeRequestAt(world, at), findUser(world, at.as));
export const mergeMergeRequest = (world: World, at: PersonAt): Promise<void> =>
  mergeAs(world, mergeRequestAt(world, at), findUser(world, at.as));
export const approve = (world: World, at: PersonAt): Promise<boolean> =>
  approveAs(world, mergeRequestAt(world, at), findUser(world, at.as));
export const unapprove = (world: World, at: PersonAt): Promise<boolean> =>
  unapproveAs(world, mergeRequestAt(world, at), findUser(world, at.as));
export const requestChanges = (world: World, at: PersonAt): ReturnType<typeof requestAs> =>
  requestAs(world, mergeRequestAt(world, at), findUser(world, at.as));

const write = async (world: World, wish: PersonAt, note: Omit<NewNote, 'author'>): Promise<SimNote | null> => {
  const author = findUser(world, wish.as);
  const written = await createNote(world, mergeRequestAt(world, wish), { ...note, author });
  return written.kind === 'note' ? written.note : null;
};

export const comment = async (
  world: World,
  wish: PersonAt & { readonly body: string; readonly internal?: boolean },
): Promise<number | null> => {
  const { body, internal = false } = wish;
  return (await write(world, wish, { body, internal, as: { kind: 'single' } }))?.id ?? null;
};

export type DiscussionWish = PersonAt & {
  readonly body: string;
  /** Place in the newest diff. Without it, the thread is about the whole merge request. */
  readonly on?: {
    readonly path: string;
    readonly oldPath?: string;
    readonly oldLine?: number;
    readonly newLine?: number;
  };
};

const positionFor = (mr: SimMergeRequest, on: NonNullable<DiscussionWish['on']>): SimPosition => {
  const refs = diffRefs(mr);
  if (refs === null) throw new Error('the merge request is not prepared');
  return {
    ...refs,
    position_type: 'text',
    old_path: on.oldPath ?? on.path,
    new_path: on.path,
    old_line: on.oldLine ?? null,
    new_line: on.newLine ?? null,
    line_range: null,
  };
};

export const startDiscussion = async (world: World, wish: DiscussionWish): Promise<string> => {
  const { body, on } = wish;
  const mr = mergeRequestAt(world, wish);
  const as =
    on === undefined ? ({ kind: 'thread' } as const) : ({ kind: 'diff', position: positionFor(mr, on) } as const);
  const note = await write(world, wish, { body, as });
  if (note === null) throw new Error('the text was nothing but quick actions');
  return note.discussionId;
};

export type ThreadAt = PersonAt & { readonly discussion: string };

export const replyToDiscussion = async (
  world: World,
  wish: ThreadAt & { readonly body: string },
): Promise<number | null> =>
  (await write(world, wish, { body: wish.body, as: { kind: 'reply', discussionId: wish.discussion } }))?.id ?? null;

export const resolveDiscussion = (world: World, wish: ThreadAt & { readonly resolved?: boolean }): Promise<void> => {
  const thread = { mr: mergeRequestAt(world, wish), discussionId: wish.discussion };
  if (discussionNotes(thread.mr, wish.discussion).length === 0) throw notFound('Discussion');
  return resolveAs(world, thread, findUser(world, wish.as), wish.resolved ?? true);
};

export const changeNote = async (
  world: World,
  wish: PersonAt & { readonly note: number; readonly body: string | null },
): Promise<void> => {
  const mr = mergeRequestAt(world, wish);
  const on = { mr, note: findNote(mr, wish.note) };
  const actor = findUser(world, wish.as);
  if (wish.body === null) deleteNote(world, on, actor);
  else await updateNote(world, on, wish.body, actor);
};

export const award = async (
  world: World,
  wish: PersonAt & { readonly name: string; readonly note?: number; readonly revoke?: boolean },
): Promise<void> => {
  const mr = mergeRequestAt(world, wish);
  const on = { mr, note: wish.note === undefined ? null : findNote(mr, wish.note) };
  const user = findUser(world, wish.as);
  if (wish.revoke !== true) return void (await awardNamed(world, on, user, wish.name));
  const known = awardsOf(on).find((candidate) => candidate.user === user && candidate.name === wish.name);
  if (known === undefined) throw notFound('Award Emoji');
  return removeAward(world, on, known);
};

export type StatusWish = {
  readonly project: string;
  readonly sha: string;
  readonly name: string;
  readonly state: State;
  readonly ref?: string;
  readonly description?: string;
  readonly as: string;
};

export const setStatus = async (world: World, wish: StatusWish): Promise<void> => {
  const { sha, name, state } = wish;
  await createStatus(world, findProject(world, wish.project), {
    sha,
    name,
    state,
    ref: wish.ref ?? null,
    pipelineId: null,
    description: wish.description ?? null,
    targetUrl: null,
    user: findUser(world, wish.as),
  });
};
