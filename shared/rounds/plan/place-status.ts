/** Computes the status of one place: a commit, or on GitLab the pipeline of the commit that the merge check reads. */
import { cutStatusText } from './wording/status-words.ts';
import { statusOf } from './wording/review-status.ts';
import type { History } from '../model/history.ts';
import { findInput, type Input, mayBeSameInput } from '../model/input.ts';
import type { PlannedStatus } from '../model/posting/post-plan.ts';
import type { CommitSha } from '../../vocabulary/ids.ts';

/** The status of the current input according to the bot's markers; `pending` if it has no verdict. */
export const statusByMarkers = (history: History, present: Input): PlannedStatus => {
  const { reviewed, closed, running } = history;
  // A reply run leaves the status unchanged.
  const isAtWork = running !== null && running.kind !== 'reply' && mayBeSameInput(running, present);
  const entry = findInput(reviewed, present);
  if (!isAtWork && entry !== undefined) return pointing(statusOf(entry.verdict, []), history);
  if (!isAtWork && closed.some((known) => mayBeSameInput(known, present)))
    return pointing({ state: 'error', description: 'No verdict: see the summary' }, history);
  return { state: 'pending', description: 'Not reviewed yet' };
};

/** Adds the address of the summary if it is known. */
const pointing = (status: PlannedStatus, { summary }: Pick<History, 'summary'>): PlannedStatus => {
  const url = summary?.comment.webUrl ?? '';
  return url === '' ? status : { ...status, url };
};

export type Leaving = {
  /** If the commit is no longer the head, `base` is the current merge base. */
  readonly input: Input;
  readonly isHead: boolean;
  readonly otherwise: PlannedStatus;
};

/**
 * The final status of a commit for which no more work is done. The status is a pass only if the commit is the head and
 * its input passes.
 */
export const lastWord = (history: History, { input, isHead, otherwise }: Leaving): PlannedStatus => {
  const said = isHead ? statusByMarkers(history, input) : null;
  return said === null || said.state === 'pending'
    ? (blockedBy(history, input.head) ?? pointing(otherwise, history))
    : said;
};

const blockedBy = (history: History, head: CommitSha): PlannedStatus | null => {
  const { reviewed, running } = history;
  const entry = running?.head === head ? undefined : reviewed.findLast((each) => each.head === head);
  return entry === undefined || entry.verdict === 'lgtm' ? null : pointing(statusOf(entry.verdict, []), history);
};

export type Member = { readonly number: number; readonly status: PlannedStatus };

export type PlaceStatus = {
  readonly status: PlannedStatus;
  /** The change request that determines the status; null if it is this change request. */
  readonly heldBy: number | null;
};

const RANKS: Readonly<Record<PlannedStatus['state'], number>> = { error: 2, failure: 2, pending: 1, success: 0 };

const WORDS: Readonly<Record<PlannedStatus['state'], string>> = {
  error: 'no verdict',
  failure: 'problems to fix',
  pending: 'not reviewed yet',
  success: 'nothing blocks merging',
};

/**
 * Returns null if no change request counts. `own`: null if this change request does not count. `sigil`: prefix of
 * change request numbers on the forge.
 */
export const worstStatus = (
  own: PlannedStatus | null,
  others: readonly Member[],
  sigil: string,
): PlaceStatus | null => {
  const [worst] = others.toSorted(
    (one, other) => RANKS[other.status.state] - RANKS[one.status.state] || one.number - other.number,
  );
  if (worst === undefined) return own === null ? null : { status: own, heldBy: null };
  if (own !== null && RANKS[own.state] >= RANKS[worst.status.state]) return { status: own, heldBy: null };
  const { number, status } = worst;
  const holder = `${sigil}${number}: ${WORDS[status.state]}`;
  // If the status is a pass, it is that of the only change request that counts, so nothing is held.
  const description = cutStatusText(status.state === 'success' ? holder : `Held by ${holder}`);
  const url = own?.url;
  return { status: { state: status.state, description, ...(url === undefined ? {} : { url }) }, heldBy: number };
};
