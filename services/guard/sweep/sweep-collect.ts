import { inScope } from '../../../shared/config/projects/project-scope.ts';
import type { ProjectPlace } from '../../../shared/forge/port-listing.ts';
import type { Logger } from '../../../shared/logger.ts';
import type { SweepDeps, SweepForge } from './sweep-deps.ts';
import type { SweepMeter } from './sweep-meter.ts';
import type { FoundProject } from './sweep-plan.ts';

/** Limits a list to ten thousand projects on GitLab and half as many on other forges. */
const MAX_PAGES = 100;

/** A project's id is looked up again after this time, because after a rename another project may have the path. */
const KEEP_ID_MS = 6 * 3_600_000;

export type Collecting = { readonly meter: SweepMeter; readonly signal: AbortSignal; readonly log: Logger };

/** A group that cannot be listed is logged and skipped. */
export const collectProjects = async (
  deps: SweepDeps,
  forge: SweepForge,
  collecting: Collecting,
): Promise<readonly FoundProject[]> => {
  const places: readonly ProjectPlace[] = [
    ...forge.scope.groups.map((path) => ({ kind: 'group' as const, path })),
    ...(forge.scope.all ? [{ kind: 'member' as const }] : []),
  ];
  const found = [...(await namedProjects(deps, forge))];
  for (const place of places) {
    try {
      found.push(...(await listPlace(forge, place, collecting)));
    } catch (error) {
      collecting.signal.throwIfAborted();
      collecting.log.warn({ err: error, forge: forge.id, ...place }, 'projects could not be listed');
    }
  }
  return found;
};

/** Projects without a known id are looked up only when they are swept, which spreads the requests over time. */
const namedProjects = async (deps: SweepDeps, forge: SweepForge): Promise<readonly FoundProject[]> => {
  const known = await deps.known.all(forge.id);
  return forge.scope.paths.map((path) => {
    const project = known.get(path);
    const isFresh = project !== undefined && deps.nowMs() - project.foundAtMs < KEEP_ID_MS;
    return { id: isFresh ? project.id : null, path, activeAtMs: project?.activeAtMs ?? null };
  });
};

const listPlace = async (
  forge: SweepForge,
  place: ProjectPlace,
  { meter, signal, log }: Collecting,
): Promise<readonly FoundProject[]> => {
  const found: FoundProject[] = [];
  for (let page = 1; page <= MAX_PAGES; page += 1) {
    meter.spend(1);
    const answer = await forge.read.readProjectPage(place, page, signal);
    if (answer === null) {
      log.warn({ forge: forge.id, ...place }, 'a configured group does not exist or is not visible');
      return found;
    }
    found.push(...answer.projects.filter(({ path }) => inScope(forge.scope, path)));
    if (answer.last) return found;
  }
  log.warn({ forge: forge.id, ...place, projects: found.length }, 'there are more projects than can be listed');
  return found;
};
