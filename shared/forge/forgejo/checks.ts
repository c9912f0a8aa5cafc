/**
 * CI results of a change. Both forges attach the jobs of `pull_request`, `pull_request_target` and `push` to the head
 * as statuses of the target project (services/actions/commit_status.go), and only these decide whether the change can
 * be merged. The plain list of statuses is incomplete in three ways:
 *
 * - Gitea 1.27 distinguishes jobs of two workflows that have the same name by a hidden hash; only the combined status
 *   lists both.
 * - Forgejo creates no status for a matrix job before it knows the matrix, so a run can be unfinished while every
 *   status has passed.
 * - A protected branch can require a context that has no status yet.
 */
import { z } from 'zod';
import { hasForgeCode } from '../errors.ts';
import { collectPages, hintsOf, tooManyPages } from '../paging.ts';
import { type ApiPath, apiPath, type Query } from '../path.ts';
import type { ChecksOf, CommitStatus, ReadsChecks } from '../port-statuses.ts';
import type { ForgejoContext } from './api/context.ts';
import { ApiStatus, type ApiRepository } from './api/schema.ts';
import { toStatus } from './statuses.ts';

type Place = { readonly project: ApiRepository; readonly of: ChecksOf };

const readWrapped = <Item extends { readonly id: number }>(
  { http, traits: { maxPageSize: limit } }: ForgejoContext,
  list: {
    readonly path: ApiPath;
    readonly query?: Query;
    readonly schema: z.ZodType<readonly Item[]>;
  },
  signal: AbortSignal,
): Promise<readonly Item[]> =>
  collectPages<Item>({
    limit,
    keyOf: ({ id }) => id,
    readPage: async (page) => {
      const { path, query, schema } = list;
      const { value, headers } = await http.read({ path, query: { ...query, page, limit }, schema }, signal);
      return { items: value, ...hintsOf(headers, 'x-total-count') };
    },
    tooMany: tooManyPages(http.forgeId, list.path),
  });

const Combined = z
  .object({ statuses: z.array(ApiStatus).nullish() })
  .transform(({ statuses }): readonly ApiStatus[] => statuses ?? []);

/** GET /repos/{owner}/{repo}/commits/{ref}/status: https://codeberg.org/api/swagger#/repository/repoGetCombinedStatusByRef */
const fetchLatest = async (
  context: ForgejoContext,
  { project, of }: Place,
  signal: AbortSignal,
): Promise<readonly CommitStatus[]> => {
  const path = apiPath`/api/v1/repos/${project.owner.login}/${project.name}/commits/${of.head}/status`;
  return (await readWrapped(context, { path, schema: Combined }, signal)).map(toStatus);
};

const ApiRun = z.object({
  id: z.number().int(),
  status: z.string(),
  event: z.string(),
  /** The workflow file, as Forgejo sends it. */
  workflow_id: z.string().nullish(),
  /** The workflow file followed by `@` and the ref, as Gitea sends it. */
  path: z.string().nullish(),
});

const Runs = z
  .object({ workflow_runs: z.array(ApiRun).nullish() })
  .transform(({ workflow_runs: runs }): readonly z.output<typeof ApiRun>[] => runs ?? []);

/**
 * The final states of a run: four on Forgejo, `completed` on Gitea. Every other state means that the run has not ended.
 */
const ENDED: ReadonlySet<string> = new Set(['success', 'failure', 'cancelled', 'skipped', 'completed']);

/** The forge creates statuses for runs of these events. Manual and scheduled runs do not test the change. */
const isOfChange = (event: string): boolean => event === 'push' || event.startsWith('pull_request');

/** GET /repos/{owner}/{repo}/actions/runs: https://codeberg.org/api/swagger#/repository/ListActionRuns */
const fetchOpenRuns = async (
  context: ForgejoContext,
  { project, of }: Place,
  signal: AbortSignal,
): Promise<readonly CommitStatus[]> => {
  if (!context.traits.runsRoute) return [];
  const path = apiPath`/api/v1/repos/${project.owner.login}/${project.name}/actions/runs`;
  try {
    const runs = await readWrapped(context, { path, query: { head_sha: of.head }, schema: Runs }, signal);
    const open = runs.filter(({ status, event }) => !ENDED.has(status) && isOfChange(event));
    return open.map(({ id, event, workflow_id: file, path: at }) => ({
      context: `${file ?? at?.split('@')[0] ?? 'workflow'} (${event}, run ${id})`,
      state: 'pending',
      description: '',
      createdAtMs: 0,
    }));
  } catch (error) {
    // Actions are disabled in this project or for this account, so the change has no runs.
    if (hasForgeCode(error, 'FORGE_NOT_FOUND', 'FORGE_FORBIDDEN')) return [];
    throw error;
  }
};

const ProtectedBranch = z.object({
  enable_status_check: z.boolean().nullish(),
  status_check_contexts: z.array(z.string()).nullish(),
});

/** GET /repos/{owner}/{repo}/branches/{branch}: https://codeberg.org/api/swagger#/repository/repoGetBranch */
const fetchRequired = async (
  { http }: ForgejoContext,
  { project, of }: Place,
  signal: AbortSignal,
): Promise<readonly string[]> => {
  const path = apiPath`/api/v1/repos/${project.owner.login}/${project.name}/branches/${of.targetBranch}`;
  try {
    const { value } = await http.read({ path, schema: ProtectedBranch }, signal);
    return value.enable_status_check === true ? (value.status_check_contexts ?? []) : [];
  } catch (error) {
    if (hasForgeCode(error, 'FORGE_NOT_FOUND')) return [];
    throw error;
  }
};

export const readsChecks = (context: ForgejoContext): ReadsChecks => ({
  fetchChecks: (of, signal) =>
    context.projects.withProject(of.changeRequest.projectId, signal, async (project) => {
      const place = { project, of };
      const statuses = await fetchLatest(context, place, signal);
      const [runs, required] = await Promise.all([
        fetchOpenRuns(context, place, signal),
        fetchRequired(context, place, signal),
      ]);
      return { statuses: [...statuses, ...runs], required };
    }),
});
