/** Creates, edits and deletes notes like GL app/services/notes/{create,build,update}_service.rb (forges.md 3.4). */
import { mayAct } from './access.ts';
import { badNote, badRequest, forbidden, GitlabRefusal, notFound } from './errors.ts';
import { discussionNotes } from './find.ts';
import { sendMail } from './mails.ts';
import { isResolvable, isResolved } from './mr-facts.ts';
import { settleNewNote } from './mr-versions.ts';
import { fireNote } from './payload-notes.ts';
import { isChangedFile, isInStoredDiff, placeNote } from './positions.ts';
import { type Interpreted, interpret } from './quick-actions.ts';
import { newDiscussionId } from './system-notes.ts';
import { logOn, nextId } from './log.ts';
import type { SimMergeRequest, SimNote, SimPosition, SimUser, World } from './world.ts';

/** Noteable::MAX_NOTES_LIMIT, and the limit of a body (forges.md 3.1). */
const maxNotes = 5_000;
const maxBodyLength = 1_000_000;

export type NewNote = {
  readonly author: SimUser;
  readonly body: string;
  /** A `thread` can be resolved, a `single` note cannot; a reply has the type of its thread. */
  readonly as:
    | { readonly kind: 'single' | 'thread' }
    | { readonly kind: 'diff'; readonly position: SimPosition }
    | Reply;
  readonly internal?: boolean;
  /** Published together with other drafts: then the review is mailed, not the note (GL app/models/note.rb `skip_notification?`). */
  readonly inReview?: boolean;
};
type Reply = { readonly kind: 'reply'; readonly discussionId: string };

export type Written =
  | { readonly kind: 'note'; readonly note: SimNote; readonly interpreted: Interpreted }
  /** The body held only quick actions, so no note was created (forges.md 7, row 2). */
  | { readonly kind: 'commands'; readonly interpreted: Interpreted };

const checkBody = (mr: SimMergeRequest, body: string): void => {
  if (body.trim() === '') throw badNote({ note: ["can't be blank"] });
  if (body.length > maxBodyLength) throw badNote({ note: [`is too long (maximum is ${maxBodyLength} characters)`] });
  if (mr.notes.filter((note) => !note.system).length >= maxNotes)
    throw badNote({ base: ['Maximum number of comments exceeded'] });
};

type Place = Pick<SimNote, 'type' | 'position' | 'originalPosition' | 'lineCode' | 'outdated'>;
const nowhere = { position: null, originalPosition: null, lineCode: null, outdated: false };

const placeOnDiff = async (world: World, mr: SimMergeRequest, position: SimPosition): Promise<Place> => {
  const placed = await placeNote(world, mr, position);
  if (placed.kind === 'refused') throw badNote(placed.errors);
  // The real GitLab stores such a note, but shows it nowhere.
  if (position.position_type === 'file' && !(await isChangedFile(mr, position)))
    world.violations.push(`a note on ${position.new_path ?? ''}, which the merge request does not change`);
  const { lineCode } = placed;
  return { type: 'DiffNote', position, originalPosition: position, lineCode, outdated: false };
};

/**
 * A reply turns a single note, even a system note, into a thread (`convert_to_discussion!`; GL
 * app/models/concerns/noteable.rb `replyable_types`).
 */
const placeInThread = (first: SimNote): Place => {
  first.type ??= 'DiscussionNote';
  const { type, position, originalPosition, lineCode, outdated } = first;
  return { type, position, originalPosition, lineCode, outdated };
};

const findThread = (mr: SimMergeRequest, discussionId: string, reader: SimUser): SimNote => {
  const first = discussionNotes(mr, discussionId)[0];
  if (first === undefined || !mayReadNote(mr, first, reader)) throw notFound('Discussion');
  return first;
};

const build = async (
  world: World,
  mr: SimMergeRequest,
  wish: NewNote,
): Promise<{ place: Place; first: SimNote | null }> => {
  switch (wish.as.kind) {
    case 'single':
      return { place: { type: null, ...nowhere }, first: null };
    case 'thread':
      return { place: { type: 'DiscussionNote', ...nowhere }, first: null };
    case 'diff':
      return { place: await placeOnDiff(world, mr, wish.as.position), first: null };
    case 'reply': {
      const first = findThread(mr, wish.as.discussionId, wish.author);
      return { place: placeInThread(first), first };
    }
  }
  return wish.as satisfies never;
};

/** Only reporters and above, and its author, see an internal note (GL app/policies/note_policy.rb). */
export const mayReadNote = (mr: SimMergeRequest, note: SimNote, user: SimUser | null): boolean =>
  !note.internal || mayAct(user, mr.project, 20);

const requireTalk = (mr: SimMergeRequest, user: SimUser): void => {
  if (mr.locked && !mayAct(user, mr.project, 10)) throw forbidden();
};

type Saving = { readonly wish: NewNote; readonly place: Place; readonly first: SimNote | null; readonly text: string };

const save = (world: World, mr: SimMergeRequest, saving: Saving): SimNote => {
  const { wish, place, first, text } = saving;
  const id = nextId(world, 'note');
  const at = world.clock();
  // A reply to a resolved thread is stored as resolved, so the thread stays resolved (forges.md 3.4).
  const resolved = first !== null && isResolved(mr, first.discussionId);
  const note: SimNote = {
    ...place,
    id,
    author: wish.author,
    body: text,
    discussionId: first?.discussionId ?? newDiscussionId(mr, id),
    system: false,
    internal: first?.internal ?? (wish.internal === true && mayAct(wish.author, mr.project, 20)),
    createdAt: at,
    updatedAt: at,
    resolvedBy: resolved ? wish.author : null,
    resolvedAt: resolved ? at : null,
    awards: [],
  };
  mr.notes.push(note);
  mr.updatedAt = at;
  return note;
};

export const createNote = async (world: World, mr: SimMergeRequest, wish: NewNote): Promise<Written> => {
  requireTalk(mr, wish.author);
  checkBody(mr, wish.body);
  const { place, first } = await build(world, mr, wish);
  const interpreted = await interpret({ world, mr, actor: wish.author }, wish.body);
  if (interpreted.text === '') return { kind: 'commands', interpreted };
  const note = save(world, mr, { wish, place, first, text: interpreted.text });
  if (wish.as.kind === 'diff') await settleNewNote(mr, note);
  const detail = { id: note.id, type: note.type, discussion: note.discussionId, body: note.body };
  logOn(world, mr, wish.author, { kind: 'note.create', detail });
  await requireStoredLine(world, mr, wish);
  if (wish.inReview !== true) sendMail(world, mr, { kind: 'mail.note', by: wish.author, body: note.body });
  await fireNote(world, mr, note, 'create');
  return { kind: 'note', note, interpreted };
};

/**
 * The error comes after the note was saved: the note stays, no event is sent, and the answer is 500
 * (GL app/models/diff_note.rb, `after_commit :create_diff_file`).
 */
const requireStoredLine = async (world: World, mr: SimMergeRequest, { as }: NewNote): Promise<void> => {
  if (as.kind !== 'diff' || (await isInStoredDiff(world, mr, as.position))) return;
  throw new GitlabRefusal(500, { message: '500 Internal Server Error' });
};

const requireOwn = (mr: SimMergeRequest, note: SimNote, actor: SimUser): void => {
  if (note.system || (note.author !== actor && !mayAct(actor, mr.project, 40))) throw forbidden();
};

/** An edit runs quick actions too; when no text is left, the note is deleted. */
export const updateNote = async (
  world: World,
  on: { readonly mr: SimMergeRequest; readonly note: SimNote },
  body: string,
  actor: SimUser,
): Promise<Written> => {
  const { mr, note } = on;
  requireOwn(mr, note, actor);
  if (body.trim() === '') throw badNote({ note: ["can't be blank"] });
  if (body.length > maxBodyLength) throw badNote({ note: [`is too long (maximum is ${maxBodyLength} characters)`] });
  const interpreted = await interpret({ world, mr, actor }, body);
  if (interpreted.text === '') {
    deleteNote(world, on, actor);
    return { kind: 'commands', interpreted };
  }
  const changed = interpreted.text !== note.body;
  note.body = interpreted.text;
  note.updatedAt = world.clock();
  logOn(world, mr, actor, { kind: 'note.update', detail: { id: note.id, body: note.body } });
  if (changed) await fireNote(world, mr, note, 'update');
  return { kind: 'note', note, interpreted };
};

/** Sends no event (forges.md 2.5). */
export const deleteNote = (
  world: World,
  on: { readonly mr: SimMergeRequest; readonly note: SimNote },
  actor: SimUser,
): void => {
  requireOwn(on.mr, on.note, actor);
  on.mr.notes = on.mr.notes.filter((candidate) => candidate !== on.note);
  logOn(world, on.mr, actor, { kind: 'note.delete', detail: { id: on.note.id } });
};

export const requireResolvable = (note: SimNote): void => {
  if (!isResolvable(note)) throw badRequest('Note is not resolvable');
};
