/**
 * GitLab has no review as a thing of its own: there are comments, and drafts of them that are published together. A
 * review's body has no place beside them, so it is posted only when there is nothing else. Nor has a verdict.
 */
import { z } from 'zod';
import { AppError } from '../../errors.ts';
import type { ChangeRequest } from '../../vocabulary/ids.ts';
import { ForgeUnknownOutcomeError, hasForgeCode, InlineRefusedError } from '../errors.ts';
import { type ApiPath, apiPath } from '../path.ts';
import type { OutgoingInline, OutgoingReview, WritesReviews } from '../port.ts';
import type { GitlabContext } from './api/context.ts';
import { awaitVersion } from './diff-version.ts';
import { fetchDrafts, publishDrafts, removeDrafts } from './draft-notes.ts';
import { type GitlabPosition, positionsFor } from './inline-position.ts';
import { type ApiDiffVersion, ApiDraftNote } from './api/schema.ts';
import { refuseCommands, writesComments } from './write-comments.ts';

type Submission = {
  readonly context: GitlabContext;
  readonly of: ChangeRequest;
  readonly comments: readonly OutgoingInline[];
  readonly version: ApiDiffVersion;
};

/**
 * A 400 or 422 to a comment with a position nearly always means the position ("line_code can't be blank"). Whatever
 * else it may mean, the comment is as refused, and the caller has another place for it.
 */
const orRefused = async <T>(writing: Promise<T>): Promise<T | AppError> => {
  try {
    return await writing;
  } catch (error) {
    if (hasForgeCode(error, 'FORGE_REJECTED') && [400, 422].includes(Number(error.fields['status']))) return error;
    throw error;
  }
};

/** Sent without gitbeaker, which makes a form of a position, and a form turns line ends into CR LF. */
const postInline = <S extends z.ZodType>(
  { context }: Submission,
  request: { readonly path: ApiPath; readonly body: Readonly<Record<string, unknown>>; readonly schema: S },
  signal: AbortSignal,
) => orRefused(refuseCommands(context.http.write({ method: 'POST', ...request }, signal)));

// POST .../discussions: https://docs.gitlab.com/api/discussions/#create-a-new-thread-in-the-merge-request-diff
const createThread = async (
  submission: Submission,
  { position, body }: OutgoingInline,
  signal: AbortSignal,
): Promise<AppError | null> => {
  const { projectId, number } = submission.of;
  const path = apiPath`/api/v4/projects/${projectId}/merge_requests/${number}/discussions`;
  let refusal: AppError | null = null;
  for (const place of positionsFor(position, submission.version)) {
    const answer = await postInline(submission, { path, body: { body, position: place }, schema: z.unknown() }, signal);
    if (!(answer instanceof AppError)) return null;
    refusal = answer;
  }
  return refusal;
};

/** One by one: several notifications, and each comment stands on its own. */
const submitOneByOne = async (submission: Submission, signal: AbortSignal): Promise<void> => {
  let published = 0;
  let refusal: AppError | null = null;
  for (const [index, comment] of submission.comments.entries()) {
    const refused = await createThread(submission, comment, signal);
    if (refused === null) published += 1;
    else if (published === 0) throw new InlineRefusedError(index, refused);
    else refusal ??= refused;
  }
  // Some stand and some do not: whoever goes on has to read first.
  if (refusal !== null) throw new ForgeUnknownOutcomeError({ reason: 'partly_refused', published }, refusal);
};

/**
 * Unlike a thread, a draft is taken with any position. One without a line code is dropped without a word when it is
 * published (app/services/draft_notes/publish_service.rb), so it is refused here.
 * POST .../draft_notes: https://docs.gitlab.com/api/draft_notes/#create-a-draft-note
 */
const createDraftAt = async (
  submission: Submission,
  place: GitlabPosition,
  note: string,
  signal: AbortSignal,
): Promise<number | AppError | null> => {
  const { projectId, number } = submission.of;
  const path = apiPath`/api/v4/projects/${projectId}/merge_requests/${number}/draft_notes`;
  const answer = await postInline(submission, { path, body: { note, position: place }, schema: ApiDraftNote }, signal);
  if (answer instanceof AppError) return answer;
  // The schema is not null, so neither is the value.
  const draft = answer.value as ApiDraftNote;
  if (draft.line_code !== null) return draft.id;
  await removeDrafts(submission.context, submission.of, [draft.id], signal);
  return null;
};

const createDraft = async (
  submission: Submission,
  { position, body }: OutgoingInline,
  signal: AbortSignal,
): Promise<number | AppError | null> => {
  let refusal: AppError | null = null;
  for (const place of positionsFor(position, submission.version)) {
    const outcome = await createDraftAt(submission, place, body, signal);
    if (typeof outcome === 'number') return outcome;
    refusal = outcome;
  }
  return refusal;
};

const submitTogether = async (submission: Submission, signal: AbortSignal): Promise<void> => {
  const { context, of, comments } = submission;
  const created: number[] = [];
  for (const [index, comment] of comments.entries()) {
    const outcome = await createDraft(submission, comment, signal);
    if (typeof outcome !== 'number') {
      await removeDrafts(context, of, created, signal);
      throw new InlineRefusedError(index, outcome ?? undefined);
    }
    created.push(outcome);
  }
  await publishDrafts(context, of, created, signal);
};

/**
 * Whether the account's drafts may be published together. Drafts of these very comments are left from an attempt that
 * broke off and go; any other draft is somebody's work and must not be published along.
 */
const mayBatch = async (
  { context, of, comments, isOurs }: Omit<Submission, 'version'> & Pick<OutgoingReview, 'isOurs'>,
  signal: AbortSignal,
): Promise<boolean> => {
  if (!context.traits.draftNotes) return false;
  const sent = new Set(comments.map(({ body }) => body.trimEnd()));
  const drafts = await fetchDrafts(context, of, signal);
  const left = drafts.filter(({ note }) => sent.has(note.trimEnd()) || isOurs?.(note) === true);
  await removeDrafts(
    context,
    of,
    left.map(({ id }) => id),
    signal,
  );
  // A single thread is a single notification by itself.
  return left.length === drafts.length && comments.length > 1;
};

export const submitReview =
  (context: GitlabContext): WritesReviews['submitReview'] =>
  async (of, review: OutgoingReview, signal) => {
    const { comments, body, isOurs } = review;
    if (comments.length === 0) {
      await writesComments(context).createComment(of, body, signal);
      return null;
    }
    const together = await mayBatch({ context, of, comments, ...(isOurs === undefined ? {} : { isOurs }) }, signal);
    const submission = { context, of, comments, version: await awaitVersion(context, of, review, signal) };
    await (together ? submitTogether(submission, signal) : submitOneByOne(submission, signal));
    return null;
  };
