/** The messages of the change's commits: often the only text that explains why the change was made. */
import { cutPoint } from '../../../shared/text/cut.ts';
import { AppError } from '../../../shared/errors.ts';
import type { CommitSummary } from '../../../shared/workspace/git/commits.ts';
import type { Revisions } from '../../../shared/workspace/git/revisions.ts';
import type { CommitSha } from '../../../shared/vocabulary/ids.ts';
import type { Packet } from './packet.ts';

const MAX_COMMITS = 20;
const MAX_SUBJECT = 120;
const MAX_BODY = 400;
const MAX_CHARACTERS = 3_000;

export type ToldAlready = { readonly title: string; readonly description: string };

const cut = (text: string, max: number): string =>
  text.length <= max ? text : `${text.slice(0, cutPoint(text, max))}…`;

/** If a change has only one commit, forges take its title and description from the commit message. */
const isTold = ({ subject, body }: CommitSummary, { title, description }: ToldAlready): boolean =>
  title.trim() === subject.trim() && description.includes(body.trim());

const withoutTrailers = (body: string): string =>
  body
    .split('\n')
    .filter((line) => !/^(?:signed-off-by|co-authored-by|change-id|reviewed-by):/i.test(line))
    .join('\n')
    .trim();

const messageOf = ({ sha, subject, body }: CommitSummary, hasBody: boolean): string => {
  const text = hasBody ? cut(withoutTrailers(body), MAX_BODY) : '';
  const rows = text === '' ? [] : text.split('\n').map((row) => `  ${row}`);
  return [`${sha.slice(0, 10)} ${cut(subject, MAX_SUBJECT)}`, ...rows].join('\n');
};

/**
 * The newest 20 messages, each shortened, as many as fit in 3,000 characters. In a later review, only those of new
 * commits, without bodies. Merges are left out. Empty if git fails, because a review does not depend on them.
 */
export const commitMessages = async (
  {
    packet,
    told,
  }: { readonly packet: Pick<Packet, 'base' | 'head' | 'delta' | 'previousHead'>; readonly told: ToldAlready },
  revisions: Pick<Revisions, 'commits'>,
  signal: AbortSignal,
): Promise<readonly string[]> => {
  const { base, head, delta, previousHead } = packet;
  if (base === null) return [];
  try {
    const upTo = (tip: CommitSha) => revisions.commits({ base, head: tip, maxCommits: 5 * MAX_COMMITS }, signal);
    const before = delta === null || previousHead === undefined ? [] : await upTo(previousHead);
    const known = new Set(before.map(({ sha }) => sha));
    const commits = (await upTo(head)).filter(({ sha, parents }) => parents < 2 && !known.has(sha));
    if (commits.length === 1 && commits.every((commit) => isTold(commit, told))) return [];
    let left = MAX_CHARACTERS;
    return commits
      .slice(0, MAX_COMMITS)
      .map((commit) => messageOf(commit, delta === null))
      .filter((message) => (left -= message.length) >= 0);
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof AppError)) throw error;
    return [];
  }
};
