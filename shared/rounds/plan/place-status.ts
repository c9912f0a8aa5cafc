/** The status of one place. */
import { cutStatusText, statusOf } from './wording/round-status.ts';
import type { History } from '../model/history.ts';
import { findInput, type Input, mayBeSameInput } from '../model/input.ts';
import type { PlannedStatus } from '../model/post-plan.ts';
import type { CommitSha } from '../../vocabulary/ids.ts';

/** What the bot's markers on a change request say about its present input; `pending` without a verdict for it. */
export const statusByMarkers = ({ reviewed, closed, running }: History, present: Input): PlannedStatus => {
  // A talk leaves the status as it is.
  const isAtWork = running !== null && running.kind !== 'reply' && mayBeSameInput(running, present);
  const entry = findInput(reviewed, present);
  if (!isAtWork && entry !== undefined) return statusOf(entry.verdict, [], entry.round);
  if (!isAtWork && closed.some((known) => mayBeSameInput(known, present)))
    return { state: 'error', description: 'No verdict' };
  return { state: 'pending', description: 'Not reviewed yet' };
};

export type Leaving = {
  /** As far as it is known: of a head that was left, the merge base is that of the present one. */
  readonly input: Input;
  /** False: the change request has another head by now. */
  readonly isHead: boolean;
  /** Where no verdict was posted. */
  readonly otherwise: PlannedStatus;
};

/** What stays said of a commit on which nobody works any more. It passes only as the head, and as the input, that passed. */
export const lastWord = (history: History, { input, isHead, otherwise }: Leaving): PlannedStatus => {
  const said = isHead ? statusByMarkers(history, input) : null;
  return said === null || said.state === 'pending' ? (blockedBy(history, input.head) ?? otherwise) : said;
};

const blockedBy = ({ reviewed, running }: History, head: CommitSha): PlannedStatus | null => {
  const entry = running?.head === head ? undefined : reviewed.findLast((each) => each.head === head);
  return entry === undefined || entry.verdict === 'lgtm' ? null : statusOf(entry.verdict, [], entry.round);
};

/** Another open change request that reads the same place. */
export type Member = { readonly number: number; readonly status: PlannedStatus };

export type PlaceStatus = {
  readonly status: PlannedStatus;
  /** The one whose status it is, where that is another one; null: the own. */
  readonly heldBy: number | null;
};

const RANKS: Readonly<Record<PlannedStatus['state'], number>> = { error: 2, failure: 2, pending: 1, success: 0 };

const WORDS: Readonly<Record<PlannedStatus['state'], string>> = {
  error: 'no verdict',
  failure: 'needs work',
  pending: 'not reviewed',
  success: 'nothing blocks',
};

/** `own`: null where the own change request does not count there. `sigil`: of a number on this forge. Null: nobody counts. */
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
  const description = cutStatusText(`held by ${sigil}${number}: ${WORDS[status.state]}`);
  return { status: { state: status.state, description }, heldBy: number };
};
