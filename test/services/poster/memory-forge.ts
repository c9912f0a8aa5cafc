/** A forge in memory: what is written can be read back, unless a test says otherwise. */
import { pino } from 'pino';
import type { PosterDeps, PosterForge, Posting } from '../../../services/poster/deps.ts';
import type { ChangeRequestFacts, ForgeComment } from '../../../shared/forge/port-facts.ts';
import type { KnownComments } from '../../../shared/forge/port.ts';
import type { CommitStatus, OutgoingStatus, StatusRefusal } from '../../../shared/forge/port-statuses.ts';
import type { PostPlan } from '../../../shared/rounds/model/posting/post-plan.ts';
import * as make from '../../shared/rounds/builders.ts';
import { never } from '../../shared/workspace/repository.ts';
import { createFakeForge } from './fake-forge.ts';
import { EMPTY_LIST } from './free-place.ts';
import { posterDeps } from './poster-deps.ts';

export type MemoryForge = {
  readonly forge: PosterForge;
  /** A test may change it at any time. */
  facts: ChangeRequestFacts | null;
  /** What the forge lists, oldest first. */
  readonly comments: ForgeComment[];
  /** Each write that the forge accepted. */
  readonly done: string[];
  readonly statuses: OutgoingStatus[];
  /** Numbers of the change requests through which statuses were written. */
  readonly through: number[];
  /** What the poster said it knew when it read the comments. */
  readonly readings: (KnownComments['written'] | null)[];
  /** Contract: throws in place of the forge, before anything is written. */
  beforeWrite: (what: string) => void;
  /** Why the forge refuses a status; null if it does not. */
  refusal: StatusRefusal | null;
};

type MemoryWish = {
  readonly before?: readonly ForgeComment[];
  readonly statuses?: readonly CommitStatus[];
  readonly forge?: Partial<PosterForge>;
};

export const createMemoryForge = ({ before = [], statuses = [], forge: more = {} }: MemoryWish = {}): MemoryForge => {
  const { forge } = createFakeForge();
  let lastId = 1_000;
  const add = (body: string, patch: Partial<ForgeComment> = {}): void => {
    lastId += 1;
    const webUrl = `http://forge.example/5#note-${lastId}`;
    memory.comments.push(make.comment(body, { id: `${lastId}`, createdAtMs: lastId, webUrl, ...patch }));
  };
  const write = (what: string, change: () => void = () => {}): void => {
    memory.beforeWrite(what);
    memory.done.push(what);
    change();
  };
  const at = (id: string): number => memory.comments.findIndex((each) => each.id === id);
  const memory: MemoryForge = {
    facts: make.changeRequest(),
    comments: [...before],
    done: [],
    statuses: [],
    through: [],
    readings: [],
    beforeWrite: () => {},
    refusal: null,
    forge: {
      ...forge,
      read: {
        fetchChangeRequest: async () => memory.facts,
        fetchComments: async (_of, _signal, known) => {
          memory.readings.push(known?.written ?? null);
          return [...memory.comments];
        },
        fetchStatuses: async () => statuses,
        readOpenPage: async () => EMPTY_LIST,
      },
      write: {
        ...forge.write,
        clearLeftovers: async () => 0,
        createComment: async (_of, body) => write('create', () => add(body)),
        editComment: async (_of, comment, body) =>
          write(`edit ${comment.id}`, () => void memory.comments.splice(at(comment.id), 1, { ...comment, body })),
        deleteComment: async (_of, { id }) => write(`delete ${id}`, () => void memory.comments.splice(at(id), 1)),
        submitReview: async (_of, { body, comments }) => {
          write('review', () => {
            if (memory.forge.reviewBody) add(body, { kind: 'review_body' });
            for (const comment of comments) add(comment.body, { kind: 'inline', threadId: `t${lastId}` });
          });
          return null;
        },
        writeStatus: async ({ number }, status) => {
          memory.through.push(number);
          write(`status ${status.state}`, () => void memory.statuses.push(status));
          return memory.refusal;
        },
      },
      threads: {
        reply: async (_of, threadId, body) => write(`reply ${threadId}`, () => add(body, { kind: 'inline', threadId })),
      },
      resolving: { resolveThread: async (_of, threadId) => write(`resolve ${threadId}`) },
      ...more,
    },
  };
  return memory;
};

export const postingOn = (
  { forge }: Pick<MemoryForge, 'forge'>,
  plan: PostPlan,
  deps: Partial<PosterDeps> = {},
): Posting => ({ deps: posterDeps(deps), forge, plan, log: pino({ level: 'silent' }), signal: never() });
