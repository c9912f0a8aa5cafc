/** The answers to commands. They have fixed wording, except for the text of a finding. */
import { inlineCode } from '../../../text/code-fence.ts';
import { findingHeadline, readFinding } from '../../memory/finding-comment.ts';
import { stillBlocks } from '../../model/blocking.ts';
import { spentRuns } from '../../model/counts.ts';
import type { PlanContext } from '../../model/posting/plan-context.ts';
import { placeText, rulesText, shortSha } from '../wording/finding-text.ts';
import { lastReviewed, placeToday, type Thread } from '../../model/history.ts';
import { compareInputs, findInput, inputOf } from '../../model/input.ts';
import { type CommandReply, isPaused, type Situation } from '../../model/command-reply.ts';
import { counted } from '../wording/counted.ts';
import { commandList } from '../wording/commands-text.ts';
import { settledNotes, situationText } from './situation-text.ts';
import { reviewCommands } from '../wording/left-text.ts';
import { shownCommand } from '../wording/shown-command.ts';
import { proposalText, type SettingsFileState } from './ignore-proposal.ts';
import { VERDICT_WORDS } from '../wording/other-summaries.ts';
import type { CommitSha, FindingId } from '../../../vocabulary/ids.ts';
import { utcMinute } from '../../../vocabulary/utc-text.ts';

export type Said = {
  readonly say: CommandReply;
  readonly head: CommitSha;
  /** Only read for a reply that proposes an `[[ignore]]` entry. */
  readonly file?: SettingsFileState;
};

export const answerText = (context: PlanContext, { say, head, file = 'unknown' }: Said): string => {
  if ('findingId' in say) return aboutFinding(context, say, file);
  const shown = (words: string): string => shownCommand(context.mention, words);
  switch (say.kind) {
    case 'help':
      return helpText(context.mention);
    case 'status':
      return statusText(context, { head, now: say.now });
    case 'why':
      return whyText(context, { head, now: say.now });
    case 'verdict':
      return `${verdictText(context, head)} Use ${shown('review --full')} to review the whole change again.`;
    case 'misread':
      return misreadText(say.why, shown);
    case 'nothing_left':
      return nothingLeftText(say, context.mention);
    case 'no_grant':
      return noGrantText(say.untilMs);
    case 'paused':
      return `Reviews of new commits are paused for this change request. Use ${shown('review')} for a single review and ${shown('resume')} to resume.`;
    case 'resumed':
      return 'Reviews of new commits are resumed.';
    default:
      return say satisfies never;
  }
};

type AboutFinding = Extract<CommandReply, { readonly findingId: FindingId }>;

const aboutFinding = (context: PlanContext, say: AboutFinding, file: SettingsFileState): string => {
  switch (say.kind) {
    case 'explain':
      return explainText(context, say.findingId);
    case 'dismissed':
      return [dismissedText(say), ...(say.always === true ? [entryText(context, say, file)] : [])].join('\n\n');
    case 'proposed':
      return `${say.findingId} is already closed. ${entryText(context, say, file)}`;
    case 'unknown_finding':
      return `This change request has no finding ${say.findingId}.`;
    case 'closed_already':
      return `${say.findingId} is already closed.`;
    default:
      return say satisfies never;
  }
};

const dismissedText = ({ findingId, reason }: Proposed): string =>
  `${findingId} is dismissed and no longer blocks. The finding is not raised again while its code is unchanged. Reason: ${reason}`;

type Proposed = { readonly findingId: FindingId; readonly reason: string };

const entryText = (context: PlanContext, { findingId, reason }: Proposed, file: SettingsFileState): string => {
  const thread = context.history.threads.findLast(({ id }) => id === findingId);
  return thread === undefined ? '' : proposalText(context, { thread, reason, file });
};

/** What a person wrote is not repeated: only paths of the repository are shown. */
const nothingLeftText = ({ left }: { readonly left: readonly string[] }, mention: string | undefined): string => {
  const again = `Use ${shownCommand(mention, 'review --full')} to review the whole change again.`;
  if (left.length === 0) return `Nothing was done: the last review lists no files that it left out. ${again}`;
  const ways = reviewCommands(left, mention);
  const next = ways.length === 0 ? again : `These commands review what it left out:\n\n${ways.join('\n')}`;
  return `Nothing was done: the last review left out nothing below this path. ${next}`;
};

const noGrantText = (untilMs: number | null): string =>
  untilMs === null
    ? 'Nothing was done: this change request can get no further reviews.'
    : `Nothing was done: 3 extra reviews have already been granted within 24 hours. Ask again after ${utcMinute(untilMs)}.`;

type Misreading = Extract<CommandReply, { kind: 'misread' }>['why'];

const misreadText = (why: Misreading, shown: (words: string) => string): string => {
  switch (why) {
    case 'arguments':
      return `Nothing was done: a comment cannot change settings, and ${shown('review --full')} is the only option.`;
    case 'no_finding':
      return `Nothing was done: the command needs a finding id, as in ${shown('explain F-001')}.`;
    case 'no_reason':
      return `Nothing was done: a dismissal needs a reason, as in ${shown('dismiss F-001 because it is generated code')}.`;
    case 'several':
      return `Nothing was done: a command names one finding, and a comment can hold one dismissal. Write a comment for each, as in ${shown('dismiss F-001 because it is generated code')}.`;
    default:
      return why satisfies never;
  }
};

const helpText = (mention: string | undefined): string => {
  const how =
    mention === undefined
      ? 'Mention the bot, followed by one of these commands.'
      : 'The bot understands these commands.';
  return `${how} Only accounts with write access can use these commands; commands inside quotes and code are ignored.\n\n${commandList(mention)}`;
};

const verdictText = ({ facts, history }: PlanContext, head: CommitSha): string => {
  const present = { ...inputOf(facts), head };
  const here = findInput(history.reviewed, present) ?? lastReviewed(history);
  if (here === null) return `${shortSha(head)} has not been reviewed.`;
  const blocking = history.threads.filter(stillBlocks).map(({ id }) => id);
  const why = here.verdict === 'feedback' && blocking.length > 0 ? `: ${blocking.join(', ')}` : '';
  const isPresent = compareInputs(here, present) === 'same';
  const where = here.target === present.target ? '' : ` into ${inlineCode(here.target)}`;
  const about = isPresent ? '' : ` ${shortSha(head)} into ${inlineCode(present.target)} has not been reviewed.`;
  return `Review ${here.review} of ${shortSha(here.head)}${where} ended with: ${VERDICT_WORDS[here.verdict]}${why}.${about}`;
};

const whyText = (context: PlanContext, { head, now }: Asked): string =>
  now.kind === 'settled'
    ? [verdictText(context, head), ...settledNotes(context)].join(' ')
    : situationText(now, context);

type Asked = { readonly head: CommitSha; readonly now: Situation };

const statusText = (context: PlanContext, { head, now }: Asked): string => {
  const { history, policy } = context;
  const { max, maxRuns } = policy.rounds;
  const open = history.threads.filter(({ state }) => state === 'open').length;
  const human = history.threads.filter(({ state }) => state === 'vetoed' || state === 'escalated').length;
  const isSaid = now.kind === 'skipped' && now.rule === 'paused';
  return [
    verdictText(context, head),
    `Reviews: ${history.reviewsDone}. Rounds: ${history.roundsUsed} of ${max}. Runs: ${spentRuns(history)} of ${maxRuns}. ` +
      `Threads: ${open} open, ${human} waiting for a person.`,
    ...(now.kind === 'settled' || now.kind === 'unseen' ? [] : [situationText(now, context)]),
    ...(isPaused(history.pauses) && !isSaid ? ['Reviews of new commits are paused.'] : []),
  ].join(' ');
};

const MAX_EXPLANATION = 4_000;

const explainText = ({ history }: PlanContext, id: FindingId): string => {
  const thread = history.threads.findLast((each) => each.id === id);
  if (thread === undefined) return `This change request has no finding ${id}.`;
  const facts = [
    findingHeadline(thread),
    `${id} in \`${placeText(placeToday(thread)).replaceAll('`', "'")}\`, raised in review ${thread.review}. ` +
      `${stillBlocks(thread) ? 'To fix before merging' : 'Does not block merging'}. State: ` +
      `${STATES[thread.state]}, ${counted(thread.count, 'reply', 'replies')} by the bot.` +
      (thread.rule === null ? '' : ` Found by ${rulesText([thread.rule, ...(thread.alsoRules ?? [])])}.`),
  ];
  const words = readFinding(thread.comment).body.slice(0, MAX_EXPLANATION);
  return [...facts, ...(words === '' ? [] : [words])].join('\n\n');
};

const STATES: Readonly<Record<Thread['state'], string>> = {
  open: 'open',
  unverified: 'unverified until a later review confirms or refutes it, or somebody dismisses it',
  resolved: 'resolved',
  vetoed: 'waits for a person',
  escalated: 'waits for a person',
  dismissed: 'dismissed',
};
