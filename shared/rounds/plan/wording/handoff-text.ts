/** The text of a hand-off: what blocks, and the exact commands for each way to continue. */
import { bySeverity, stillBlocks } from '../../model/blocking.ts';
import { placeText } from './finding-text.ts';
import type { Thread } from '../../model/history.ts';
import { shownCommand } from './shown-command.ts';
import type { FindingId } from '../../../vocabulary/ids.ts';

const MAX_LISTED = 10;

const listed = ({ id, severity, title, place }: Thread): string =>
  `- ${id} (${severity}) \`${placeText(place).replaceAll('`', "'")}\`: ${title}`;

/** Most severe first. Empty when nothing blocks. */
export const openText = (threads: readonly Thread[]): string => {
  const open = threads.filter(stillBlocks).toSorted((one, other) => bySeverity(one.severity, other.severity));
  if (open.length === 0) return '';
  const more = open.length > MAX_LISTED ? [`- and ${open.length - MAX_LISTED} more`] : [];
  return ['What blocks:', '', ...open.slice(0, MAX_LISTED).map(listed), ...more].join('\n');
};

export const waysOnText = (example: FindingId | null, mention?: string): string => {
  const verb = mention === undefined ? 'mention the bot with' : 'write';
  const shown = (words: string): string => shownCommand(mention, words);
  return [
    'Ways on, for people with write access:',
    '',
    `- push a fix; ${verb} ${shown('review')} to have a head reviewed although the rounds are used up, or ` +
      `${shown('review --full')} to have the whole change reviewed once more`,
    `- ${verb} ${shown(`dismiss ${example ?? 'F-001'} because …`)} for a finding that you accept as it is`,
    '- decide yourself: approve or merge; the bot never merges and says no more until it is asked or the head changes',
    '- close the change request',
  ].join('\n');
};

export const handoffText = (text: string, threads: readonly Thread[], mention?: string): string => {
  const open = openText(threads);
  const [example] = threads.filter(stillBlocks);
  return [text, ...(open === '' ? [] : [open]), waysOnText(example?.id ?? null, mention)].join('\n\n');
};
