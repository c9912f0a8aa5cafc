/** Builds the summary, and reads back the parts that a later version keeps. */
import { commandsFold, isCommandsFold } from './commands-text.ts';
import { findingsTable, TABLE_HEAD } from './findings-table.ts';
import { graverItemFirst, isOpenItem, isSuggestion, type Item } from './item.ts';
import { isPromptFold, promptFold } from './agent-prompt.ts';
import { isResolvedFold, presentFolds, resolvedFold } from './summary-folds.ts';
import { readSummaryBody } from '../../memory/read-summary-body.ts';
import type { History } from '../../model/history.ts';
import type { Fold, SummaryBody } from '../../model/posting/post-plan.ts';

export type SummaryParts = {
  /** One line that says what to do. */
  readonly headline: string;
  /** One line that says what the headline is about. */
  readonly about: string;
  readonly items: readonly Item[];
  /** Paragraphs after the table, which later versions keep. */
  readonly notes: readonly string[];
  /** Collapsed sections, which later versions keep. */
  readonly folds: readonly (Fold | null)[];
  readonly foot: string;
  /** The login of the author, who decides about suggestions. */
  readonly author: string;
  readonly mention: string | undefined;
};

export type SummaryRest = Pick<SummaryParts, 'notes' | 'folds'>;

export const NOTHING_KEPT: SummaryRest = { notes: [], folds: [] };

export const renderSummary = (parts: SummaryParts): SummaryBody => {
  const { headline, about, items, notes, folds, foot, mention } = parts;
  const open = items.filter(isOpenItem).toSorted(graverItemFirst);
  return {
    text: [headline, about, findingsTable(open), suggestionLine(parts), ...notes]
      .filter((part) => part !== '')
      .join('\n\n'),
    folds: [...presentFolds([resolvedFold(items), ...folds, promptFold(items)]), commandsFold(mention)],
    foot,
  };
};

const SUGGESTIONS = 'Suggestions do not block merging:';

const suggestionLine = ({ items, author }: SummaryParts): string =>
  items.some(isSuggestion)
    ? `${SUGGESTIONS} \`${author}\` decides whether to follow them, or answers in their threads.`
    : '';

/** True for a section that a later version replaces with a new one. */
const isReplaced = (fold: Fold): boolean => isResolvedFold(fold) || isPromptFold(fold) || isCommandsFold(fold);

const isTable = (paragraph: string): boolean => paragraph.startsWith(TABLE_HEAD[0]);

/** Says where readers can find the text that was lost. */
const LOST = 'The edit history of this comment shows what else the last review said.';

/**
 * Returns the notes and sections that a later version keeps. If a failure has replaced the summary, a note says that
 * they are lost.
 */
export const keptRest = ({ summary, verdict }: Pick<History, 'summary' | 'verdict'>): SummaryRest => {
  if (summary === null || verdict === null) return NOTHING_KEPT;
  return readSummaryRest(readSummaryBody(summary.comment.body)) ?? { notes: [LOST], folds: [] };
};

/** Returns null if the summary does not have the form of a review's result. */
const readSummaryRest = ({ text, folds = [] }: SummaryBody): SummaryRest | null => {
  const [headline = '', about = '', ...others] = text.split(/\n{2,}/);
  if (!headline.startsWith('**') || !about.startsWith(ABOUT)) return null;
  const tableAt = others.findIndex(isTable);
  const notes = others.filter((paragraph, at) => at !== tableAt && !paragraph.startsWith(SUGGESTIONS));
  return { notes, folds: folds.filter((fold) => !isReplaced(fold)) };
};

/**
 * The line about the review begins with this word, both in a verdict and in an announcement. Both keep the text of the
 * last review.
 */
export const ABOUT = 'Commit ';
