/** The answers to commands. Fixed words, but for a finding's own. */
import { inlineCode } from '../../../text/code-fence.ts';
import { findingHeadline, readFinding } from '../../memory/finding-comment.ts';
import { stillBlocks } from '../../model/blocking.ts';
import type { PlanContext } from '../../model/plan-context.ts';
import { placeText, shortSha } from './finding-text.ts';
import { lastReviewed, placeToday, type Thread } from '../../model/history.ts';
import { compareInputs, findInput, inputOf } from '../../model/input.ts';
import { isPaused, type CommandReply } from '../../model/command-reply.ts';
import { shownCommand } from './shown-command.ts';
import type { CommitSha, FindingId } from '../../../vocabulary/ids.ts';

export type Said = { readonly say: CommandReply; readonly head: CommitSha };

export const answerText = (context: PlanContext, { say, head }: Said): string => {
  const shown = (words: string): string => shownCommand(context.mention, words);
  switch (say.kind) {
    case 'help':
      return helpText(context.mention);
    case 'status':
      return statusText(context, head);
    case 'verdict':
      return `${verdictText(context, head)} ${shown('review --full')} reviews the whole change once more.`;
    case 'explain':
      return explainText(context, say.findingId);
    case 'misread':
      return misreadText(say.why, shown);
    case 'paused':
      return `Reviews of new heads are paused here. ${shown('review')} asks for a single one, ${shown('resume')} ends the pause.`;
    case 'resumed':
      return 'Reviews of new heads go on here.';
    case 'dismissed':
      return (
        `${say.findingId} is dismissed and blocks no more. It is not raised again while its code stays the same. ` +
        `Reason: ${say.reason}`
      );
    case 'unknown_finding':
      return `There is no finding ${say.findingId} here.`;
    case 'closed_already':
      return `${say.findingId} is closed already.`;
    default:
      return say satisfies never;
  }
};

type Misreading = Extract<CommandReply, { kind: 'misread' }>['why'];

const misreadText = (why: Misreading, shown: (words: string) => string): string => {
  switch (why) {
    case 'arguments':
      return `Nothing was done: a comment cannot change settings, and the only option is ${shown('review --full')}.`;
    case 'no_finding':
      return `Nothing was done: the command needs the number of a finding, as in ${shown('explain F-001')}.`;
    case 'no_reason':
      return `Nothing was done: a dismissal needs its reason, as in ${shown('dismiss F-001 because it is generated code')}.`;
    default:
      return why satisfies never;
  }
};

const helpText = (mention: string | undefined): string => {
  const shown = (words: string): string => shownCommand(mention, words);
  const how =
    mention === undefined
      ? 'Mention the bot with one of these words behind its name.'
      : 'These commands are understood.';
  return [
    `${how} Only accounts with write access are heard, and only outside of quotes and code.`,
    [
      `- ${shown('review')}, with or without words about what to look at: reviews the newest head`,
      `- ${shown('review --full')}: reviews the whole change once more`,
      `- ${shown('dismiss F-001 because …')}: closes a finding for good`,
      `- ${shown('explain F-001')}: says again what a finding is about`,
      `- ${shown('fix')}: asks for a fix of what blocks, where that is switched on; at the start of a line`,
      `- ${shown('pause')}, ${shown('resume')}: stops reviews of new heads here, and goes on`,
      `- ${shown('status')}: where this change request stands`,
    ].join('\n'),
  ].join('\n\n');
};

const verdictText = ({ facts, history }: PlanContext, head: CommitSha): string => {
  const present = { ...inputOf(facts), head };
  const here = findInput(history.reviewed, present) ?? lastReviewed(history);
  if (here === null) return `${shortSha(head)} has not been reviewed.`;
  const blocking = history.threads.filter(stillBlocks).map(({ id }) => id);
  const why = here.verdict === 'feedback' && blocking.length > 0 ? `, because of ${blocking.join(', ')}` : '';
  const isPresent = compareInputs(here, present) === 'same';
  const where = here.target === present.target ? '' : ` into ${inlineCode(here.target)}`;
  const about = isPresent ? '' : ` ${shortSha(head)} into ${inlineCode(present.target)} has not been reviewed.`;
  return `The verdict for ${shortSha(here.head)}${where} is \`${here.verdict}\`${why} (round ${here.round}).${about}`;
};

const statusText = (context: PlanContext, head: CommitSha): string => {
  const { history, policy, counts } = context;
  const { max, maxRuns } = policy.rounds;
  const open = history.threads.filter(({ state }) => state === 'open').length;
  const human = history.threads.filter(({ state }) => state === 'vetoed' || state === 'escalated').length;
  const paused = isPaused(Math.max(history.pauses, counts?.pauses ?? 0));
  return [
    verdictText(context, head),
    `Rounds: ${history.roundsDone} of ${max}. Runs: ${history.runsUsed} of ${maxRuns}. ` +
      `Threads: ${open} open, ${human} with a human.`,
    ...(history.running === null ? [] : ['A review is in progress.']),
    ...(paused ? ['Reviews of new heads are paused.'] : []),
  ].join(' ');
};

const MAX_EXPLANATION = 4_000;

const explainText = ({ history }: PlanContext, id: FindingId): string => {
  const thread = history.threads.findLast((each) => each.id === id);
  if (thread === undefined) return `There is no finding ${id} here.`;
  const facts = [
    findingHeadline({ ...thread, id, blocking: stillBlocks(thread) }),
    `It stands at \`${placeText(placeToday(thread)).replaceAll('`', "'")}\`, was raised in round ${thread.round}, and is ` +
      `${STATES[thread.state]} after ${thread.count} answers by the bot.` +
      (thread.rule === null ? '' : ` The rule \`${thread.rule}\` found it.`),
  ];
  const words = readFinding(thread.comment).body.slice(0, MAX_EXPLANATION);
  return [...facts, ...(words === '' ? [] : [words])].join('\n\n');
};

const STATES: Readonly<Record<Thread['state'], string>> = {
  open: 'open',
  unverified: 'not verified: a later review or a dismissal decides',
  resolved: 'resolved',
  vetoed: 'with a human',
  escalated: 'with a human',
  dismissed: 'dismissed',
};
