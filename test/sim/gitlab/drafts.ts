/** Draft notes (GL lib/api/draft_notes.rb, app/services/draft_notes/{create,publish}_service.rb; forges.md 3.4). */
import { setReviewerState } from './approvals.ts';
import { GitlabRefusal, invalid } from './errors.ts';
import { discussionNotes } from './find.ts';
import { sendMail } from './mails.ts';
import { createNote, type NewNote } from './notes.ts';
import { placeNote } from './positions.ts';
import { mayResolve, setResolved, tellAllResolved } from './resolve.ts';
import { logOn, nextId } from './log.ts';
import type { SimDraft, SimMergeRequest, SimNote, SimPosition, SimUser, World } from './world.ts';

export type NewDraft = {
  readonly author: SimUser;
  readonly note: string;
  readonly position: SimPosition | null;
  readonly inReplyTo: string | null;
  readonly resolveDiscussion: boolean;
};

export const draftsBy = (mr: SimMergeRequest, author: SimUser): readonly SimDraft[] =>
  mr.drafts.filter((draft) => draft.author === author);

/** A position that is not a line of the diff is accepted; only the missing `line_code` shows it. */
const lineCodeFor = async (world: World, mr: SimMergeRequest, position: SimPosition | null): Promise<string | null> => {
  if (position === null) return null;
  const placed = await placeNote(world, mr, position);
  return placed.kind === 'placed' ? placed.lineCode : null;
};

const threadFor = (mr: SimMergeRequest, wish: NewDraft): SimNote | undefined => {
  const first = wish.inReplyTo === null ? undefined : discussionNotes(mr, wish.inReplyTo)[0];
  if (wish.inReplyTo !== null && first === undefined) throw invalid({ base: ['Thread to reply to cannot be found'] });
  if (wish.resolveDiscussion && !mayResolve(mr, first, wish.author))
    throw invalid({ base: ['User is not allowed to resolve thread'] });
  return first;
};

/** Accepts blank text and replies to system notes. */
export const createDraft = async (world: World, mr: SimMergeRequest, wish: NewDraft): Promise<SimDraft> => {
  const lineCode = await lineCodeFor(world, mr, wish.position);
  const first = threadFor(mr, wish);
  // GL app/models/draft_note.rb: at most one draft reply per thread and author.
  if (first !== undefined && draftsBy(mr, wish.author).some((draft) => draft.discussionId === first.discussionId))
    throw invalid({ author_id: ['has already been taken'] });
  const draft: SimDraft = {
    id: nextId(world, 'draft'),
    author: wish.author,
    note: wish.note,
    position: wish.position,
    lineCode,
    discussionId: first?.discussionId ?? null,
    resolveDiscussion: wish.resolveDiscussion,
    createdAt: world.clock(),
  };
  mr.drafts.push(draft);
  if (draftsBy(mr, wish.author).length === 1) setReviewerState(mr, wish.author, 'review_started');
  logOn(world, mr, wish.author, { kind: 'draft.create', detail: { id: draft.id, body: draft.note } });
  return draft;
};

export const changeDraft = async (
  world: World,
  on: { readonly mr: SimMergeRequest; readonly draft: SimDraft },
  note: string,
  position: SimPosition | null,
): Promise<void> => {
  const { mr, draft } = on;
  draft.note = note;
  draft.position = position;
  draft.lineCode = await lineCodeFor(world, mr, position);
  logOn(world, mr, draft.author, { kind: 'draft.update', detail: { id: draft.id, body: note } });
};

/** Deleting the last draft resets the reviewer's state (GL app/services/draft_notes/destroy_service.rb). */
export const dropDraft = (world: World, mr: SimMergeRequest, draft: SimDraft): void => {
  mr.drafts = mr.drafts.filter((candidate) => candidate !== draft);
  if (draftsBy(mr, draft.author).length === 0) setReviewerState(mr, draft.author, 'unreviewed');
  logOn(world, mr, draft.author, { kind: 'draft.delete', detail: { id: draft.id } });
};

const shapeOf = (draft: SimDraft): NewNote['as'] => {
  if (draft.discussionId !== null) return { kind: 'reply', discussionId: draft.discussionId };
  return draft.position === null ? { kind: 'thread' } : { kind: 'diff', position: draft.position };
};

/**
 * A draft whose note is invalid disappears without an error: the publisher does not check whether the note was saved
 * (`create_note_from_draft`), and deletes the drafts anyway.
 */
const publishOne = async (world: World, mr: SimMergeRequest, draft: SimDraft, inReview: boolean): Promise<void> => {
  const { author, note: body } = draft;
  try {
    await createNote(world, mr, { author, body, as: shapeOf(draft), inReview });
  } catch (error) {
    // An error after saving stops the publishing; drafts that were already published also stay as drafts.
    if (!(error instanceof GitlabRefusal) || error.status === 500) throw error;
    logOn(world, mr, author, { kind: 'draft.lost', detail: { id: draft.id, reason: error.message } });
    return;
  }
  if (draft.discussionId === null) return;
  // Publishing a reply unresolves its thread unless the draft says otherwise (forges.md 3.4; 7, row 21).
  const first = discussionNotes(mr, draft.discussionId)[0];
  const resolve = draft.resolveDiscussion && mayResolve(mr, first, author);
  setResolved(world, { mr, discussionId: draft.discussionId }, author, resolve);
};

/**
 * Publishes one draft as a note, or all in one review (`inReview`); does not return the notes' ids (forges.md 3.4). The reviewer's state stays `review_started`
 * (GL app/services/draft_notes/publish_service.rb, 18.9).
 */
export const publishDrafts = async (
  world: World,
  mr: SimMergeRequest,
  author: SimUser,
  drafts: readonly SimDraft[],
  inReview = true,
): Promise<void> => {
  if (drafts.length === 0) return;
  for (const draft of drafts) await publishOne(world, mr, draft, inReview);
  mr.drafts = mr.drafts.filter((draft) => !drafts.includes(draft));
  logOn(world, mr, author, { kind: 'draft.publish', detail: { ids: drafts.map((draft) => draft.id) } });
  // GL app/workers/merge_requests/process_draft_note_published_worker.rb
  if (inReview)
    sendMail(world, mr, { kind: 'mail.review', by: author, body: drafts.map(({ note }) => note).join('\n') });
  await tellAllResolved(world, mr, author);
};
