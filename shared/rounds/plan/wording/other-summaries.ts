/** Writes summaries without a verdict: a review is running, could not be done, or was cut off. */
import { commandsFold } from './commands-text.ts';
import { findingsTable } from './findings-table.ts';
import { graverItemFirst, isOpenItem, itemsOf } from './item.ts';
import { mistakeHelp, mistakeIn } from './mistake-words.ts';
import { presentFolds, resolvedFold } from './summary-folds.ts';
import { promptFold } from './agent-prompt.ts';
import { shortSha } from './finding-text.ts';
import { ABOUT, NOTHING_KEPT, type SummaryRest } from './summary-comment.ts';
import type { Cap } from '../../model/counts.ts';
import type { History } from '../../model/history.ts';
import type { Policy } from '../../model/policy.ts';
import type { Run } from '../../model/run.ts';
import type { SummaryBody } from '../../model/posting/post-plan.ts';
import type { CommitSha } from '../../../vocabulary/ids.ts';
import type { Verdict } from '../../../vocabulary/finding.ts';

const NO_STATEMENT = 'This message says nothing about the code.';

/** Adds the findings of earlier reviews to the text. */
export const withFindings = (
  text: string,
  { threads }: Pick<History, 'threads'>,
  mention?: string,
  { notes, folds }: SummaryRest = NOTHING_KEPT,
): SummaryBody => {
  const items = itemsOf(threads);
  const table = findingsTable(items.filter(isOpenItem).toSorted(graverItemFirst));
  return {
    text: [text, ...(table === '' ? [] : [table]), ...notes].join('\n\n'),
    folds: [...presentFolds([resolvedFold(items), ...folds, promptFold(items)]), commandsFold(mention)],
  };
};

export const VERDICT_WORDS: Readonly<Record<Verdict, string>> = {
  lgtm: 'nothing blocks merging',
  feedback: 'problems to fix before merging',
  inconclusive: 'no verdict',
};

/** During a run, the summary keeps what the last review said. If a verdict is carried to the new head, that text stays. */
export const announceText = ({ head, review }: Pick<Run, 'head' | 'review'>, { verdict }: History): string => {
  const last = verdict === null ? '' : ` The last review ended with: ${VERDICT_WORDS[verdict]}.`;
  return `**Review in progress**\n\n${ABOUT}${shortSha(head)} is being reviewed (review ${review}).${last}`;
};

export const closedText = (head: CommitSha, how: 'merged' | 'closed'): string =>
  `**Not reviewed**: ${how} too early\n\nThe review of ${shortSha(head)} was not complete when the change request was ${how}. ${NO_STATEMENT}`;

export type GivenUp = { readonly head: CommitSha; readonly code: string; readonly attempts: number };

/**
 * `text` is for the summary, `call` for the hand-off. `call` repeats the reason only if the people on the change
 * request have to act.
 */
export const giveUpText = (
  { head, code, attempts }: GivenUp,
  bot: string,
): { readonly text: string; readonly call: string } => {
  const sha = shortSha(head);
  const words = mistakeIn(code);
  const help = code === 'FORGE_PENDING_DRAFT' ? pendingDraftHelp(bot) : null;
  const more =
    help ?? (words === null ? '' : `Why: ${words}. ${mistakeHelp(code, bot)} Then write \`@${bot} review\`.`);
  const how = code === 'WORKER_DIED' ? 'the attempt was stopped' : `${attempts} of ${attempts} attempts failed`;
  const text = `**Not reviewed**: ${how}\n\n${sha} could not be reviewed (\`${code}\`). ${NO_STATEMENT}`;
  const call = `**The review failed.** ${sha} could not be reviewed. The summary says why. ${NO_STATEMENT}`;
  return { text: more === '' ? text : `${text}\n\n${more}`, call: help === null ? call : `${call}\n\n${help}` };
};

const pendingDraftHelp = (bot: string): string =>
  `The bot's account has a pending review on this page that somebody wrote by hand. The forge would publish ` +
  `it together with the bot's review. Sign in as the bot's account, and delete or submit the pending review of ${bot} ` +
  `on this page; then write \`@${bot} review\` to try again.`;

type LastWords = {
  readonly head: CommitSha;
  readonly block: string;
  readonly missing: number;
};

export const rawText = ({ head, block, missing }: LastWords): string =>
  `**This is not a review.** The model's answer could not be parsed as a review of ${shortSha(head)}. Nobody has checked the ` +
  `answer; it is shown unchanged to help find the cause of the failure:\n\n${block}` +
  (missing === 0 ? '' : `\n\n(Cut here: ${missing} more characters.)`);

const capWords = (cap: Cap, { maxRuns, maxSilent }: Policy['rounds']): string => {
  switch (cap) {
    case 'runs':
      return `${maxRuns} of ${maxRuns} runs used`;
    case 'silent':
      return `${maxSilent} of ${maxSilent} reviews without findings used`;
    case 'identity':
      return 'unknown comments with the signature of this bot';
    default:
      return cap satisfies never;
  }
};

/** A sentence that is short enough for a status. */
export const capStatus = (cap: Cap, rounds: Policy['rounds']): string =>
  cap === 'identity' ? 'Not reviewed: unknown bot comments' : `Not reviewed: ${capWords(cap, rounds)}`;

export const capText = (head: CommitSha, cap: Cap, rounds: Policy['rounds']): string =>
  `**Not reviewed**: ${capWords(cap, rounds)}\n\n${shortSha(head)} was not reviewed. ${capHelp(cap)}`;

const capHelp = (cap: Cap): string =>
  cap === 'identity'
    ? 'Comments here have the signature of this bot but belong to another account. If the bot used that account before, add ' +
      'its id to `previous_bot_user_ids` in the configuration.'
    : 'This is the limit for one change request. A person must now give the verdict.';
