import { MergeRequests } from '@gitbeaker/rest';
import type { ChangeRequest } from '../../vocabulary/ids.ts';
import { ForgeRequestError, InlineRefusedError } from '../errors.ts';
import type { OutgoingReview } from '../port.ts';
import type { GitlabContext } from './api/context.ts';
import { pause } from './api/pause.ts';
import { type ApiDiffVersion, ApiVersionEntry } from './api/schema.ts';

/** GitLab makes the diff of a new head in the background; a small diff takes one or two seconds. */
const WAITS_MS = [500, 1_000, 2_000, 4_000, 8_000] as const;

/** One head can have several versions, because the target branch moves. Prefers the reviewed base, then the newest version. */
export const chooseVersion = (
  versions: readonly ApiDiffVersion[],
  { head, base }: Pick<OutgoingReview, 'head' | 'base'>,
): ApiDiffVersion | null => {
  const ofHead = versions.filter((version) => version.head_commit_sha === head).toSorted((a, b) => b.id - a.id);
  return ofHead.find((version) => version.base_commit_sha === base) ?? ofHead[0] ?? null;
};

const notPrepared = (of: ChangeRequest): ForgeRequestError =>
  new ForgeRequestError({
    code: 'FORGE_UNAVAILABLE',
    message: 'the forge has not prepared the diff of this head yet',
    disposition: { kind: 'retry' },
    fields: { project: of.projectId, changeRequest: of.number, reason: 'not_prepared' },
  });

/** Returns null for unrelated histories (lib/gitlab/diff/diff_refs.rb): no position can refer to such a version. */
const withBase = (version: ApiVersionEntry): ApiDiffVersion | null => {
  const { base_commit_sha: base, start_commit_sha: start } = version;
  if (base === null || base === undefined || start === null || start === undefined) return null;
  return { ...version, base_commit_sha: base, start_commit_sha: start };
};

// GET /projects/:id/merge_requests/:iid/versions: https://docs.gitlab.com/api/merge_requests/#get-merge-request-diff-versions
const fetchVersions = (
  { api }: GitlabContext,
  of: ChangeRequest,
  signal: AbortSignal,
): Promise<readonly ApiVersionEntry[]> =>
  api.readAll({ item: ApiVersionEntry, keyOf: ({ id }) => id }, signal, (options, page) => {
    // gitbeaker's type lacks the paging parameters.
    const parameters: object = page;
    return new MergeRequests(options).allDiffVersions(of.projectId, of.number, parameters);
  });

/** Throws `InlineRefusedError` for unrelated histories, and FORGE_UNAVAILABLE (retry) when the version still does not exist. */
export const awaitVersion = async (
  context: GitlabContext,
  of: ChangeRequest,
  review: OutgoingReview,
  signal: AbortSignal,
): Promise<ApiDiffVersion> => {
  for (const waitMs of [...WAITS_MS, null]) {
    const entries = await fetchVersions(context, of, signal);
    const complete = entries.map(withBase).filter((version) => version !== null);
    const version = chooseVersion(complete, review);
    if (version !== null) return version;
    if (entries.some((entry) => entry.head_commit_sha === review.head)) throw new InlineRefusedError(null, undefined);
    if (waitMs !== null) await pause(context, waitMs, signal);
  }
  throw notPrepared(of);
};
