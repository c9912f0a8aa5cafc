import { inScope, type ProjectScope } from '../../../shared/config/project-scope.ts';
import type { PendingProject } from '../../../shared/store/sweep/sweep-progress.ts';

export type FoundProject = PendingProject & { readonly activeAtMs: number | null };

/** Order: leftovers of the earlier pass, then projects with unknown activity, then the most recently active. Ignores path case. */
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
    // A later entry may have the id; the position stays that of the first.
    planned.set(key, { id: known?.id ?? id, path });
  }
  return [...planned.values()];
};

const activity = ({ activeAtMs }: FoundProject): number => activeAtMs ?? Number.MAX_SAFE_INTEGER;
