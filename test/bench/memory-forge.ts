/** A forge without a network: it answers at once, from memory. */
import { CommitSha, changeRequestKey, type ChangeRequest } from '../../shared/vocabulary/ids.ts';
import type { ChangeRequestFacts, ForgeComment } from '../../shared/forge/port-facts.ts';
import type { Forge } from '../../shared/forge/port.ts';

const BOT = { id: 1, login: 'fixpoint' };
const AUTHOR = { id: 2, login: 'author' };
const TARGET = CommitSha.parse('b'.repeat(40));

export const headOf = ({ projectId, number }: Pick<ChangeRequest, 'projectId' | 'number'>): CommitSha =>
  CommitSha.parse(`${projectId}0${number}`.padStart(40, '0'));

const factsOf = (changeRequest: ChangeRequest): ChangeRequestFacts => ({
  changeRequest,
  state: 'open',
  draft: false,
  title: 'Change',
  description: '',
  author: AUTHOR,
  labels: [],
  head: headOf(changeRequest),
  targetHead: TARGET,
  sourceBranch: 'change',
  targetBranch: 'main',
  mergeBase: null,
  fromFork: false,
  reviewers: [],
  updatedAtMs: 0,
  webUrl: 'http://127.0.0.1:1/',
});

/** Contract: must not throw. */
type Watch = {
  /** Called when the status of a change request becomes final. */
  readonly onVerdict: (of: ChangeRequest) => void;
  readonly onComment?: (of: ChangeRequest) => void;
};

export const createMemoryForge = ({ onVerdict, onComment }: Watch): Forge => {
  const comments = new Map<string, ForgeComment[]>();
  let id = 0;
  const commentsOf = (of: ChangeRequest): ForgeComment[] => {
    const key = changeRequestKey(of);
    const known = comments.get(key) ?? [];
    comments.set(key, known);
    return known;
  };
  const add = (of: ChangeRequest, kind: ForgeComment['kind'], body: string): void => {
    id += 1;
    const base = { threadId: null, author: BOT, createdAtMs: id, updatedAtMs: id, place: null, resolved: null };
    commentsOf(of).push({ id: `${id}`, kind, body, ...base, webUrl: '' });
    onComment?.(of);
  };
  return {
    id: 'sim',
    read: {
      fetchSelf: async () => BOT,
      fetchChangeRequest: async (of) => factsOf(of),
      readOpenPage: async () => ({ open: [], last: true, total: 0, tag: 'empty' }),
      readProjectPage: async () => null,
      fetchHooks: async () => null,
      fetchProject: async () => null,
      findProject: async () => null,
      fetchComments: async (of) => [...commentsOf(of)],
      fetchPermission: async () => 'none',
      fetchStatuses: async () => [],
      fetchChecks: async () => ({ statuses: [], required: [] }),
      fetchBranch: async () => null,
      fetchApprovers: async () => [],
      fetchFile: async () => null,
      findName: async () => null,
      fetchThumbs: async () => [],
      fetchClosedIssues: async () => [],
      locateGit: async ({ number }) => ({ url: 'http://127.0.0.1:1/', headRef: `refs/pull/${number}/head` }),
    },
    write: {
      createComment: async (of, body) => add(of, 'conversation', body),
      editComment: async (of, { id: edited }, body) => {
        const all = commentsOf(of);
        const index = all.findIndex((each) => each.id === edited);
        const old = all[index];
        if (old !== undefined) all[index] = { ...old, body };
      },
      submitReview: async (of, { comments: inline }) => {
        for (const { body } of inline) add(of, 'inline', body);
        return null;
      },
      clearLeftovers: async () => 0,
      deleteComment: async () => {},
      react: async () => {},
      fetchOwnVerdict: async () => null,
      giveVerdict: async () => 'not_offered',
      withdrawVerdicts: async () => null,
      writeStatus: async (of, { state }) => {
        if (state !== 'pending') onVerdict(of);
        return null;
      },
    },
    threads: null,
    resolving: null,
    botMarks: null,
    ciReports: null,
  };
};
