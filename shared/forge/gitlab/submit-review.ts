/** GitLab has no review object. The body is posted only if there are no inline comments; a verdict is never posted. */
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

/** Returns a 400 or 422 as a value: it nearly always means a refused position ("line_code can't be blank"). */
const orRefused = async <T>(writing: Promise<T>): Promise<T | AppError> => {
  try {
    return await writing;
  } catch (error) {
    if (hasForgeCode(error, 'FORGE_REJECTED') && [400, 422].includes(Number(error.fields['status']))) return error;
    throw error;
  }
};

/** Bypasses gitbeaker, which sends a position as form data; form data changes line ends to CR LF. */
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

/** Each comment sends its own notification and is published even if another one is refused. */
const submitOneByOne = async (submission: Submission, signal: AbortSignal): Promise<void> => {
  let published = 0;
  let refusal: AppError | null = null;
  for (const [index, comment] of submission.comments.entries()) {
    const refused = await createThread(submission, comment, signal);
    if (refused === null) published += 1;
    else if (published === 0) throw new InlineRefusedError(index, refused);
    else refusal ??= refused;
  }
  // Some comments were published and some refused, so the caller has to read before it continues.
  if (refusal !== null) throw new ForgeUnknownOutcomeError({ reason: 'partly_refused', published }, refusal);
};

/**
 * Null when the draft has no line code: publishing would drop it silently (app/services/draft_notes/publish_service.rb).
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
  // `write` returns null only when the schema is null.
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
 * Deletes drafts of an interrupted attempt first. Any other draft was written by a person, and publishing in bulk would
 * publish it too.
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
  // A single comment sends one notification in any case.
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
