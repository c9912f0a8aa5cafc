/** Writes the parts of the summary that a later text replaces, and finds them again. */
import { shortSha } from './finding-text.ts';
import type { Thread } from '../../model/history.ts';
import type { CommitSha, FindingId } from '../../../vocabulary/ids.ts';
import type { Severity, Verdict } from '../../../vocabulary/finding.ts';
import { threadRow } from './thread-row.ts';

export const HEADLINES: Readonly<Record<Verdict, string>> = {
  lgtm: 'Nothing blocks this change',
  feedback: 'This change needs work',
  inconclusive: 'No verdict',
};

export const TABLE_HEAD = ['| Finding | Severity | Place | State |', '| --- | --- | --- | --- |'] as const;

export const threadTable = (threads: readonly Thread[]): string =>
  threads.length === 0 ? '' : [...TABLE_HEAD, ...threads.map((thread) => threadRow(thread, thread.state))].join('\n');

const DEFERRED = '#### Deferred';

export type DeferredItem = { readonly id: FindingId; readonly severity: Severity; readonly title: string };

export const deferredList = (items: readonly DeferredItem[], owner: string): string => {
  const lines = items.map(
    ({ id, severity, title }) => `- ${id} (${severity}): ${title}. Owner: ${owner}. Next: fix or answer in the thread.`,
  );
  return lines.length === 0 ? '' : `${DEFERRED}\n\n${lines.join('\n')}`;
};

export type SummaryComment = {
  readonly verdict: Verdict;
  readonly head: CommitSha;
  /** Follows the head: the round and the reason for the verdict. */
  readonly about: string;
  readonly lead?: string;
  readonly table: string;
  readonly rest: readonly string[];
  readonly deferred: string;
};

export const renderSummary = ({ verdict, head, about, lead = '', table, rest, deferred }: SummaryComment): string =>
  [`### ${HEADLINES[verdict]}`, `Verdict \`${verdict}\` for ${shortSha(head)}${about}`, lead, table, ...rest, deferred]
    .filter((part) => part !== '')
    .join('\n\n');

/** The parts except verdict, table and deferred items, in order. Null for a text of another form. */
export const readSummaryRest = (text: string): readonly string[] | null => {
  const [headline = '', verdict = '', ...others] = text.split(/\n{2,}/);
  if (!headline.startsWith('### ') || !verdict.startsWith('Verdict `')) return null;
  const tableAt = others.findIndex((paragraph) => paragraph.startsWith(TABLE_HEAD[0]));
  const deferredAt = others.lastIndexOf(DEFERRED);
  return others.filter((_, at) => at !== tableAt && (deferredAt < 0 || (at !== deferredAt && at !== deferredAt + 1)));
};
