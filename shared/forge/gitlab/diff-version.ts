import { MergeRequests } from '@gitbeaker/rest';
import type { ChangeRequest } from '../../rounds/vocabulary.ts';
import { ForgeRequestError } from '../errors.ts';
import type { OutgoingReview } from '../port.ts';
import type { GitlabContext } from './context.ts';
import { pause } from './pause.ts';
import { ApiDiffVersion } from './schema.ts';

/** GitLab prepares the diff of a new head in the background; small ones take a second or two. */
const WAITS_MS = [500, 1_000, 2_000, 4_000, 8_000] as const;

/**
 * The version whose diff was reviewed, else the newest one of the same head: a target branch that moved on gives the
 * same head another base.
 */
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
    message: 'The forge has not prepared the diff of this head yet',
    disposition: { kind: 'retry' },
    fields: { project: of.projectId, changeRequest: of.number, reason: 'not_prepared' },
  });

// GET /projects/:id/merge_requests/:iid/versions: https://docs.gitlab.com/api/merge_requests/#get-merge-request-diff-versions
const fetchVersions = (
  { api }: GitlabContext,
  of: ChangeRequest,
  signal: AbortSignal,
): Promise<readonly ApiDiffVersion[]> =>
  api.readAll({ item: ApiDiffVersion, keyOf: ({ id }) => id }, signal, (options, page) => {
    // gitbeaker's type leaves the paging out.
    const parameters: object = page;
    return new MergeRequests(options).allDiffVersions(of.projectId, of.number, parameters);
  });

/** Waits for the version within limits: a position names all three of its commits. */
export const awaitVersion = async (
  context: GitlabContext,
  of: ChangeRequest,
  review: OutgoingReview,
  signal: AbortSignal,
): Promise<ApiDiffVersion> => {
  for (const waitMs of [...WAITS_MS, null]) {
    const version = chooseVersion(await fetchVersions(context, of, signal), review);
    if (version !== null) return version;
    if (waitMs !== null) await pause(context, waitMs, signal);
  }
  throw notPrepared(of);
};
