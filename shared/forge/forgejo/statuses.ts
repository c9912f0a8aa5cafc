import { cutDescription } from '../cut-description.ts';
import { readPages } from '../paging.ts';
import { apiPath } from '../path.ts';
import type { CommitStatus, OutgoingStatus, ReadsStatuses, StatusLink, WritesStatuses } from '../port-statuses.ts';
import type { ForgejoContext } from './api/context.ts';
import { ApiStatus } from './api/schema.ts';

const STATES: Readonly<Record<string, CommitStatus['state']>> = {
  pending: 'pending',
  success: 'success',
  failure: 'failure',
  error: 'error',
  warning: 'warning',
  skipped: 'skipped',
};

/** An unknown state, such as one from a later release, must not count as passed. */
export const toStatus = (status: ApiStatus): CommitStatus => ({
  context: status.context,
  state: STATES[status.status] ?? 'error',
  description: status.description ?? '',
  createdAtMs: status.created_at,
});

/** Every write adds a status; for each context the status with the highest id counts. */
export const newestPerContext = (statuses: readonly ApiStatus[]): readonly ApiStatus[] => {
  const newest = new Map<string, ApiStatus>();
  for (const status of statuses.toSorted((left, right) => left.id - right.id)) newest.set(status.context, status);
  return [...newest.values()].toSorted((left, right) => left.id - right.id);
};

const linksIn = (statuses: readonly ApiStatus[], context: string): readonly StatusLink[] => {
  const rows = statuses.filter((status) => status.context === context).toSorted((left, right) => left.id - right.id);
  const end = rows.findLast((row) => toStatus(row).state === 'error')?.id ?? -1;
  return rows.flatMap(({ id, target_url: url, creator }) =>
    url ? [{ url, creatorId: creator?.id ?? null, id, isOver: id <= end }] : [],
  );
};

const withLinks = (status: ApiStatus, all: readonly ApiStatus[]): CommitStatus => {
  const links = linksIn(all, status.context);
  return links.length === 0 ? toStatus(status) : { ...toStatus(status), links };
};

// GET /repos/{owner}/{repo}/commits/{ref}/statuses: https://codeberg.org/api/swagger#/repository/repoListStatusesByRef
export const readsStatuses = ({ http, projects, traits }: ForgejoContext): ReadsStatuses => ({
  fetchStatuses: (of, head, signal) =>
    projects.withProject(of.projectId, signal, async ({ owner, name }) => {
      const statuses = await readPages(
        http,
        {
          path: apiPath`/api/v1/repos/${owner.login}/${name}/commits/${head}/statuses`,
          item: ApiStatus,
          limit: traits.maxPageSize,
          keyOf: (status) => status.id,
        },
        signal,
      );
      return newestPerContext(statuses).map((status) => withLinks(status, statuses));
    }),
});

const toBody = (status: OutgoingStatus): Record<string, string> => ({
  state: status.state,
  context: status.context,
  description: cutDescription(status.description),
  ...(status.targetUrl === null ? {} : { target_url: status.targetUrl }),
});

// POST /repos/{owner}/{repo}/statuses/{sha}: https://codeberg.org/api/swagger#/repository/repoCreateStatus
export const writesStatuses = ({ http, projects }: ForgejoContext): WritesStatuses => ({
  writeStatus: (of, status, signal) =>
    projects.withProject(of.projectId, signal, async ({ owner, name }) => {
      const path = apiPath`/api/v1/repos/${owner.login}/${name}/statuses/${status.head}`;
      await http.write({ method: 'POST', path, body: toBody(status), schema: null }, signal);
      return null;
    }),
});
