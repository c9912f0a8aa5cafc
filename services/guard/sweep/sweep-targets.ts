/**
 * Detects a reset target branch, which changes the merge base without an event. If the forge does not list merge bases,
 * reads the tips of the target branches, then the change requests whose target has moved.
 */
import type { ReadsBranches, ReadsChangeRequest } from '../../../shared/forge/port.ts';
import { isInputSettled } from '../../../shared/rounds/decide/decision.ts';
import { inputOf } from '../../../shared/rounds/model/input.ts';
import type { GuardState } from '../../../shared/rounds/model/state.ts';
import type { CommitSha, ForgeId } from '../../../shared/vocabulary/ids.ts';
import type { SeenChangeRequest } from '../../../shared/store/sweep/sweep-memory.ts';
import type { SweepDeps } from './sweep-deps.ts';
import { hasLastWord } from './sweep-look.ts';
import type { SweepMeter } from './sweep-meter.ts';

/** Maximum number of target branches to read per visit. */
const MAX_BRANCHES = 20;

/** Forges compute merge bases in the background: within this time after a push, the answer may still be about the old tip. */
const SETTLING_MS = 60_000;

export type TargetVisit = {
  readonly forge: ForgeId;
  readonly projectId: number;
  readonly meter: SweepMeter;
  readonly signal: AbortSignal;
};

type Reads = ReadsBranches & ReadsChangeRequest;

/** Returns the same list with the missing merge bases filled in. Reads only change requests that have a verdict. */
export const compareWithTargets = async (
  deps: Pick<SweepDeps, 'states' | 'nowMs'>,
  read: Reads,
  visit: TargetVisit,
  open: readonly SeenChangeRequest[],
): Promise<readonly SeenChangeRequest[]> => {
  const tips = new Map<string, CommitSha | null>();
  const tipOf = async (branch: string): Promise<CommitSha | null> => {
    const known = tips.get(branch);
    if (known !== undefined || tips.size >= MAX_BRANCHES) return known ?? null;
    visit.meter.spend(1);
    const tip = (await read.fetchBranch(visit.projectId, branch, visit.signal))?.head ?? null;
    tips.set(branch, tip);
    return tip;
  };
  const compared = new Map<SeenChangeRequest, SeenChangeRequest>();
  // The requests may be used up before the end of the list: each sweep continues with those that have waited longest.
  for (const seen of open.toSorted((one, other) => comparedAtMs(one) - comparedAtMs(other))) {
    visit.signal.throwIfAborted();
    const state = visit.meter.isUsedUp() ? null : await stateToCompare(deps, visit, seen);
    if (state !== null) compared.set(seen, await compare({ deps, read, visit, state }, seen, await tipOf(seen.target)));
  }
  return open.map((seen) => compared.get(seen) ?? seen);
};

const comparedAtMs = ({ compared }: SeenChangeRequest): number => compared?.atMs ?? 0;

/** Returns null if there is nothing to compare: the list contained the merge base, or there is no verdict. */
const stateToCompare = async (
  { states }: Pick<SweepDeps, 'states'>,
  { forge, projectId }: TargetVisit,
  seen: SeenChangeRequest,
): Promise<GuardState | null> => {
  if (seen.mergeBase !== null && seen.compared === null) return null;
  const state = await states.load({ forge, projectId, number: seen.number });
  return state !== null && hasLastWord(state, seen) ? state : null;
};

type Means = {
  readonly deps: Pick<SweepDeps, 'nowMs'>;
  readonly read: Reads;
  readonly visit: TargetVisit;
  readonly state: GuardState;
};

const compare = async (
  { deps, read, visit, state }: Means,
  seen: SeenChangeRequest,
  tip: CommitSha | null,
): Promise<SeenChangeRequest> => {
  const before = seen.compared;
  if (tip === null || (before?.tip === tip && before.atMs - before.sinceMs >= SETTLING_MS)) return seen;
  const { forge, projectId, meter, signal } = visit;
  meter.spend(1);
  const facts = await read.fetchChangeRequest({ forge, projectId, number: seen.number }, signal);
  const atMs = deps.nowMs();
  const sinceMs = before?.tip === tip ? before.sinceMs : atMs;
  const mergeBase = facts?.mergeBase ?? seen.mergeBase;
  const isKnown = facts !== null && isInputSettled(state, inputOf(facts));
  // If the input is settled, it is not checked again only because its merge base is now known.
  const look = seen.look !== null && isKnown ? { ...seen.look, mergeBase } : seen.look;
  return { ...seen, mergeBase, look, compared: { tip, sinceMs, atMs } };
};
