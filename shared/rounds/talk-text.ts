/** The summary after answers in threads: what the round said stays, but for verdict, table of threads and deferred items. */
import { isGrave } from './blocking.ts';
import { shortSha } from './finding-text.ts';
import type { Thread } from './history.ts';
import { HEADLINES, TABLE_HEAD, threadRow } from './summary-text.ts';
import type { CommitSha, FindingId } from './vocabulary.ts';
import type { Judgement } from './verdict.ts';

export type TalkSummary = {
  /** The summary's text as it stands, without markers. */
  readonly before: string;
  readonly head: CommitSha;
  readonly round: number;
  readonly maxRounds: number;
  readonly judgement: Judgement;
  /** As they are now. */
  readonly threads: readonly Thread[];
  readonly answered: readonly FindingId[];
  readonly author: string;
};

export const talkSummaryText = (summary: TalkSummary): string => {
  const paragraphs = summary.before.split(/\n{2,}/);
  const [headline = '', verdict = '', ...rest] = paragraphs;
  const isKnown = headline.startsWith('### ') && verdict.startsWith('Verdict `');
  const kept = isKnown ? withoutRendered(rest) : [LOST];
  const parts = [
    `### ${HEADLINES[summary.judgement.verdict]}`,
    verdictLine(summary),
    tableOf(summary.threads),
    ...kept,
    deferredOf(summary),
  ];
  return parts.filter((part) => part !== '').join('\n\n');
};

const LOST = 'What the round said beside this stands in the history of this comment.';

const verdictLine = ({ judgement, head, round, maxRounds, answered }: TalkSummary): string => {
  const after = answered.length === 0 ? '' : `, after answers in ${answered.join(', ')}`;
  return (
    `Verdict \`${judgement.verdict}\` for ${shortSha(head)}, round ${round} of at most ${maxRounds}${after}: ` +
    `${judgement.reasons.join('; ')}.`
  );
};

const DEFERRED = '#### Deferred';

const withoutRendered = (paragraphs: readonly string[]): readonly string[] =>
  paragraphs.filter(
    (paragraph, index) =>
      !paragraph.startsWith(TABLE_HEAD[0]) && paragraph !== DEFERRED && paragraphs[index - 1] !== DEFERRED,
  );

const tableOf = (threads: readonly Thread[]): string =>
  threads.length === 0 ? '' : [...TABLE_HEAD, ...threads.map((thread) => threadRow(thread, thread.state))].join('\n');

export const deferredOf = ({ threads, author }: Pick<TalkSummary, 'threads' | 'author'>): string => {
  const deferred = threads.filter(
    ({ state, blocking, severity, again }) =>
      (state === 'open' && !blocking && !isGrave(severity)) || (state === 'resolved' && again === true),
  );
  if (deferred.length === 0) return '';
  const items = deferred.map(
    ({ id, severity, title }) =>
      `- ${id} (${severity}): ${title}. Owner: ${author}. Next: fix or answer in the thread.`,
  );
  return `${DEFERRED}\n\n${items.join('\n')}`;
};

const HANDED: Readonly<Record<string, string>> = {
  MAX_RUNS_EXCEEDED: 'this change request has no runs left',
};

/** Posted in each thread that no run could answer. */
export const unansweredText = (code: string): string =>
  `The bot could not answer: ${HANDED[code] ?? 'all attempts failed'} (\`${code}\`).`;
