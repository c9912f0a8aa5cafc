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

/** The reply differs from every earlier one in the thread, because the number of remaining answers goes down. */
const whatIsLeft = (left: number): string => {
  if (left <= 0) return 'After this reply, the bot will not continue this discussion.';
  return `The bot answers in this thread at most ${left === 1 ? 'once more' : `${left} more times`}.`;
};

export const repeatedReplyText = ({ thread, next }: Handled, { head, mention, threadCount }: Repeated): string => {
  const dismiss = shownCommand(mention, `dismiss ${thread.id} because …`);
  return [
    `The problem still exists at ${shortSha(head)}; the reasons are above.`,
    `To settle this thread, change ${inlineCode(placeText(placeToday(thread)))}, give a reason that is not answered above, or let somebody with write access use ${dismiss}.`,
    whatIsLeft(threadCount - 1 - next.count),
  ].join(' ');
};

export const REASONS_ABOVE = 'The reasons are above.';
