/** Builds the summary, and reads back the parts of it that a later text keeps. */
import { commandsFold, isCommandsFold } from './commands-text.ts';
import { findingsTable, TABLE_HEAD } from './findings-table.ts';
import { graverItemFirst, isOpenItem, isSuggestion, type Item } from './item.ts';
import { isPromptFold, promptFold } from './agent-prompt.ts';
import { isResolvedFold, presentFolds, resolvedFold } from './summary-folds.ts';
import { readSummaryBody } from '../../memory/read-summary-body.ts';
import type { History } from '../../model/history.ts';
import type { Fold, SummaryBody } from '../../model/posting/post-plan.ts';

export type SummaryParts = {
  /** What to do, in one line. */
  readonly headline: string;
  /** What the headline is about, in one line. */
  readonly about: string;
  readonly items: readonly Item[];
  /** Paragraphs after the table, which later texts keep. */
  readonly notes: readonly string[];
  /** Collapsed sections, which later texts keep. */
  readonly folds: readonly (Fold | null)[];
  readonly foot: string;
  /** Login of the author, who decides about suggestions. */
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

/** True for a fold that a later text replaces with its own. */
const isReplaced = (fold: Fold): boolean => isResolvedFold(fold) || isPromptFold(fold) || isCommandsFold(fold);

const isTable = (paragraph: string): boolean => paragraph.startsWith(TABLE_HEAD[0]);

/** What the history of the comment still shows. */
const LOST = 'The edit history of this comment shows what else the last review said.';

/** The notes and folds that a later text keeps, or a note that they are lost: a failure has replaced them, or nothing is there. */
export const keptRest = ({ summary, verdict }: Pick<History, 'summary' | 'verdict'>): SummaryRest => {
  if (summary === null || verdict === null) return NOTHING_KEPT;
  return readSummaryRest(readSummaryBody(summary.comment.body)) ?? { notes: [LOST], folds: [] };
};

/** Null for a text of another form. */
const readSummaryRest = ({ text, folds = [] }: SummaryBody): SummaryRest | null => {
  const [headline = '', about = '', ...others] = text.split(/\n{2,}/);
  if (!headline.startsWith('**') || !about.startsWith(ABOUT)) return null;
  const tableAt = others.findIndex(isTable);
  const notes = others.filter((paragraph, at) => at !== tableAt && !paragraph.startsWith(SUGGESTIONS));
  return { notes, folds: folds.filter((fold) => !isReplaced(fold)) };
};

/** Begins the line about the review, in a verdict and in the announcement of a review: both keep what the last review said. */
export const ABOUT = 'Commit ';
