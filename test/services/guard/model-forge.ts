/** One change request on a forge in memory: what guard reads of it, what the poster writes, and what people do to it. */
import type { KnownForge } from '../../../services/guard/deps.ts';
import type { PosterForge } from '../../../services/poster/deps.ts';
import { ForgeRequestError } from '../../../shared/forge/errors.ts';
import type { ChangeRequestFacts, ForgeComment } from '../../../shared/forge/port.ts';
import type { CommitSha } from '../../../shared/rounds/vocabulary.ts';
import * as make from '../../shared/rounds/builders.ts';

const BOT = { id: make.BOT_ID, login: 'fixpoint' };
export const PERSON = { id: make.AUTHOR_ID, login: 'author' };
/** Marked by the operator as a bot of others. */
export const STRANGE_BOT = { id: make.OTHER_BOT_ID, login: 'eager-bot' };

export type ModelForge = {
  readonly guard: Pick<KnownForge, 'read' | 'otherBots' | 'botIds' | 'mention'>;
  readonly poster: PosterForge;
  readonly facts: () => ChangeRequestFacts;
  readonly comments: () => readonly ForgeComment[];
  /** Comments that the bot has created so far, deleted ones included. */
  readonly created: () => number;
  readonly push: (head: CommitSha) => void;
  readonly setOpen: (isOpen: boolean) => void;
  /** Id of the new comment. */
  readonly say: (by: typeof PERSON, body: string, threadId?: string | null) => number;
  readonly toggle: (threadId: string) => void;
  /** The next calls of guard and poster fail. */
  readonly fail: (calls: number) => void;
};

const unused = (name: string) => async (): Promise<never> => {
  throw new Error(`${name} was not expected`);
};

export const createModelForge = (nowMs: () => number): ModelForge => {
  let facts = make.changeRequest({ head: make.sha('first') });
  let comments: readonly ForgeComment[] = [];
  let failures = 0;
  let last = 0;
  let created = 0;
  const call = <Result>(work: () => Result) => {
    if (failures === 0) return Promise.resolve(work());
    failures -= 1;
    return Promise.reject(
      new ForgeRequestError({ code: 'FORGE_UNAVAILABLE', message: 'no', disposition: { kind: 'retry' }, fields: {} }),
    );
  };
  const add = (patch: Partial<ForgeComment> & { readonly body: string }): number => {
    last += 1;
    const times = { createdAtMs: nowMs(), updatedAtMs: nowMs() };
    comments = [...comments, make.comment(patch.body, { ...times, ...patch, id: `${last}` })];
    return last;
  };
  const write = (patch: Partial<ForgeComment> & { readonly body: string }): void => {
    created += 1;
    add({ ...patch, author: BOT });
  };
  const edit = (id: string, patch: Partial<ForgeComment>): void => {
    comments = comments.map((each) => (each.id === id ? { ...each, ...patch, updatedAtMs: nowMs() } : each));
  };
  const read = {
    fetchChangeRequest: () => call(() => facts),
    fetchComments: () => call(() => comments),
    fetchStatuses: () => call(() => []),
  };
  return {
    facts: () => facts,
    comments: () => comments,
    created: () => created,
    push: (head) => {
      facts = { ...facts, head };
    },
    setOpen: (isOpen) => {
      facts = { ...facts, state: isOpen ? 'open' : 'closed' };
    },
    say: (by, body, threadId = null) =>
      add({ body, author: by, threadId, kind: threadId === null ? 'conversation' : 'inline' }),
    toggle: (threadId) => {
      for (const each of comments) if (each.threadId === threadId) edit(each.id, { resolved: each.resolved !== true });
    },
    fail: (calls) => {
      failures = calls;
    },
    guard: {
      botIds: new Set([BOT.id]),
      mention: BOT.login,
      otherBots: { ignored: new Set([STRANGE_BOT.id]), allowed: new Set(), marks: null },
      read: {
        ...read,
        fetchPermission: (_project, { id }) => call(() => (id === PERSON.id ? 'write' : 'none')),
        locateGit: () => call(() => ({ url: 'https://forge.example/a/b.git', headRef: 'refs/pull/5/head' })),
        fetchProject: unused('fetchProject'),
        fetchBranch: unused('fetchBranch'),
        fetchApprovers: unused('fetchApprovers'),
      },
    },
    poster: {
      read,
      write: {
        createComment: (_of, body) => call(() => write({ body, kind: 'conversation' })),
        editComment: (_of, { id }, body) => call(() => edit(id, { body })),
        submitReview: (_of, { body, comments: inline }) =>
          call(() => {
            write({ body, kind: 'review_body' });
            for (const each of inline)
              write({ body: each.body, kind: 'inline', threadId: `t${last + 1}`, resolved: false });
            return null;
          }),
        clearLeftovers: () => call(() => 0),
        writeStatus: () => call(() => {}),
        deleteComment: (_of, { id }) =>
          call(() => {
            comments = comments.filter((each) => each.id !== id);
          }),
        react: () => call(() => {}),
        fetchOwnVerdict: () => call(() => null),
        giveVerdict: () => call(() => null),
        withdrawVerdicts: () => call(() => null),
      },
      threads: { reply: (_of, threadId, body) => call(() => write({ body, kind: 'inline', threadId })) },
      resolving: {
        resolveThread: (_of, threadId) =>
          call(() => {
            for (const each of comments) if (each.threadId === threadId) edit(each.id, { resolved: true });
          }),
      },
      botIds: new Set([BOT.id]),
      selfId: BOT.id,
      sanitizing: { forgeBaseUrl: 'http://forge.example', maxLength: 60_000, secrets: [] },
      rangedSuggestions: false,
    },
  };
};
