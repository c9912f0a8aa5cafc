/** In which order the projects of a forge are looked at. */
import { inScope, type ProjectScope } from '../../../shared/config/project-scope.ts';
import type { PendingProject } from '../../../shared/store/sweep/sweep-progress.ts';

/** `activeAtMs` is null for one that nothing is known of yet. */
export type FoundProject = PendingProject & { readonly activeAtMs: number | null };

/**
 * First what an earlier pass did not come to, in its order, so that nobody waits twice; then the most recently active,
 * before them those of which nothing is known. Each project once, by its path in any case.
 */
export const planPass = (
  scope: ProjectScope,
  leftovers: readonly PendingProject[],
  found: readonly FoundProject[],
): readonly PendingProject[] => {
  const newest = found.toSorted((one, two) => activity(two) - activity(one));
  const planned = new Map<string, PendingProject>();
  for (const { id, path } of [...leftovers.filter(({ path: each }) => inScope(scope, each)), ...newest]) {
    const key = path.toLowerCase();
    const known = planned.get(key);
    // A later sight may know the id; the place in the order stays.
    planned.set(key, { id: known?.id ?? id, path });
  }
  return [...planned.values()];
};

const activity = ({ activeAtMs }: FoundProject): number => activeAtMs ?? Number.MAX_SAFE_INTEGER;
