import { MergeRequestDiscussions, MergeRequestNoteAwardEmojis, MergeRequestNotes } from '@gitbeaker/rest';
import { ForgeRequestError, hasForgeCode } from '../errors.ts';
import type { AnswersThreads, DeletesComments, Reacts, ResolvesThreads, WritesComments } from '../port.ts';
import type { GitlabContext } from './api/context.ts';
import { parseThreadId } from './discussions.ts';
import type { Ask, GitlabApi } from './api/requester.ts';
import { ApiAward } from './api/schema.ts';

const commandsOnly = (status: number, cause?: unknown): ForgeRequestError =>
  new ForgeRequestError({
    code: 'FORGE_COMMANDS_ONLY',
    message: 'the forge interpreted the whole comment as quick actions and stored no comment',
    disposition: { kind: 'fail' },
    fields: { status },
    cause,
  });

/** GitLab before release 16 runs the quick actions, then sends a 400 that lists them under this key. */
const isCommandsOnly = (error: unknown): error is ForgeRequestError =>
  hasForgeCode(error, 'FORGE_REJECTED') &&
  error.fields['status'] === 400 &&
  /\bcommands_only\b/.test(String(error.fields['explanation']));

/**
 * GitLab runs quick actions with the bot's permissions. If the comment has no other text, it sends 202, or 400 before release 16.
 * The sanitizer removes quick actions, so this error means a bug; a retry would run them again.
 */
export const refuseCommands = async <Answer extends { readonly status: number }>(
  writing: Promise<Answer>,
): Promise<Answer> => {
  try {
    const answer = await writing;
    if (answer.status === 202) throw commandsOnly(answer.status);
    return answer;
  } catch (error) {
    throw isCommandsOnly(error) ? commandsOnly(400, error) : error;
  }
};

const writeNote = async (api: GitlabApi, signal: AbortSignal, ask: Ask): Promise<void> => {
  await refuseCommands(api.write(null, signal, ask));
};

export const writesComments = ({ api }: GitlabContext): WritesComments => ({
  // POST /projects/:id/merge_requests/:iid/notes: https://docs.gitlab.com/api/notes/#create-new-merge-request-note
  createComment: (of, body, signal) =>
    writeNote(api, signal, (options) => new MergeRequestNotes(options).create(of.projectId, of.number, body)),
  // PUT /projects/:id/merge_requests/:iid/notes/:id: https://docs.gitlab.com/api/notes/#modify-existing-merge-request-note
  editComment: (of, comment, body, signal) =>
    writeNote(api, signal, (options) =>
      new MergeRequestNotes(options).edit(of.projectId, of.number, Number(comment.id), { body }),
    ),
});

// DELETE /projects/:id/merge_requests/:iid/notes/:id: https://docs.gitlab.com/api/notes/#delete-a-merge-request-note
export const deletesComments = ({ api }: GitlabContext): DeletesComments => ({
  deleteComment: async (of, comment, signal) => {
    try {
      await api.write(null, signal, (options) =>
        new MergeRequestNotes(options).remove(of.projectId, of.number, Number(comment.id)),
      );
    } catch (error) {
      if (!hasForgeCode(error, 'FORGE_NOT_FOUND')) throw error;
    }
  },
});

/** POST .../discussions/:id/notes: https://docs.gitlab.com/api/discussions/#add-note-to-existing-merge-request-thread */
export const answersThreads = ({ api }: GitlabContext): AnswersThreads => ({
  reply: async (of, threadId, body, signal) => {
    const id = parseThreadId(threadId);
    await writeNote(api, signal, (options) =>
      new MergeRequestDiscussions(options).addNote(of.projectId, of.number, id, body),
    );
  },
});

// PUT .../discussions/:id?resolved=true: https://docs.gitlab.com/api/discussions/#resolve-a-merge-request-thread
export const resolvesThreads = ({ api }: GitlabContext): ResolvesThreads => ({
  resolveThread: async (of, threadId, signal) => {
    const id = parseThreadId(threadId);
    await api.write(null, signal, (options) =>
      new MergeRequestDiscussions(options).resolve(of.projectId, of.number, id, true),
    );
  },
});

const EMOJI = { eyes: 'eyes', '+1': 'thumbsup', confused: 'confused' } as const;

/**
 * GitLab sends 404 both for an existing reaction and for a missing comment, so the list is read.
 * POST and GET .../notes/:id/award_emoji: https://docs.gitlab.com/api/emoji_reactions/
 */
export const reacts = ({ api, self }: GitlabContext): Reacts => ({
  react: async (of, commentId, reaction, signal) => {
    const name = EMOJI[reaction];
    const noteId = Number(commentId);
    try {
      await api.write(null, signal, (options) =>
        new MergeRequestNoteAwardEmojis(options).award(of.projectId, of.number, noteId, name),
      );
    } catch (error) {
      if (!hasForgeCode(error, 'FORGE_NOT_FOUND')) throw error;
      const { id } = await self(signal);
      const awards = await api.readAll({ item: ApiAward, keyOf: (award) => award.id }, signal, (options, page) =>
        new MergeRequestNoteAwardEmojis(options).all(of.projectId, of.number, noteId, page),
      );
      if (!awards.some((award) => award.name === name && award.user?.id === id)) throw error;
    }
  },
});
