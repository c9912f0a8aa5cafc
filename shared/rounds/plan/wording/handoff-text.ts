/** Writes the text of a hand-off: what blocks, and the exact commands for each way to continue. */
import { findingLink, oneLineTitle } from './finding-links.ts';
import { graverItemFirst, type Item } from './item.ts';
import { placeText } from './finding-text.ts';
import { shownCommand } from './shown-command.ts';
import type { FindingId } from '../../../vocabulary/ids.ts';
import { severityWord } from '../../../vocabulary/severity-words.ts';
import { tableCell } from '../../../text/table-cell.ts';

const MAX_LISTED = 10;

const listed = ({ id, severity, title, place, note }: Item): string =>
  `- **${severityWord(severity)}**: ${findingLink(oneLineTitle(title), id)} in \`${tableCell(placeText(place))}\` ` +
  `(${note === '' ? id : `${id}, ${note}`})`;

/** Lists what blocks, most severe first. Empty if nothing blocks. */
export const openText = (items: readonly Item[]): string => {
  const open = items.filter(({ blocks }) => blocks).toSorted(graverItemFirst);
  if (open.length === 0) return '';
  const more = open.length > MAX_LISTED ? [`- and ${open.length - MAX_LISTED} more`] : [];
  return ['What blocks:', '', ...open.slice(0, MAX_LISTED).map(listed), ...more].join('\n');
};

export const waysOnText = (example: FindingId | null, mention?: string): string => {
  const shown = (words: string): string => shownCommand(mention, words);
  return [
    `How to proceed (you need write access${mention === undefined ? '; mention the bot with the command' : ''}):`,
    '',
    `- Push a fix. ${shown('review')} reviews the newest commit even when the rounds are used up; ` +
      `${shown('review --full')} reviews the whole change.`,
    `- ${shown(`dismiss ${example ?? 'F-001'} because …`)} accepts a finding as it is.`,
    '- Approve or merge the change request: the bot never merges, and stays silent until it is asked or new commits arrive.',
    '- Close the change request.',
  ].join('\n');
};

export const handoffText = (text: string, items: readonly Item[], mention?: string): string => {
  const open = openText(items);
  const [example] = items.filter(({ blocks }) => blocks).toSorted(graverItemFirst);
  return [text, ...(open === '' ? [] : [open]), waysOnText(example?.id ?? null, mention)].join('\n\n');
};
