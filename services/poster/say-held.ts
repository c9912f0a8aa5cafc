/** Explains in the summary which change request holds the status, because the status text is too short. */
import { changeRequestKey } from '../../shared/vocabulary/ids.ts';
import { extendSummary } from './extend-summary.ts';
import type { Posting } from './deps.ts';

export const sayHeld = async (posting: Posting, number: number): Promise<void> => {
  const { forge, plan, log } = posting;
  log.info({ of: changeRequestKey(plan.changeRequest), by: number }, 'another change request determines the status');
  const [mention] = forge.sanitizing.mayShow ?? [];
  const ask = mention === undefined ? 'ask the bot for a review there' : `write \`@${mention} review\` there`;
  const text =
    `_When this was written, the status of this commit was held by \`${forge.sigil}${number}\`, which has the same head. ` +
    `Ways out: close it, push a commit of your own here, or ${ask}._`;
  await extendSummary(posting, text);
};
