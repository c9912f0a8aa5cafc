/** Writes the summary after replies in threads: headline, table and prompt are replaced, everything else is kept. */
import { headline } from './headline.ts';
import { costLine, type CostLine } from './cost-line.ts';
import { itemsOf } from './item.ts';
import { ABOUT, renderSummary, type SummaryRest } from './summary-comment.ts';
import { shortSha } from './finding-text.ts';
import type { Judgement } from '../../gate/verdict.ts';
import type { SummaryBody } from '../../model/posting/post-plan.ts';
import type { Thread } from '../../model/history.ts';
import type { CommitSha, FindingId } from '../../../vocabulary/ids.ts';

export type RepliesSummary = {
  /** The other parts of the summary, which are kept. */
  readonly kept: SummaryRest;
  readonly head: CommitSha;
  readonly judgement: Judgement;
  /** The threads as they are after the replies. */
  readonly threads: readonly Thread[];
  readonly answered: readonly FindingId[];
  readonly author: string;
  readonly mention: string | undefined;
  readonly cost: CostLine;
};

export const repliesSummary = (summary: RepliesSummary): SummaryBody => {
  const { kept, head, judgement, threads, answered, author, mention, cost } = summary;
  const after = answered.length === 0 ? '' : `, after answers in ${answered.join(', ')}`;
  const items = itemsOf(threads);
  return renderSummary({
    headline: headline({ judgement, items }),
    about: `${ABOUT}${shortSha(head)}${after}.`,
    items,
    ...kept,
    foot: costLine(cost),
    author,
    mention,
  });
};

const HANDED: Readonly<Record<string, string>> = {
  MAX_RUNS_EXCEEDED: 'this change request has no runs left',
};

export const unansweredText = (code: string): string =>
  `The bot could not answer: ${HANDED[code] ?? 'all attempts failed'} (\`${code}\`).`;
