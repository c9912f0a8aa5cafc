/** The summary after replies in threads: verdict, thread table and deferred items are replaced, the rest is kept. */
import { isGrave } from '../../model/blocking.ts';
import type { Thread } from '../../model/history.ts';
import { deferredList, readSummaryRest, renderSummary, threadTable } from './summary-comment.ts';
import type { CommitSha, FindingId } from '../../../vocabulary/ids.ts';
import type { Judgement } from '../../gate/verdict.ts';

export type RepliesSummary = {
  readonly before: string;
  readonly head: CommitSha;
  readonly round: number;
  readonly maxRounds: number;
  readonly judgement: Judgement;
  /** After the replies. */
  readonly threads: readonly Thread[];
  readonly answered: readonly FindingId[];
  readonly author: string;
};

export const repliesSummaryText = (summary: RepliesSummary): string => {
  const { before, head, round, maxRounds, judgement, threads, answered } = summary;
  const after = answered.length === 0 ? '' : `, after answers in ${answered.join(', ')}`;
  return renderSummary({
    verdict: judgement.verdict,
    head,
    about: `, round ${round} of at most ${maxRounds}${after}: ${judgement.reasons.join('; ')}.`,
    table: threadTable(threads),
    rest: readSummaryRest(before) ?? [LOST],
    deferred: deferredOf(summary),
  });
};

const LOST = 'What the round said beside this stands in the history of this comment.';

export const deferredOf = ({ threads, author }: Pick<RepliesSummary, 'threads' | 'author'>): string =>
  deferredList(
    threads.filter(
      ({ state, blocking, severity, again }) =>
        (state === 'open' && !blocking && !isGrave(severity)) || (state === 'resolved' && again === true),
    ),
    author,
  );

const HANDED: Readonly<Record<string, string>> = {
  MAX_RUNS_EXCEEDED: 'this change request has no runs left',
};

export const unansweredText = (code: string): string =>
  `The bot could not answer: ${HANDED[code] ?? 'all attempts failed'} (\`${code}\`).`;
