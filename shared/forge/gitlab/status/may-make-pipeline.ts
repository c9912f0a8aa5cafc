/**
 * For a status without a pipeline, GitLab creates a pipeline before it checks permissions
 * (app/services/ci/create_commit_status_service.rb). If it then refuses the status, that pipeline never ends and blocks the merge
 * when "Pipelines must succeed" is on.
 */
import type { ChangeRequest } from '../../../vocabulary/ids.ts';
import { hasForgeCode } from '../../errors.ts';
import { readsBranches } from '../project/branches.ts';
import type { GitlabContext } from '../api/context.ts';
import { readsPermission } from '../project/permission.ts';

type Wish = {
  readonly context: GitlabContext;
  readonly of: ChangeRequest;
  readonly status: { readonly sourceBranch: string };
};

/** How long a branch is cached as unprotected. If it becomes protected in this time, an empty pipeline is created. */
const KEEP_MS = 600_000;
const KEPT = 2_000;
const FREE = new WeakMap<GitlabContext, Map<string, number>>();

const isKnownFree = (known: ReadonlyMap<string, number>, key: string, nowMs: number): boolean =>
  nowMs < (known.get(key) ?? 0);

const remember = (known: Map<string, number>, key: string, untilMs: number): void => {
  if (known.size >= KEPT) known.clear();
  known.set(key, untilMs);
};

/**
 * A deleted branch is not protected. The API reports the permission to merge only for developers, so for a
 * maintainer the answer is always true.
 */
export const mayMakePipeline = async (
  { context, of, status: { sourceBranch } }: Wish,
  signal: AbortSignal,
): Promise<boolean> => {
  const known = FREE.get(context) ?? new Map<string, number>();
  FREE.set(context, known);
  const key = `${of.projectId} ${sourceBranch}`;
  const nowMs = context.clock.nowMs();
  if (isKnownFree(known, key, nowMs)) return true;
  try {
    const branch = await readsBranches(context).fetchBranch(of.projectId, sourceBranch, signal);
    if (branch?.mayUpdate !== false) {
      if (branch?.isProtected === false) remember(known, key, nowMs + KEEP_MS);
      return true;
    }
  } catch (error) {
    if (hasForgeCode(error, 'FORGE_FORBIDDEN')) return true;
    throw error;
  }
  const self = await context.self(signal);
  return (await readsPermission(context).fetchPermission(of.projectId, self, signal)) === 'admin';
};
