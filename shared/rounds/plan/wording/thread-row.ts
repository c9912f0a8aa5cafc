import { placeText } from './finding-text.ts';
import type { Handled } from '../../model/gate-result.ts';
import { placeToday, type Thread } from '../../model/history.ts';
import { tableCell } from '../../../text/table-cell.ts';

export type ThreadRow = Pick<Thread, 'id' | 'title' | 'severity' | 'place' | 'today' | 'again'>;

const STATES = {
  unverified: 'not verified',
  open: 'open',
  resolved: 'resolved',
  vetoed: 'with a human',
  escalated: 'with a human',
  dismissed: 'dismissed',
} as const;

/** Shows the present place, because readers look for it at the newest head. */
export const threadRow = (thread: ThreadRow, state: Handled['next']['state'], raisedAgain = false): string => {
  const lead = `| ${thread.id} ${tableCell(thread.title)} | ${thread.severity} | \`${tableCell(placeText(placeToday(thread)))}\``;
  const word = state === 'resolved' && thread.again === true ? 'open again' : STATES[state];
  return `${lead} | ${word}${raisedAgain ? ', raised again' : ''} |`;
};
