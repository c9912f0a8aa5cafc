/** Explains in plain sentences what a change request waits for, or which rule keeps it from its review. */
import { skipReason } from '../../decide/filters.ts';
import { findInput, inputOf, type KnownInput } from '../../model/input.ts';
import type { PlanContext } from '../../model/posting/plan-context.ts';
import type { Situation, SkipRule } from '../../model/command-reply.ts';
import { OUTAGE_WORDS } from '../wording/mistake-words.ts';
import { capStatus } from '../wording/other-summaries.ts';
import { shownCommand } from '../wording/shown-command.ts';
import type { Cap } from '../../model/counts.ts';
import { utcMinute } from '../../../vocabulary/utc-text.ts';

const BY_OPERATOR = "in the operator's configuration";

/** The setting behind each rule; null for a command. None of these settings is read from the target branch's `.fixpoint.toml`. */
export const SKIP_SETTINGS: Readonly<Record<SkipRule, string | null>> = {
  paused: null,
  draft: 'review.drafts',
  no_wanted_label: 'review.labels',
  ignored_label: 'review.ignore_labels',
  unwanted_author: 'review.authors',
  ignored_author: 'review.ignore_authors',
  unwanted_branch: 'review.target_branches',
  opened_off: 'review.triggers',
  pushed_off: 'review.triggers',
};

const CAP_SETTINGS: Readonly<Record<Cap, string>> = {
  runs: 'rounds.max_runs',
  silent: 'rounds.max_silent',
  identity: 'previous_bot_user_ids',
};

const skippedText = (rule: SkipRule, { mention, policy }: Shown): string => {
  const shown = (words: string): string => shownCommand(mention, words);
  const setting = SKIP_SETTINGS[rule];
  const offer = policy.triggers.includes('mention') ? ` Use ${shown('review')} for a single review.` : '';
  return setting === null
    ? `Not reviewed: ${skipReason(rule, policy)} by the command ${shown('pause')}. Use ${shown('resume')} to end the pause.${offer}`
    : `Not reviewed: ${skipReason(rule, policy)}; \`${setting}\` ${BY_OPERATOR}.${offer}`;
};

type Shown = Pick<PlanContext, 'mention' | 'policy'>;

const parkedText = (untilMs: number | null): string =>
  untilMs === null
    ? 'Not reviewed yet: the configuration does not work, as the summary explains. Fixpoint tries again when it is restarted.'
    : `Not reviewed yet: a service was unavailable, as the summary explains. The review will be retried automatically after ${utcMinute(untilMs)}.`;

const workText = ({ kind, carried }: Extract<Situation, { readonly carried: boolean }>): string => {
  const what = carried ? 'A verdict carried over from a review of the same change' : 'A review';
  switch (kind) {
    case 'reviewing':
      return `${what} is running.`;
    case 'waiting_ci':
      return `${what} is ready and waits for the CI of this commit; \`gate.wait_for_ci\` ${BY_OPERATOR}.`;
    case 'posting':
      return `${what} is being posted.`;
    default:
      return kind satisfies never;
  }
};

const STATES = {
  replying: 'The bot is answering in threads.',
  reevaluating: 'The verdict is being re-evaluated.',
  giving_up: 'The review has failed, and a person is being notified.',
  fixing: 'A fix is in progress.',
  wanted: `A review waits for a free slot; \`limits.running_per_project\` ${BY_OPERATOR}.`,
  awaiting_report: `A review begins when the CI jobs have ended whose reports it uses; \`analyzer.job\` ${BY_OPERATOR}.`,
  settled: 'This commit already has a verdict.',
  unseen: 'This commit has not been reviewed yet, and no rule prevents a review.',
} as const;

type State = Situation & { readonly kind: keyof typeof STATES };

const isState = (now: Situation): now is State => now.kind in STATES;

export const situationText = (now: Situation, shown: Shown): string => {
  const { mention, policy } = shown;
  if ('carried' in now) return workText(now);
  if (isState(now)) return STATES[now.kind];
  switch (now.kind) {
    case 'skipped':
      return skippedText(now.rule, shown);
    case 'outage':
      return `A review is waiting: ${OUTAGE_WORDS[now.what]}. The review continues automatically.`;
    case 'quiet':
      return `A review begins if nobody pushes before ${utcMinute(now.untilMs)}; \`review.quiet_seconds\` ${BY_OPERATOR}.`;
    case 'parked':
      return parkedText(now.untilMs);
    case 'capped':
      return `${capStatus(now.cap, policy.rounds)}; \`${CAP_SETTINGS[now.cap]}\` ${BY_OPERATOR}.`;
    case 'failed':
      return `Not reviewed: all attempts failed, as the summary explains. Use ${shownCommand(mention, 'review')} to try again.`;
    default:
      return now satisfies never;
  }
};

/** Further notes about a verdict that are worth knowing. */
export const settledNotes = ({ facts, history, policy }: PlanContext): readonly string[] => {
  const { reviewed, roundsUsed } = history;
  const entry = findInput(reviewed, inputOf(facts));
  const original = entry === undefined ? undefined : reviewed.find(({ review }) => review === entry.review);
  const isCarried = entry !== undefined && original !== undefined && !isSame(original, entry);
  return [
    ...(isCarried ? ['The verdict was carried over from a review of the same change.'] : []),
    ...(entry?.exceeded === true ? ['A budget was used up before everything was reviewed.'] : []),
    ...(roundsUsed >= policy.rounds.max
      ? [`No round is left (${lastRoundSetting({ history, policy })}): later reviews only close threads.`]
      : []),
  ];
};

const isSame = (one: KnownInput, other: KnownInput): boolean => one.head === other.head && one.target === other.target;

/** The stored round limit is that of the target branch's file; rounds that people granted later are not part of it. */
const lastRoundSetting = ({ history, policy }: Pick<PlanContext, 'history' | 'policy'>): string => {
  const { cap } = history.summary?.marker ?? {};
  const isByFile = cap !== undefined && cap + history.grants === policy.rounds.max;
  return `\`rounds.max\` ${isByFile ? 'in `.fixpoint.toml` of the target branch' : BY_OPERATOR}`;
};
