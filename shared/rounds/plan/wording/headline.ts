/** Writes the first line of the summary: what to do. */
import { isOpenItem, isSuggestion, type Item, waitsForPerson } from './item.ts';
import { counted } from './counted.ts';
import { isUnverified } from '../../model/blocking.ts';
import type { Judgement } from '../../gate/verdict.ts';

export type Headline = {
  readonly judgement: Judgement;
  readonly items: readonly Item[];
  /** Text that follows "No problems found", such as `in 12 files`. Empty if nothing is known. */
  readonly where?: string;
};

export const headline = ({ judgement: { verdict, reasons }, items, where = '' }: Headline): string => {
  switch (verdict) {
    case 'lgtm':
      return passed(items, where);
    case 'feedback':
      return items.some(isToFix) || items.some(isWaiting)
        ? `${lead(openCounts(items))}${more(openCounts(items))}`
        : `**Not ready to merge**: ${sentence(reasons.map(plainReason))}`;
    case 'inconclusive':
      return withCounts(`**No verdict**: ${sentence(reasons.filter(isAboutReview).map(plainReason))}`, items);
    default:
      return verdict satisfies never;
  }
};

const passed = (items: readonly Item[], where: string): string => {
  const suggestions = items.filter(isSuggestion).length;
  if (suggestions > 0) return `**Nothing blocks merging**, ${counted(suggestions, 'suggestion')}`;
  if (items.some(isOpenItem)) return '**Nothing blocks merging**';
  return items.length === 0 ? `**No problems found**${where === '' ? '' : ` ${where}`}` : '**All findings are closed**';
};

const isToFix = (item: Item): boolean => item.blocks && !waitsForPerson(item);
const isWaiting = (item: Item): boolean => item.blocks && waitsForPerson(item);

const openCounts = (items: readonly Item[]): readonly string[] => {
  const count = (fits: (item: Item) => boolean): number => items.filter(fits).length;
  const [fix, wait, unsure, suggest] = [count(isToFix), count(isWaiting), count(isUnverified), count(isSuggestion)];
  return [
    ...(fix === 0 ? [] : [`${counted(fix, 'problem')} to fix before merging`]),
    ...(wait === 0 ? [] : [`${counted(wait, 'problem')} for a person to decide`]),
    ...(unsure === 0 ? [] : [`${counted(unsure, 'claim')} not verified`]),
    ...(suggest === 0 ? [] : [counted(suggest, 'suggestion')]),
  ];
};

const lead = ([first = '']: readonly string[]): string => `**${first}**`;
const more = ([, ...rest]: readonly string[]): string => rest.map((each) => `, ${each}`).join('');

const withCounts = (text: string, items: readonly Item[]): string => {
  const counts = openCounts(items);
  return counts.length === 0 ? text : `${text}. Open: ${counts.join(', ')}`;
};

const sentence = (reasons: readonly string[]): string => reasons.join('; ') || 'the review is not complete';

/** False for reasons about open findings, because the headline already shows their number. */
const isAboutReview = (reason: string): boolean => !/^F-\d/.test(reason) && !reason.startsWith('nobody could verify');

/** Removes the codes that other programs read. */
export const plainReason = (reason: string): string =>
  reason.replace(/^reviewer_budget_exceeded: (.*) is used up$/, 'the review stopped early, because $1 was used up');
