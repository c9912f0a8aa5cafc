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
    `_When this was written, \`${forge.sigil}${number}\`, which has the same head, determined the status of this commit. ` +
    `To change that, close \`${forge.sigil}${number}\`, push another commit here, or ${ask}._`;
  await extendSummary(posting, text);
};
