/**
 * The Enterprise Edition removes approvals 10 s after a push
 * (ee/app/services/merge_requests/refresh/approval_service.rb), including those given after the push.
 * `approvals_syncing` is not always present, so the time of the newest diff version is used as the time of the push.
 */
import { MergeRequests } from '@gitbeaker/rest';
import { z } from 'zod';
import type { ChangeRequest } from '../../vocabulary/ids.ts';
import type { GitlabContext } from './api/context.ts';
import { pause } from './api/pause.ts';
import { ApiMergeStatus, ApiVersionTime } from './api/schema.ts';

/** GitLab's delay of 10 s plus 5 s for its job queue. */
const RESET_WINDOW_MS = 15_000;

const BUSY: ReadonlySet<string> = new Set(['preparing', 'checking', 'approvals_syncing']);
const BUSY_LOOKS = 5;
const BUSY_PAUSE_MS = 1_000;

/** GET .../versions, newest first: https://docs.gitlab.com/api/merge_requests/#get-merge-request-diff-versions */
const msUntilReset = async ({ api, clock }: GitlabContext, of: ChangeRequest, signal: AbortSignal): Promise<number> => {
  // gitbeaker's type lacks the paging parameters.
  const newestTwo: object = { page: 1, perPage: 2 };
  const [newest, older] = await api.read(z.array(ApiVersionTime), signal, (options) =>
    new MergeRequests(options).allDiffVersions(of.projectId, of.number, newestTwo),
  );
  if (newest === undefined || older === undefined) return 0;
  const ageMs = clock.nowMs() - newest.created_at;
  // Limits the wait in case the forge's clock is ahead of ours.
  return Math.min(Math.max(RESET_WINDOW_MS - ageMs, 0), RESET_WINDOW_MS);
};

export const awaitReset = async (context: GitlabContext, of: ChangeRequest, signal: AbortSignal): Promise<void> => {
  if (context.traits.resetsApprovals) {
    const ms = await msUntilReset(context, of, signal);
    if (ms > 0) await pause(context, ms, signal);
  }
  for (let look = 1; look <= BUSY_LOOKS; look += 1) {
    const { detailed_merge_status: status } = await context.api.read(ApiMergeStatus, signal, (options) =>
      new MergeRequests(options).show(of.projectId, of.number),
    );
    if (!BUSY.has(status ?? '')) return;
    await pause(context, BUSY_PAUSE_MS, signal);
  }
};
