import type { CommitSha } from '../../vocabulary/ids.ts';
import type { Git } from './git.ts';

export type CommitSummary = {
  readonly sha: CommitSha;
  readonly parents: number;
  readonly author: string;
  readonly authoredAtMs: number;
  readonly subject: string;
  readonly body: string;
};

const MAX_BODY_CHARACTERS = 4000;

const parseCommit = (record: string): CommitSummary => {
  const [sha = '', parents = '', seconds = '', author = '', subject = '', ...body] = record.split('\n');
  return {
    // The cast is safe because `%H` is a full object id.
    sha: sha as CommitSha,
    parents: parents === '' ? 0 : parents.split(' ').length,
    authoredAtMs: Number(seconds) * 1000,
    author,
    subject,
    body: body.join('\n').trim().slice(0, MAX_BODY_CHARACTERS),
  };
};

export const readCommits = async (
  git: Git,
  range: { readonly base: CommitSha; readonly head: CommitSha; readonly maxCommits: number },
  signal: AbortSignal,
): Promise<readonly CommitSummary[]> => {
  const { stdout, truncated } = await git.run(
    [
      'log',
      '-z',
      '--no-color',
      '--no-decorate',
      '--no-notes',
      '--no-mailmap',
      '--topo-order',
      `--max-count=${range.maxCommits}`,
      '--encoding=UTF-8',
      '--format=%H%n%P%n%at%n%an%n%s%n%b',
      range.head,
      `^${range.base}`,
      '--',
    ],
    { mayTruncate: true },
    signal,
  );
  const records = stdout.toString('utf8').split('\0');
  const complete = truncated ? records.slice(0, -1) : records;
  return complete.filter((record) => record !== '').map(parseCommit);
};
