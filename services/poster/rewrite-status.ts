/** Makes the status of a commit what its open change requests say, whoever of them asks, and whatever stands there. */
import type { ChangeRequestFacts } from '../../shared/forge/port.ts';
import type { CommitStatus } from '../../shared/forge/port-statuses.ts';
import type { PlannedStatus } from '../../shared/rounds/post-plan.ts';
import { readStatus } from './place-members.ts';
import { hasSpoken, standingOf } from './standing-status.ts';
import type { Posting } from './post.ts';
import { type Own, placeOf, writeWorst } from './write-status.ts';

/** False: somebody else is at the place. */
export const rewriteStatus = async (posting: Posting): Promise<boolean> => {
  const { deps, forge, plan, signal } = posting;
  if (deps.dryRun) return true;
  const place = placeOf(plan);
  const facts = await forge.read.fetchChangeRequest(plan.changeRequest, signal);
  const isHere = facts?.state === 'open' && facts.head === plan.head;
  // It has left: others stand there only where somebody has seen them.
  if (!isHere && !(await deps.shared.has(place))) return true;
  const held = await deps.underPlace(place, signal, async (fence, leased) => {
    const under = { ...posting, signal: leased };
    const statuses = await forge.read.fetchStatuses(plan.changeRequest, place.head, leased);
    const standing = standingOf(statuses, deps.statusContext);
    const word = isHere ? await ownWord(under, facts) : NONE;
    const { own } = word;
    // Nobody waits for the first word about one that is not reviewed. A newer place gets the word of the older one.
    const isAwaited = plan.status !== null || hasSpoken(statuses, deps.statusContext);
    if (!isAwaited && (own?.state ?? 'pending') === 'pending') return;
    if (own?.state === 'pending') await deps.shared.mark(place);
    if (own !== null && isSaid(own, standing)) return;
    const by = facts ?? { changeRequest: plan.changeRequest, sourceBranch: plan.sourceBranch };
    await writeWorst(unlessSaid(under, standing), { ...word, facts: by }, fence);
  });
  return held !== null;
};

/** What does not pass needs no look at others. */
const isSaid = ({ state }: PlannedStatus, standing: CommitStatus | null): boolean =>
  state !== 'success' && state === standing?.state;

/** Into a branch that the operator left out it is not reviewed: what was said of the commit for another one is wrong. */
const ownWord = async (posting: Posting, facts: ChangeRequestFacts): Promise<Omit<Own, 'facts'>> => {
  const own = await readStatus(posting, facts);
  const counts = posting.deps.countsTarget(facts.targetBranch) || own.state !== 'pending';
  return counts ? { own } : { own: null, otherwise: own };
};

const NONE: Omit<Own, 'facts'> = { own: null };

/** The same words again would only be one more row of the commit. */
const unlessSaid = (posting: Posting, standing: CommitStatus | null): Posting => {
  const { write } = posting.forge;
  const writeStatus: typeof write.writeStatus = async (of, status, signal) => {
    if (standing?.state === status.state && standing.description === status.description) return null;
    return write.writeStatus(of, status, signal);
  };
  return { ...posting, forge: { ...posting.forge, write: { ...write, writeStatus } } };
};
