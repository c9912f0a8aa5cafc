/** Replaces the text of a reply that only repeats the thread. */
import { inlineCode } from '../../../text/code-fence.ts';
import type { CommitSha } from '../../../vocabulary/ids.ts';
import { placeToday } from '../../model/history.ts';
import type { Handled } from '../../model/gate-result.ts';
import { placeText, shortSha } from './finding-text.ts';
import { shownCommand } from './shown-command.ts';

export type Repeated = {
  readonly head: CommitSha;
  readonly mention: string | undefined;
  /** K: at this count the bot no longer replies. */
  readonly threadCount: number;
};

/** The text differs from every earlier one in the thread, because the number of answers left goes down. */
const whatIsLeft = (left: number): string => {
  if (left <= 0) return 'After this the bot does not argue here any more.';
  return left === 1 ? 'The bot answers here once more.' : `The bot answers here at most ${left} more times.`;
};

export const repeatedReplyText = ({ thread, next }: Handled, { head, mention, threadCount }: Repeated): string => {
  const dismiss = shownCommand(mention, `dismiss ${thread.id} because …`);
  return [
    `Still so at ${shortSha(head)}; the reasons are above.`,
    `What settles it: a change of ${inlineCode(placeText(placeToday(thread)))}, a reason that is not answered above, or ${dismiss} by somebody with write access.`,
    whatIsLeft(threadCount - 1 - next.count),
  ].join(' ');
};

export const REASONS_ABOVE = 'The reasons are above.';
