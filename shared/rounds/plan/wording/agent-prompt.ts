/** Instructions that a person may copy into a coding agent. */
import { counted } from './counted.ts';
import { graverItemFirst, isOpenItem, type Item } from './item.ts';
import { codeFence } from '../../../text/code-fence.ts';
import { cutPoint } from '../../../text/cut.ts';
import { isUnverified } from '../../model/blocking.ts';
import type { Fold } from '../../model/posting/post-plan.ts';
import { severityWord } from '../../../vocabulary/severity-words.ts';

const MAX_ITEMS = 50;
/** Maximum length of the text of each finding in UTF-16 units. */
const MAX_WORDS = 1_500;

const PROMPT = 'Prompt for a coding agent';

export const isPromptFold = ({ title }: Fold): boolean => title === PROMPT;

/** A section that every later version replaces. Null if nothing is open. */
export const promptFold = (items: readonly Item[]): Fold | null => {
  const open = items.filter((item) => isOpenItem(item) && !isUnverified(item)).toSorted(graverItemFirst);
  if (open.length === 0) return null;
  return { title: PROMPT, text: codeFence(promptText(open), 'text') };
};

const promptText = (open: readonly Item[]): string => {
  const shown = open.slice(0, MAX_ITEMS);
  const more =
    open.length > shown.length ? [`The change request lists ${open.length - shown.length} more findings.`] : [];
  return [
    `A code review has ${counted(open.length, 'open finding')}. For each finding, read the code around`,
    'its location and check whether the finding is valid. Fix the valid findings, with the',
    'smallest change that works. Say which findings are wrong, and why.',
    '',
    ...shown.flatMap((item, index) => [itemText(item, index + 1), '']),
    ...more,
  ]
    .join('\n')
    .trimEnd();
};

const itemText = ({ id, severity, title, place, body, suggestion, blocks }: Item, number: number): string => {
  const lines = place.startLine === place.line ? `line ${place.line}` : `lines ${place.startLine}-${place.line}`;
  const side = place.side === 'old' ? ' of the version before the change' : '';
  const weight = `${severityWord(severity).toLowerCase()}${blocks ? ', must be fixed before merging' : ', optional'}`;
  return [
    `${number}. ${place.path}, ${lines}${side} (${id}, ${weight})`,
    indent(title),
    ...(body === '' ? [] : [indent(cut(body))]),
    ...suggestionLines(suggestion, lines),
  ].join('\n');
};

const suggestionLines = (suggestion: Item['suggestion'], lines: string): readonly string[] => {
  if (suggestion === undefined || suggestion === null) return [];
  return suggestion === ''
    ? [indent(`Suggested: delete ${lines}.`)]
    : [indent(`Suggested for ${lines}:`), indent(cut(suggestion))];
};

const cut = (text: string): string =>
  text.length <= MAX_WORDS ? text : `${text.slice(0, cutPoint(text, MAX_WORDS)).trimEnd()} […]`;

const indent = (text: string): string =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => (line === '' ? '' : `   ${line}`))
    .join('\n');
