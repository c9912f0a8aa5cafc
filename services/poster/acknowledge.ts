import { hasForgeCode } from '../../shared/forge/errors.ts';
import type { ChangeRequestFacts } from '../../shared/forge/port-facts.ts';
import type { PlannedStatus } from '../../shared/rounds/model/posting/post-plan.ts';
import { readStatus } from './place-members.ts';
import { standingOf } from './standing-status.ts';
import type { Posting } from './deps.ts';
import { fetchStanding } from './standing.ts';
import { statusPlaceOf, writeWorst } from './write-status.ts';

/**
 * `attempt` counts from 1. Later attempts correct a write of an earlier attempt that took effect late. Returns false if
 * another process has the lease.
 */
export const acknowledge = async (posting: Posting, attempt: number): Promise<boolean> => {
  const { deps, plan } = posting;
  const facts = deps.dryRun ? null : await fetchStanding(posting);
  if (facts === null) return true;
  const said = await sayPending(posting, facts, attempt);
  if (said) for (const commentId of plan.reactions) await react(posting, commentId);
  return said;
};

/** Writes nothing when the run has already written a later status. */
const sayPending = async (posting: Posting, facts: ChangeRequestFacts, attempt: number): Promise<boolean> => {
  const { deps, forge, plan, signal } = posting;
  const { changeRequest, head, status } = plan;
  if (status === null) return true;
  const held = await deps.underPlace(statusPlaceOf(plan), signal, async (fence, leased): Promise<void> => {
    const under = { ...posting, signal: leased };
    const statuses = await forge.read.fetchStatuses(changeRequest, head, leased);
    const standing = standingOf(statuses, deps.statusContext);
    if (standing === null) {
      await writeWorst(under, { own: status, facts }, fence);
      return;
    }
    if (standing.state === 'pending' && attempt === 1) return;
    // The existing status may be the verdict for this input, for another input, or for another change request with this head.
    const own: PlannedStatus = await readStatus(under, facts);
    if (own.state === standing.state || (own.state !== 'pending' && attempt === 1)) return;
    if (own.state === 'pending') await deps.shared.mark(statusPlaceOf(plan));
    await writeWorst(under, { own: own.state === 'pending' ? status : own, facts }, fence);
  });
  return held !== null;
};

const react = async ({ forge, plan, signal }: Posting, commentId: string): Promise<void> => {
  try {
    await forge.write.react(plan.changeRequest, commentId, 'eyes', signal);
  } catch (error) {
    // The comment was deleted; the other comments still get their reaction.
    if (!hasForgeCode(error, 'FORGE_NOT_FOUND')) throw error;
  }
};
