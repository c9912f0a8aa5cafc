/** Decides which accepted findings get their own thread, which are only listed in the summary, and which are dropped. */
import { bySeverity, isBlocking, isGrave } from '../model/blocking.ts';
import { type Stage, stageOf } from '../model/counts.ts';
import { type Dropped, NO_ROUND_LEFT } from '../model/gate-result.ts';
import type { History } from '../model/history.ts';
import type { Policy } from '../model/policy.ts';
import { LEDGER_MAX_FINDINGS } from '../memory/merge-ledgers.ts';
import type { Kept } from './gate-judge.ts';

export type Chosen = {
  readonly kept: readonly Kept[];
  /** The findings that get their own thread. */
  readonly own: ReadonlySet<Kept>;
  readonly dropped: readonly Dropped[];
};

export const chooseThreads = (
  found: readonly Kept[],
  history: Pick<History, 'threads' | 'roundsUsed'>,
  rounds: Pick<Policy['rounds'], 'max' | 'maxComments'>,
): Chosen => {
  const stage = stageOf(history, rounds);
  const told = found.filter((each) => stage !== 'closing' || isGrave(severityOf(each)));
  const own = ownThreads(told, { stage, rounds, room: roomIn(history) });
  const kept = told.filter((each) => own.has(each) || each.confirms?.listed !== true);
  return {
    kept,
    own,
    dropped: [
      ...found.filter((each) => !told.includes(each)).map(({ finding }) => dropped(finding, NO_ROUND_LEFT)),
      ...told.filter((each) => !kept.includes(each)).map(({ finding }) => dropped(finding, 'repeats an open thread')),
    ],
  };
};

/** Comments can bring back more findings than the ledger holds, so the result is never negative. */
const roomIn = ({ threads }: Pick<History, 'threads'>): number => Math.max(0, LEDGER_MAX_FINDINGS - threads.length);

const dropped = ({ claim }: Kept['finding'], reason: Dropped['reason']): Dropped => ({ title: claim.title, reason });

const severityOf = ({ finding }: Kept): Kept['finding']['claim']['severity'] => finding.claim.severity;

type Limits = {
  readonly stage: Stage;
  readonly rounds: Pick<Policy['rounds'], 'maxComments'>;
  /** The number of findings for which the ledger still has room. */
  readonly room: number;
};

/**
 * Blocking findings come first and always get their own thread. The other findings get threads up to
 * `review.max_comments`.
 */
const ownThreads = (kept: readonly Kept[], { stage, rounds, room }: Limits): ReadonlySet<Kept> => {
  if (stage === 'closing') return new Set();
  const placed = kept.filter(({ finding }) => finding.position !== null).toSorted(graverFirst);
  if (stage === 'final') return new Set(placed.filter((each) => isGrave(severityOf(each))).slice(0, room));
  const blocking = placed.filter(isHeavy);
  const others = placed.filter((each) => !isHeavy(each)).slice(0, Math.max(0, rounds.maxComments - blocking.length));
  return new Set([...blocking, ...others].slice(0, room));
};

const isHeavy = ({ finding: { claim } }: Kept): boolean => isBlocking(claim) || isGrave(claim.severity);

const graverFirst = (one: Kept, other: Kept): number =>
  bySeverity(severityOf(one), severityOf(other)) || byPath(one.finding.claim.path, other.finding.claim.path);

const byPath = (one: string, other: string): number => (one < other ? -1 : Number(one > other));
