/**
 * Webhooks are hints and get lost. The sweep looks at every open change request of the configured projects, wakes guard
 * for those whose head has no verdict yet, and repairs the sets of running and waiting reviews.
 */
import type { ListsChangeRequests, OpenChangeRequest, Project, ReadsProject } from '../../shared/forge/port.ts';
import type { JobContext } from '../../shared/queue/worker.ts';
import { isSettled } from '../../shared/rounds/decision.ts';
import { meaningOf } from '../../shared/store/inbox.ts';
import { wake } from './carry-out.ts';
import type { GuardDeps } from './deps.ts';

export type SweepForge = {
  readonly id: string;
  readonly read: ListsChangeRequests & Pick<ReadsProject, 'findProject'>;
  readonly projects: readonly string[];
};

export type SweepForges = readonly SweepForge[];

export const sweep = async (deps: GuardDeps, forges: SweepForges, { signal, log }: JobContext): Promise<void> => {
  for (const forge of forges) {
    for (const path of forge.projects) {
      try {
        await sweepProject(deps, forge, { path, signal });
      } catch (error) {
        signal.throwIfAborted();
        // One project that cannot be read must not keep the others from being swept; the next sweep tries again.
        log.warn({ err: error, forge: forge.id }, 'a project could not be swept');
      }
    }
  }
};

type ProjectSweep = { readonly path: string; readonly signal: AbortSignal };

const sweepProject = async (deps: GuardDeps, forge: SweepForge, { path, signal }: ProjectSweep): Promise<void> => {
  const project = await forge.read.findProject(path, signal);
  if (project === null) return;
  for (let page = 1, last = false; !last; page += 1) {
    const answer = await forge.read.readOpenPage(project, { page, tag: null }, signal);
    for (const each of answer?.open ?? []) await wakeIfUnsettled(deps, each);
    last = answer === null || answer.last;
  }
  await repairSlots(deps, forge.id, { project, signal });
};

const wakeIfUnsettled = async (deps: GuardDeps, { changeRequest, head }: OpenChangeRequest): Promise<void> => {
  const state = await deps.states.load(changeRequest);
  const idle = state !== null && state.running === null && state.wanted === null && state.outbox.length === 0;
  // What waits in the inbox of a settled one has lost its wake-up.
  if (idle && isSettled(state, head) && (await deps.inbox.read(changeRequest)).entries === 0) return;
  const atMs = deps.nowMs();
  const event = { source: 'sweep' as const, id: `sweep-${head}-${atMs}`, atMs, head };
  await deps.inbox.deliver({ changeRequest, event, meaning: meaningOf(changeRequest, event.id), deliveryId: null });
};

/** A slot whose holder does not know of it was lost in a crash; a free slot that nobody was told of is offered again. */
const repairSlots = async (
  deps: GuardDeps,
  forge: string,
  { project, signal }: { readonly project: Project; readonly signal: AbortSignal },
): Promise<void> => {
  for (const number of await deps.slots.running(forge, project.id)) {
    const of = { forge, projectId: project.id, number };
    await deps.underLease(of, signal, async () => {
      const state = await deps.states.load(of);
      if (state?.slotHeld === true) return;
      // Whoever waited is off the list now: untold, it would wait for nothing.
      const next = await deps.slots.release(of);
      if (next !== null) await wake(deps, next);
    });
  }
  const next = await deps.slots.nextWaiting(forge, project.id, deps.runningPerProject);
  if (next !== null) await wake(deps, next);
};
