import { MergeRequestApprovals, MergeRequests } from '@gitbeaker/rest';
import { z } from 'zod';
import { AppError } from '../../errors.ts';
import type { ChangeRequest } from '../../rounds/vocabulary.ts';
import { hasForgeCode } from '../errors.ts';
import type { OutgoingVerdict, WritesVerdicts } from '../port.ts';
import type { StandingVerdict, VerdictRefusal } from '../../rounds/forge-verdict.ts';
import type { GitlabContext } from './context.ts';
import { pause } from './pause.ts';
import { type Offer, rememberOffer, requestChanges, takeBackRequest } from './request-changes.ts';
import { ApiApprovals, ApiMergeStatus, ApiReviewer } from './schema.ts';

// GET .../approvals: https://docs.gitlab.com/api/merge_request_approvals/#retrieve-approval-details-for-a-merge-request
const hasApproved = async ({ api, self }: GitlabContext, of: ChangeRequest, signal: AbortSignal): Promise<boolean> => {
  const { id } = await self(signal);
  const { approved_by: approvedBy } = await api.read(ApiApprovals, signal, (options) =>
    new MergeRequestApprovals(options).showConfiguration(of.projectId, { mergerequestIId: of.number }),
  );
  return approvedBy.some(({ user }) => user?.id === id);
};

/**
 * Null: the account is no reviewer.
 * GET .../reviewers: https://docs.gitlab.com/api/merge_requests/#retrieve-merge-request-reviewers
 */
const reviewerState = async (
  { api, self }: GitlabContext,
  of: ChangeRequest,
  signal: AbortSignal,
): Promise<string | null> => {
  const { id } = await self(signal);
  const reviewers = await api.read(z.array(ApiReviewer), signal, (options) =>
    new MergeRequests(options).showReviewers(of.projectId, of.number),
  );
  return reviewers.find(({ user }) => user.id === id)?.state ?? null;
};

/** Being asked again changes the state of a reviewer here, and leaves an approval as it is. */
const STANDS = { head: null, dismissed: false, askedAgain: false } as const;

/** An approval names no commit: a push takes it away, or it goes on counting, as the project has it. */
const fetchOwn = async (
  context: GitlabContext,
  of: ChangeRequest,
  offered: Offer,
  signal: AbortSignal,
): Promise<StandingVerdict | null> => {
  if (await hasApproved(context, of, signal)) return { verdict: 'approved', ...STANDS };
  const asked = (await offered(signal)) && (await reviewerState(context, of, signal)) === 'requested_changes';
  return asked ? { verdict: 'changes_requested', ...STANDS } : null;
};

const BUSY: ReadonlySet<string> = new Set(['preparing', 'checking', 'approvals_syncing']);
const BUSY_LOOKS = 5;
const BUSY_PAUSE_MS = 1_000;

/** An approval that is given before a push is digested is taken away with the older ones. */
const awaitCalm = async (context: GitlabContext, of: ChangeRequest, signal: AbortSignal): Promise<void> => {
  for (let look = 1; look <= BUSY_LOOKS; look += 1) {
    const { detailed_merge_status: status } = await context.api.read(ApiMergeStatus, signal, (options) =>
      new MergeRequests(options).show(of.projectId, of.number),
    );
    if (!BUSY.has(status ?? '')) return;
    await pause(context, BUSY_PAUSE_MS, signal);
  }
};

/**
 * 401 says that there is nothing to approve: approved already, merged, or one's own. Whether the token is good, the
 * question that follows tells.
 * POST .../approve: https://docs.gitlab.com/api/merge_request_approvals/#approve-merge-request
 */
const approve = async (
  context: GitlabContext,
  of: ChangeRequest,
  { head }: OutgoingVerdict,
  signal: AbortSignal,
): Promise<VerdictRefusal | null> => {
  await awaitCalm(context, of, signal);
  try {
    await context.api.write(null, signal, (options) =>
      new MergeRequestApprovals(options).approve(of.projectId, of.number, { sha: head }),
    );
    return null;
  } catch (error) {
    if (hasForgeCode(error, 'FORGE_UNAUTHORISED')) return (await hasApproved(context, of, signal)) ? null : 'forbidden';
    if (hasForgeCode(error, 'FORGE_FORBIDDEN')) return 'forbidden';
    const moved = error instanceof AppError && hasForgeCode(error, 'FORGE_REJECTED') && error.fields['status'] === 409;
    if (moved) return 'head_moved';
    throw error;
  }
};

/** POST .../unapprove: https://docs.gitlab.com/api/merge_request_approvals/#unapprove-merge-request */
const unapprove = async (
  { api }: GitlabContext,
  of: ChangeRequest,
  signal: AbortSignal,
): Promise<VerdictRefusal | null> => {
  try {
    await api.write(null, signal, (options) => new MergeRequestApprovals(options).unapprove(of.projectId, of.number));
    return null;
  } catch (error) {
    // Nothing to take away.
    if (hasForgeCode(error, 'FORGE_NOT_FOUND')) return null;
    if (hasForgeCode(error, 'FORGE_UNAUTHORISED', 'FORGE_FORBIDDEN')) return 'forbidden';
    throw error;
  }
};

/** Who is no reviewer is told so, and the request is recorded all the same: better not to ask then. */
const ask = async (context: GitlabContext, of: ChangeRequest, offered: Offer, signal: AbortSignal) => {
  if (!(await offered(signal))) return 'not_offered';
  const state = await reviewerState(context, of, signal);
  return state === null ? 'not_a_reviewer' : requestChanges(context, of, signal);
};

const takeBack = async (context: GitlabContext, of: ChangeRequest, offered: Offer, signal: AbortSignal) => {
  const asked = (await offered(signal)) && (await reviewerState(context, of, signal)) === 'requested_changes';
  return asked ? takeBackRequest(context, of, signal) : null;
};

export const writesVerdicts = (context: GitlabContext): WritesVerdicts => {
  const offered = rememberOffer(context);
  return {
    fetchOwnVerdict: (of, signal) => fetchOwn(context, of, offered, signal),
    giveVerdict: async (of, given, signal) =>
      given.verdict === 'approved' ? approve(context, of, given, signal) : ask(context, of, offered, signal),
    withdrawVerdicts: async (of, which, signal) => {
      const approval = which.includes('approved') ? await unapprove(context, of, signal) : null;
      const request = which.includes('changes_requested') ? await takeBack(context, of, offered, signal) : null;
      return approval ?? request;
    },
  };
};
