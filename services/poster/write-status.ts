/**
 * Change requests with the same head share its status: the worst of their own statuses, written under a lease. They are
 * listed before and after the write. If the own status does not pass, the list is not needed, because no other status
 * can improve the result.
 */
import type { ChangeRequestFacts } from '../../shared/forge/port-facts.ts';
import type { StatusRefusal } from '../../shared/forge/port-statuses.ts';
import { isSetAside } from '../../shared/rounds/plan/withdraw-plan.ts';
import { type PlaceStatus, worstStatus } from '../../shared/rounds/plan/place-status.ts';
import type { StatusPlace } from '../../shared/vocabulary/status-place.ts';
import type { PlannedStatus } from '../../shared/rounds/model/posting/post-plan.ts';
import { readMembers, readStatusIfReadable } from './place-members.ts';
import type { Posting } from './deps.ts';
import { isForSure } from './standing.ts';

type Writing = Omit<Posting, 'log'>;

const NOT_SURE: PlannedStatus = { state: 'pending', description: 'Not compared yet: the merge base is not known' };

/** How long to wait before trying again to get the lease of the place. */
const BUSY_MS = 200;

/** One pass is enough unless change requests appear or disappear in the meantime. */
const MAX_PASSES = 4;

export const statusPlaceOf = ({ changeRequest: { forge, projectId }, head }: Posting['plan']): StatusPlace => ({
  forge,
  projectId,
  head,
});

/** `unset`: why the forge refused the status. */
export type SaidStatus = PlaceStatus & { readonly unset: StatusRefusal | null };

/** Returns the status that was written; null if none was. `facts`: what was read just before. */
export const writeStatus = async (writing: Writing, facts: ChangeRequestFacts): Promise<SaidStatus | null> => {
  const { deps, plan, signal } = writing;
  if (plan.status === null) return null;
  for (;;) {
    const held = await deps.underPlace(statusPlaceOf(plan), signal, async (fence, leased) => {
      const under = { ...writing, signal: leased };
      return writeWorst(under, await ownWord(under, plan.status ?? NOT_SURE, facts), fence);
    });
    if (held !== null) return held.result;
    await deps.sleep(BUSY_MS, signal);
  }
};

/**
 * A closed change request does not count. A change request into an excluded target branch counts only after it has a
 * verdict.
 */
const ownWord = async (writing: Writing, status: PlannedStatus, facts: ChangeRequestFacts): Promise<Own> => {
  const { plan, deps } = writing;
  const mayPass = status.state !== 'success' || facts.head !== plan.head || isForSure(plan, facts);
  const planned = mayPass ? status : NOT_SURE;
  // If the plan withdraws a verdict, the current input may have a valid verdict by now.
  const mayRead = plan.kind === 'withdraw' && !isSetAside(plan);
  const read = mayRead ? ((await readStatusIfReadable(writing, facts)) ?? planned) : planned;
  const own = read.state === 'pending' ? planned : read;
  const counts = facts.state === 'open' && (deps.countsTarget(facts.targetBranch) || own.state !== 'pending');
  return counts ? { own, facts } : { own: null, otherwise: own, facts };
};

export type Own = {
  /** Null if the change request does not count for the place. */
  readonly own: PlannedStatus | null;
  /** The status to write if no change request counts at the place. If absent, nothing is written. */
  readonly otherwise?: PlannedStatus;
  /** Identifies the commit to the forge. */
  readonly facts: Pick<ChangeRequestFacts, 'changeRequest' | 'sourceBranch' | 'statusPlace'>;
};

/** Returns null if nothing was written. Contract: `fence` comes from `underPlace`. */
export const writeWorst = async (
  writing: Writing,
  own: Own,
  fence: () => Promise<void>,
): Promise<SaidStatus | null> => {
  let said: SaidStatus | null = null;
  for (let pass = 1; ; pass += 1) {
    const wanted = await worstAt(writing, own);
    if (wanted === null || isSame(wanted, said)) return said;
    // While change requests keep appearing or disappearing, the status must not pass.
    const next: PlaceStatus = pass > MAX_PASSES ? { status: RESTLESS, heldBy: null } : wanted;
    await fence();
    said = { ...next, unset: await sendStatus(writing, next.status, wanted.by) };
    await fence();
    if (said.status.state !== 'success') return said;
  }
};

const RESTLESS: PlannedStatus = {
  state: 'pending',
  description: 'Waiting: the change requests with this commit keep changing',
};

const isSame = (wanted: PlaceStatus, said: PlaceStatus | null): boolean =>
  said !== null && wanted.status.state === said.status.state && wanted.status.description === said.status.description;

const worstAt = async (
  writing: Writing,
  { own, facts, otherwise }: Own,
): Promise<(PlaceStatus & { readonly by: Own['facts'] }) | null> => {
  if (own !== null && own.state !== 'success') return { status: own, heldBy: null, by: facts };
  const read = await readMembers(writing, statusPlaceOf(writing.plan), facts.statusPlace);
  if (read.kind === 'unknown') return { status: { state: 'pending', description: read.why }, heldBy: null, by: facts };
  const worst = worstStatus(own, read.members, writing.forge.sigil);
  if (worst === null && otherwise !== undefined) return { status: otherwise, heldBy: null, by: facts };
  return worst === null ? null : { ...worst, by: own === null ? (read.any ?? facts) : facts };
};

export const sendStatus = async (
  { deps, forge, plan, signal, statusUrl }: Writing,
  { state, description, url }: PlannedStatus,
  { changeRequest, sourceBranch }: Own['facts'],
): Promise<StatusRefusal | null> => {
  const targetUrl = statusUrl ?? (state === 'pending' ? null : targetOf(url));
  const status = { head: plan.head, sourceBranch, state, context: deps.statusContext, description, targetUrl };
  return forge.write.writeStatus(changeRequest, status, signal);
};

/** GitLab refuses longer addresses. */
const MAX_URL = 255;

const targetOf = (url: string | undefined): string | null =>
  url !== undefined && url.length <= MAX_URL && /^https?:\/\//.test(url) ? url : null;
