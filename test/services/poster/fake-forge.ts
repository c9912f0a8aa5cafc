/** A forge that writes down what it is told to write, and fails on every call that a test did not expect. */
import type { PosterForge } from '../../../services/poster/deps.ts';
import type { PostableBody } from '../../../shared/text/postable-body.ts';
import { NO_OWNERS } from './calls-fixture.ts';

export type Written = { readonly what: string; readonly bodies: readonly string[] };

const surprise = (name: string) => async (): Promise<never> => {
  throw new Error(`${name} was not expected`);
};

export const BASE_URL = 'http://forge.example';

export type FakeForge = { readonly forge: PosterForge; readonly written: Written[] };

/** Contract of `submit`: throws in place of the forge; what it lets pass is written down. */
export const createFakeForge = (submit: (bodies: readonly string[]) => void = () => {}): FakeForge => {
  const written: Written[] = [];
  const note = (what: string, bodies: readonly PostableBody[]): void => void written.push({ what, bodies });
  return {
    written,
    forge: {
      calls: NO_OWNERS,
      read: {
        fetchChangeRequest: surprise('fetchChangeRequest'),
        fetchComments: surprise('fetchComments'),
        fetchStatuses: surprise('fetchStatuses'),
        readOpenPage: surprise('readOpenPage'),
      },
      write: {
        createComment: async (_of, body) => note('create', [body]),
        editComment: async (_of, { id }, body) => note(`edit ${id}`, [body]),
        submitReview: async (_of, { comments }) => {
          const bodies = comments.map(({ body }) => body);
          submit(bodies);
          note('review', bodies);
          return null;
        },
        clearLeftovers: surprise('clearLeftovers'),
        writeStatus: surprise('writeStatus'),
        deleteComment: surprise('deleteComment'),
        react: surprise('react'),
        fetchOwnVerdict: surprise('fetchOwnVerdict'),
        giveVerdict: surprise('giveVerdict'),
        withdrawVerdicts: surprise('withdrawVerdicts'),
      },
      threads: { reply: async (_of, threadId, body) => note(`reply ${threadId}`, [body]) },
      resolving: { resolveThread: async (_of, threadId) => note(`resolve ${threadId}`, []) },
      botIds: new Set([900]),
      selfId: 900,
      sanitizing: { forgeBaseUrl: BASE_URL, maxLength: 60_000, secrets: [] },
      rangedSuggestions: false,
      sigil: '#',
      maxTargetUrl: 255,
      keepsStatuses: true,
      reviewBody: false,
    },
  };
};
