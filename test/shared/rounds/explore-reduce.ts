/**
 * The same world without what no reducer asks for any more, so that fewer are walked. Sound because it is a bisimulation:
 * a world and its reduced form have the same rank, and the same moves at the same cost to worlds with the same reduced
 * form. `explore-reduce.test.ts` compares them move by move, in every world of the walks without it.
 */
import { mayStartRun } from '../../../shared/rounds/model/counts.ts';
import { ledgerOf } from '../../../shared/rounds/memory/ledger.ts';
import type { GuardState } from '../../../shared/rounds/model/state.ts';
import type {
  LedgerEntry,
  MarkerPayload,
  MarkedInput,
  SummaryMarker,
} from '../../../shared/rounds/model/marker-payload.ts';
import { inOrder } from './explore-canonical.ts';
import { type Markers, oneOf, remembering } from './explore-forge.ts';
import { GONE, OLD, RUN } from './explore-names.ts';
import { historyOf, type Setting, type World } from './explore-world.ts';

/**
 * Only where no wipe is to come: then guard's own state is never older than the forge, and the markers are asked for
 * threads, for the last verdict and for whether something has been written already.
 */
export const reducing = (setting: Setting): ((world: World) => World) => {
  const reducedBefore = remembering<Markers>();
  return (world) => {
    const { state, faults, outages } = world;
    // A head that is parked is reviewed once more in a run that is not counted.
    if (faults > 0 || outages > 0 || state === null || state.parked !== null) return world;
    const { reviewsDone, running } = state;
    const key = `${isOverIn(setting, state)} ${reviewsDone} ${running !== null}`;
    const forge = reducedBefore(world.forge, key, () => reducedMarkers(setting, state, world.forge));
    return { ...world, state: reducedState(setting, state), forge };
  };
};

/** No run begins any more, whatever happens. */
const isUsedUp = ({ policy, people }: Setting, state: GuardState): boolean =>
  !people.includes('ask') && !mayStartRun(state, policy.rounds);

/** Threads are asked for by runs and by fixes, and by whoever answers in them. */
const isOverIn = (setting: Setting, state: GuardState): boolean =>
  isUsedUp(setting, state) && state.running === null && state.fixing === null && !setting.people.includes('answer');

const reducedMarkers = (setting: Setting, state: GuardState, forge: Markers): Markers => {
  const isOver = isOverIn(setting, state);
  const threads = isOver ? [] : ledgerOf(historyOf(setting.reducers, forge));
  const ledger = threads.map((entry) => reducedEntry(state, entry));
  const kept = forge.filter((payload) => isAsked(payload, state) && !(isOver && payload.kind === 'finding'));
  return oneOf(inOrder(kept.map((payload) => reducedMarker({ setting, state, ledger }, payload))));
};

/** A reply is asked for so that it is not written twice; of a round that is over it would not be written at all. */
const isAsked = (payload: MarkerPayload, { reviewsDone }: GuardState): boolean =>
  payload.kind !== 'reply' || payload.note !== undefined || payload.review > reviewsDone;

type Seen = { readonly setting: Setting; readonly state: GuardState; readonly ledger: LedgerEntry[] };

const reducedMarker = ({ setting, state, ledger }: Seen, payload: MarkerPayload): MarkerPayload => {
  if (payload.kind === 'finding') return { ...payload, review: reviewOf(state, payload) };
  return payload.kind === 'summary' ? { ...reducedSummary(setting, state, payload), ledger } : payload;
};

/** Whether a thread is of this round or of an earlier one. */
const reviewOf = ({ reviewsDone }: GuardState, { review }: { readonly review: number }): number =>
  review <= reviewsDone ? 1 : review;

/** How a thread came to its end is not asked. */
const reducedEntry = (state: GuardState, entry: LedgerEntry): LedgerEntry => {
  const review = reviewOf(state, entry);
  if (entry.state === 'open' || entry.state === 'unverified') return { ...entry, review };
  const end = entry.state === 'resolved' ? 'resolved' : 'vetoed';
  return { ...entry, review, count: 0, stance: 'seeks_change', state: end, severity: 'P1' };
};

const reducedSummary = (setting: Setting, { running }: GuardState, marker: SummaryMarker): SummaryMarker => {
  const isOfRun = running !== null && marker.run === RUN;
  const { rounds: _rounds, silent: _silent, carried: _carried, ...rest } = marker;
  return {
    ...rest,
    ...(isOfRun ? {} : { run: OLD, phase: 'failed', review: 1, head: GONE, attempt: 1 }),
    runs: 0,
    superseded: 0,
    until: null,
    verdict: setting.people.includes('answer') ? marker.verdict : null,
    reviewed: reducedReviewed(setting, marker.reviewed),
  };
};

/** Of the last review it is asked which head it was, what is to be fixed and what may be carried; talks ask for more. */
const reducedReviewed = (setting: Setting, reviewed: readonly MarkedInput[]): MarkedInput[] => {
  const last = reviewed.at(-1);
  if (last === undefined || setting.people.includes('answer')) return [...reviewed];
  const { clear: _, complete, ...rest } = last;
  const isRead = setting.policy.author.enabled || complete !== false;
  const kept = complete === undefined ? {} : { complete };
  return [...reviewed.slice(0, -1), isRead ? { ...rest, ...kept } : { ...rest, verdict: 'inconclusive' }];
};

/** How often in a row matters to the next run only; and that a run must finish, until its review begins. */
const reducedState = (setting: Setting, state: GuardState): GuardState => {
  const { running, supersededInRow } = state;
  return {
    ...state,
    supersededInRow: isUsedUp(setting, state) ? 0 : supersededInRow,
    running: running?.kind !== 'review' || running.phase === 'announcing' ? running : { ...running, mustFinish: false },
  };
};
