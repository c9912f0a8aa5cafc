import { inScope, type ProjectScope } from '../../../shared/config/projects/project-scope.ts';
import type { PendingProject } from '../../../shared/store/sweep/sweep-progress.ts';

export type FoundProject = PendingProject & { readonly activeAtMs: number | null };

/** Orders projects: leftovers of the last pass first, then unknown activity, then the most recently active. Ignores case in paths. */
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
    // If two entries have the same path, the first one decides the position, and the first known id is used.
    planned.set(key, { id: known?.id ?? id, path });
  }
  return [...planned.values()];
};

const activity = ({ activeAtMs }: FoundProject): number => activeAtMs ?? Number.MAX_SAFE_INTEGER;
