import type { ProjectRef } from '../../../shared/forge/port-facts.ts';
import type { Logger } from '../../../shared/logger.ts';
import type { GuardState } from '../../../shared/rounds/model/state.ts';
import { EMPTY_MEMORY, type ProjectMemory, type SeenChangeRequest } from '../../../shared/store/sweep/sweep-memory.ts';
import { wakeHeld } from '../../../shared/queue/wake-held.ts';
import type { PendingProject } from '../../../shared/store/sweep/sweep-progress.ts';
import type { SweepDeps, SweepForge } from './sweep-deps.ts';
import { compareWithTargets } from './sweep-targets.ts';
import { checkHooks } from './sweep-hooks.ts';
import { refreshMemory } from './sweep-listing.ts';
import { hasChanged, reasonToLook } from './sweep-look.ts';
import type { SweepMeter } from './sweep-meter.ts';
import { repairSlots } from './sweep-slots.ts';

/** Requests that guard makes for one check: the change request, its comments, and their threads. */
const LOOK_REQUESTS = 3;

export type Visit = {
  readonly meter: SweepMeter;
  readonly signal: AbortSignal;
  readonly log: Logger;
  readonly passStartedAtMs: number;
  readonly firstHidden: () => boolean;
};

/** `unfinished`: the allowed requests are used up; the next slice begins with this project. */
export const visitProject = async (
  deps: SweepDeps,
  forge: SweepForge,
  pending: PendingProject,
  visit: Visit,
): Promise<'done' | 'unfinished'> => {
  const project = await resolveProject(deps, forge, pending, visit);
  if (project === null) return 'done';
  if (await isPaused(deps, { forge: forge.id, projectId: project.id })) return 'done';
  const key = deps.keys.ofProject(forge.id, project.id, 'swept');
  const stored = (await deps.memories.load(key)) ?? EMPTY_MEMORY;
  const memory = await refreshMemory(
    async (ask) => {
      visit.meter.spend(1);
      return forge.read.readOpenPage(project, ask, visit.signal);
    },
    stored,
    deps.nowMs(),
  );
  await rememberActivity(deps, forge, project, memory);
  const of = { forge: forge.id, projectId: project.id };
  const compared = await compareWithTargets(deps, forge.read, { ...visit, ...of }, memory.open);
  const { open, isFinished } = await lookAtAll(deps, of, compared, visit);
  await deps.memories.save(key, { ...memory, open: [...open] });
  if (!isFinished) return 'unfinished';
  await repairSlots(deps, { forge: forge.id, projectId: project.id, path: project.path, signal: visit.signal });
  await checkHooks(deps, forge, { ...visit, project });
  return 'done';
};

/** A paused project is left alone: an event for each sweep would only fill the inboxes. */
const isPaused = async (deps: SweepDeps, project: OfProject): Promise<boolean> => {
  if (await deps.pauses.isPaused(project)) return true;
  await wakeHeld(deps, project);
  return false;
};

const resolveProject = async (
  deps: SweepDeps,
  forge: SweepForge,
  { id, path }: PendingProject,
  { meter, signal, log }: Visit,
): Promise<ProjectRef | null> => {
  if (id !== null) return { id, path };
  meter.spend(1);
  const found = await forge.read.findProject(path, signal);
  if (found === null) {
    log.warn({ forge: forge.id, path }, 'a configured project does not exist or is not visible');
    return null;
  }
  await deps.known.save(forge.id, path, { id: found.id, foundAtMs: deps.nowMs(), activeAtMs: 0 });
  return { id: found.id, path: found.path };
};

/** Reads the activity of a project that the settings name individually; group listings already contain it. */
const rememberActivity = async (
  deps: SweepDeps,
  forge: SweepForge,
  { path }: ProjectRef,
  { open }: ProjectMemory,
): Promise<void> => {
  if (!forge.scope.paths.includes(path.toLowerCase())) return;
  const known = (await deps.known.all(forge.id)).get(path.toLowerCase());
  const activeAtMs = open[0]?.updatedAtMs ?? 0;
  if (known === undefined || known.activeAtMs === activeAtMs) return;
  await deps.known.save(forge.id, path, { ...known, activeAtMs });
};

type OfProject = { readonly forge: string; readonly projectId: number };

const lookAtAll = async (
  deps: SweepDeps,
  project: OfProject,
  open: readonly SeenChangeRequest[],
  { meter, signal, passStartedAtMs }: Visit,
): Promise<{ readonly open: readonly SeenChangeRequest[]; readonly isFinished: boolean }> => {
  const done: SeenChangeRequest[] = [];
  for (const [index, seen] of open.entries()) {
    signal.throwIfAborted();
    const look = await lookAt(deps, { ...project, number: seen.number }, seen, passStartedAtMs);
    done.push(look === null ? seen : { ...seen, look });
    if (look === null) continue;
    meter.spend(LOOK_REQUESTS);
    const rest = open.slice(index + 1);
    if (meter.isUsedUp() && rest.length > 0) return { open: [...done, ...rest], isFinished: false };
  }
  return { open: done, isFinished: true };
};

/** Guard sees each head that an event names, so a head that it has not seen was named by none. */
const countFound = (
  { metrics }: SweepDeps,
  { forge }: OfProject,
  { head, state }: { readonly head: SeenChangeRequest['head']; readonly state: GuardState | null },
): void => {
  if (state === null) metrics.sweepFound.inc({ forge, what: 'change_request' });
  else if (state.firstSeen !== null && state.firstSeen.head !== head) metrics.sweepFound.inc({ forge, what: 'head' });
};

/** Wakes guard if there is a reason, and returns the reason; null if there is none. */
const lookAt = async (
  deps: SweepDeps,
  of: OfProject & { readonly number: number },
  seen: SeenChangeRequest,
  passStartedAtMs: number,
): Promise<SeenChangeRequest['look']> => {
  const state = await deps.states.load(of);
  const { entries: waiting } = await deps.inbox.read(of);
  const atMs = deps.nowMs();
  const { head, target, mergeBase, updatedAtMs } = seen;
  if (reasonToLook({ seen, state, waiting, passStartedAtMs, nowMs: atMs, startedAtMs: deps.startedAtMs ?? 0 }) === null)
    return null;
  if (waiting === 0) countFound(deps, of, { head, state });
  const event = { source: 'sweep' as const, id: `sweep-${head}-${atMs}`, atMs, head };
  await deps.inbox.notify(of, event);
  const sinceMs = seen.look !== null && !hasChanged(seen, seen.look) ? seen.look.sinceMs : atMs;
  return { head, target, mergeBase, updatedAtMs, atMs, sinceMs };
};
