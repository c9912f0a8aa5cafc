/** One change request on a forge in memory: what guard reads of it, what the poster writes, and what people do to it. */
import type { KnownForge } from '../../../services/guard/deps.ts';
import type { PosterForge } from '../../../services/poster/deps.ts';
import { ForgeRequestError } from '../../../shared/forge/errors.ts';
import type { ReportJob } from '../../../shared/forge/port-ci-reports.ts';
import type { ChangeRequestFacts, ForgeComment } from '../../../shared/forge/port-facts.ts';
import type { CommitSha } from '../../../shared/vocabulary/ids.ts';
import * as make from '../../shared/rounds/builders.ts';
import { EMPTY_LIST } from '../poster/free-place.ts';
import { NO_OWNERS } from '../poster/calls-fixture.ts';

const BOT = { id: make.BOT_ID, login: 'fixpoint' };
/** The CI job whose report an analyzer uses. */
export const JOB = 'scan';
export const PERSON = { id: make.AUTHOR_ID, login: 'author' };
/** Marked by the operator as a bot of others. */
export const STRANGE_BOT = { id: make.OTHER_BOT_ID, login: 'eager-bot' };

/** The CI job that makes a report. `restarting`: whenever somebody looks, it has just been started again. */
export type CiJob = 'running' | 'restarting' | 'ended';

export type ModelForge = {
  readonly guard: Pick<KnownForge, 'read' | 'otherBots' | 'botIds' | 'mention' | 'ciReports'>;
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
  readonly setJob: (job: CiJob) => void;
  /** The next calls of guard and poster fail. */
  readonly fail: (calls: number) => void;
};

const unused = (name: string) => async (): Promise<never> => {
  throw new Error(`${name} was not expected`);
};

type Patch = Partial<ForgeComment> & { readonly body: string };

/** What stands on the forge, and whether it answers. */
const createBook = (nowMs: () => number) => {
  let facts = make.changeRequest({ head: make.sha('first') });
  let comments: readonly ForgeComment[] = [];
  let job: CiJob = 'ended';
  let failures = 0;
  let last = 0;
  let created = 0;
  const add = (patch: Patch): number => {
    last += 1;
    const times = { createdAtMs: nowMs(), updatedAtMs: nowMs() };
    comments = [...comments, make.comment(patch.body, { ...times, ...patch, id: `${last}` })];
    return last;
  };
  const editWhere = (is: (comment: ForgeComment) => boolean, patch: Partial<ForgeComment>): void => {
    comments = comments.map((each) => (is(each) ? { ...each, ...patch, updatedAtMs: nowMs() } : each));
  };
  return {
    facts: () => facts,
    comments: () => comments,
    created: () => created,
    job: () => job,
    setJob: (next: CiJob): void => {
      job = next;
    },
    nextThread: () => `t${last + 1}`,
    add,
    editWhere,
    change: (patch: Partial<ChangeRequestFacts>): void => {
      facts = { ...facts, ...patch };
    },
    write: (patch: Patch): void => {
      created += 1;
      add({ ...patch, author: BOT });
    },
    remove: (id: string): void => {
      comments = comments.filter((each) => each.id !== id);
    },
    fail: (calls: number): void => {
      failures = calls;
    },
    call: async <Result>(work: () => Result): Promise<Result> => {
      if (failures === 0) return work();
      failures -= 1;
      throw new ForgeRequestError({
        code: 'FORGE_UNAVAILABLE',
        message: 'no',
        disposition: { kind: 'retry' },
        fields: {},
      });
    },
  };
};

type Book = ReturnType<typeof createBook>;

const readingOf = ({ call, facts, comments }: Book) => ({
  fetchChangeRequest: async () => call(facts),
  fetchComments: async () => call(comments),
  fetchStatuses: async () => call(() => []),
  fetchChecks: async () => call(() => ({ statuses: [], required: [] })),
  readOpenPage: async () => call(() => EMPTY_LIST),
});

const jobOf = (book: Book, nowMs: () => number): ReportJob => ({
  name: JOB,
  state: book.job() === 'ended' ? 'passed' : 'open',
  id: 1,
  projectId: 1,
  createdAtMs: book.job() === 'restarting' ? nowMs() : 0,
  mergedWith: null,
});

const guardSide = (book: Book, nowMs: () => number): ModelForge['guard'] => ({
  ciReports: {
    fetchCiJobs: async () => book.call(() => ({ jobs: [jobOf(book, nowMs)], hidden: false })),
    fetchArtifact: async () => book.call(() => ({ kind: 'text', text: '{}' })),
  },
  botIds: new Set([BOT.id]),
  mention: BOT.login,
  otherBots: { ignored: new Set([STRANGE_BOT.id]), allowed: new Set(), marks: null },
  read: {
    ...readingOf(book),
    fetchPermission: async (_project, { id }) => book.call(() => (id === PERSON.id ? 'write' : 'none')),
    locateGit: async () => book.call(() => ({ url: 'https://forge.example/a/b.git', headRef: 'refs/pull/5/head' })),
    fetchProject: unused('fetchProject'),
    fetchBranch: unused('fetchBranch'),
    fetchApprovers: unused('fetchApprovers'),
  },
});

const writingOf = ({ call, write, editWhere, remove, nextThread }: Book): PosterForge['write'] => ({
  createComment: async (_of, body) => call(() => write({ body, kind: 'conversation' })),
  editComment: async (_of, { id }, body) => call(() => editWhere((each) => each.id === id, { body })),
  submitReview: async (_of, { body, comments }) =>
    call(() => {
      write({ body, kind: 'review_body' });
      for (const each of comments) write({ body: each.body, kind: 'inline', threadId: nextThread(), resolved: false });
      return null;
    }),
  clearLeftovers: async () => call(() => 0),
  writeStatus: async () => call(() => null),
  deleteComment: async (_of, { id }) => call(() => remove(id)),
  react: async () => call(() => {}),
  fetchOwnVerdict: async () => call(() => null),
  giveVerdict: async () => call(() => null),
  withdrawVerdicts: async () => call(() => null),
});

const posterSide = (book: Book): PosterForge => ({
  calls: NO_OWNERS,
  read: readingOf(book),
  write: writingOf(book),
  threads: {
    reply: async (_of, threadId, body) => book.call(() => book.write({ body, kind: 'inline', threadId })),
  },
  resolving: {
    resolveThread: async (_of, threadId) =>
      book.call(() => book.editWhere((each) => each.threadId === threadId, { resolved: true })),
  },
  botIds: new Set([BOT.id]),
  selfId: BOT.id,
  sanitizing: { forgeBaseUrl: 'http://forge.example', maxLength: 60_000, secrets: [] },
  rangedSuggestions: false,
  sigil: '#',
  maxTargetUrl: 255,
  keepsStatuses: true,
  reviewBody: true,
});

export const createModelForge = (nowMs: () => number): ModelForge => {
  const book = createBook(nowMs);
  const { facts, comments, created, change, add, editWhere, fail, setJob } = book;
  return {
    facts,
    comments,
    created,
    fail,
    setJob,
    push: (head) => change({ head }),
    setOpen: (isOpen) => change({ state: isOpen ? 'open' : 'closed' }),
    say: (by, body, threadId = null) =>
      add({ body, author: by, threadId, kind: threadId === null ? 'conversation' : 'inline' }),
    toggle: (threadId) => {
      const wasResolved = comments().some((each) => each.threadId === threadId && each.resolved === true);
      editWhere((each) => each.threadId === threadId, { resolved: !wasResolved });
    },
    guard: guardSide(book, nowMs),
    poster: posterSide(book),
  };
};
