/** Sets the status of a commit to the worst status of its open change requests. */
import type { ChangeRequestFacts } from '../../shared/forge/port-facts.ts';
import type { CommitStatus } from '../../shared/forge/port-statuses.ts';
import type { PlannedStatus } from '../../shared/rounds/model/posting/post-plan.ts';
import { inputOf } from '../../shared/rounds/model/input.ts';
import { lastWord } from '../../shared/rounds/plan/place-status.ts';
import { readHistory, readStatus } from './place-members.ts';
import { hasSpoken, hasWaiting, standingOf } from './standing-status.ts';
import type { Posting } from './deps.ts';
import { type Own, statusPlaceOf, writeWorst } from './write-status.ts';

/** Returns false if another process holds the lease of the place. */
export const rewriteStatus = async (posting: Posting): Promise<boolean> => {
  const { deps, forge, plan, signal } = posting;
  if (deps.dryRun) return true;
  const place = statusPlaceOf(plan);
  const facts = await forge.read.fetchChangeRequest(plan.changeRequest, signal);
  const isHere = facts?.state === 'open' && facts.head === plan.head;
  // The change request has moved to another commit. Other change requests use this commit only if its place is marked as shared.
  const isQuiet = !isHere && plan.status === null && !(await deps.shared.has(place));
  if (isQuiet) return true;
  const held = await deps.underPlace(place, signal, async (fence, leased) => {
    const under = { ...posting, signal: leased };
    const statuses = await forge.read.fetchStatuses(plan.changeRequest, place.head, leased);
    const standing = standingOf(statuses, deps.statusContext);
    const isWaiting = hasWaiting(statuses, deps.statusContext);
    if (!isHere && !isWaiting && !(await deps.shared.has(place))) return;
    const word = isHere ? await ownWord(under, facts) : await leftWord(under, isWaiting ? facts : null);
    const { own } = word;
    // A change request that is not reviewed gets no pending status. If it already has a status, the status moves to the
    // new place.
    const isAwaited = plan.status !== null || hasSpoken(statuses, deps.statusContext);
    if (!isAwaited && isUnsaid(own)) return;
    if (own?.state === 'pending') await deps.shared.mark(place);
    if (own !== null && isSaid(own, standing)) return;
    const by = facts ?? { changeRequest: plan.changeRequest, sourceBranch: plan.sourceBranch };
    await writeWorst(unlessSaid(under, standing), { ...word, facts: by }, fence);
  });
  return held !== null;
};

const isUnsaid = (own: PlannedStatus | null): boolean => own === null || own.state === 'pending';

/** Only a success depends on other change requests; any other state that the forge already shows needs no write. */
const isSaid = ({ state }: PlannedStatus, standing: CommitStatus | null): boolean =>
  state !== 'success' && state === standing?.state;

/** The status for a commit that is no longer the head. `facts` is null if no status is pending. */
const leftWord = async (posting: Posting, facts: ChangeRequestFacts | null): Promise<Omit<Own, 'facts'>> => {
  const { plan } = posting;
  if (plan.status?.state !== 'error' || facts === null) return NONE;
  const history = await readHistory(posting, plan.changeRequest);
  const ended = { input: { ...inputOf(facts), head: plan.head }, isHead: facts.head === plan.head };
  return { own: null, otherwise: lastWord(history, { ...ended, otherwise: plan.status }) };
};

/** If the operator excluded the target branch, a pending status does not count. */
const ownWord = async (posting: Posting, facts: ChangeRequestFacts): Promise<Omit<Own, 'facts'>> => {
  const read = await readStatus(posting, facts);
  const { status } = posting.plan;
  const own = read.state === 'pending' && status?.state === 'pending' ? status : read;
  const counts = posting.deps.countsTarget(facts.targetBranch) || own.state !== 'pending';
  return counts ? { own } : { own: null, otherwise: own };
};

const NONE: Omit<Own, 'facts'> = { own: null };

/** Skips an equal status, because a forge may add a row per write. */
const unlessSaid = (posting: Posting, standing: CommitStatus | null): Posting => {
  const { write } = posting.forge;
  const writeStatus: typeof write.writeStatus = async (of, status, signal) => {
    if (standing?.state === status.state && standing.description === status.description) return null;
    return write.writeStatus(of, status, signal);
  };
  return { ...posting, forge: { ...posting.forge, write: { ...write, writeStatus } } };
};
