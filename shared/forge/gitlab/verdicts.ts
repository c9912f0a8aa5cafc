import { MergeRequestApprovals } from '@gitbeaker/rest';
import { AppError } from '../../errors.ts';
import type { ChangeRequest } from '../../vocabulary/ids.ts';
import { hasForgeCode } from '../errors.ts';
import type { OutgoingVerdict, WritesVerdicts } from '../port.ts';
import type { StandingVerdict, VerdictRefusal } from '../../vocabulary/forge-verdict.ts';
import { awaitReset } from './await-reset.ts';
import type { GitlabContext } from './api/context.ts';
import {
  type KnowsMutations,
  readRequest,
  rememberMutations,
  requestChanges,
  takeBackRequest,
} from './request-changes.ts';
import { ApiApprovals } from './api/schema.ts';

// GET .../approvals: https://docs.gitlab.com/api/merge_request_approvals/#retrieve-approval-details-for-a-merge-request
const hasApproved = async ({ api, self }: GitlabContext, of: ChangeRequest, signal: AbortSignal): Promise<boolean> => {
  const { id } = await self(signal);
  const { approved_by: approvedBy } = await api.read(ApiApprovals, signal, (options) =>
    new MergeRequestApprovals(options).showConfiguration(of.projectId, { mergerequestIId: of.number }),
  );
  return approvedBy.some(({ user }) => user?.id === id);
};

/** GitLab deletes an approval when a review is requested again, and keeps a request for changes. So any verdict found counts. */
const STANDS = { head: null, dismissed: false, askedAgain: false } as const;

/** GitLab stores no commit with an approval. Depending on the project, a push removes the approval or leaves it valid. */
const fetchOwn = async (
  context: GitlabContext,
  of: ChangeRequest,
  knows: KnowsMutations,
  signal: AbortSignal,
): Promise<StandingVerdict | null> => {
  if (await hasApproved(context, of, signal)) return { verdict: 'approved', ...STANDS };
  const { asked } = await readRequest(context, of, knows, signal);
  return asked ? { verdict: 'changes_requested', ...STANDS } : null;
};

/**
 * GitLab sends 401 for a merge request that is approved, merged or the bot's own. For an invalid token the next read fails too.
 * POST .../approve: https://docs.gitlab.com/api/merge_request_approvals/#approve-merge-request
 */
const approve = async (
  context: GitlabContext,
  of: ChangeRequest,
  { head }: OutgoingVerdict,
  signal: AbortSignal,
): Promise<VerdictRefusal | null> => {
  await awaitReset(context, of, signal);
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
    if (hasForgeCode(error, 'FORGE_NOT_FOUND')) return null;
    if (hasForgeCode(error, 'FORGE_UNAUTHORISED', 'FORGE_FORBIDDEN')) return 'forbidden';
    throw error;
  }
};

export const writesVerdicts = (context: GitlabContext): WritesVerdicts => {
  const knows = rememberMutations(context);
  return {
    fetchOwnVerdict: (of, signal) => fetchOwn(context, of, knows, signal),
    giveVerdict: async (of, given, signal) =>
      given.verdict === 'approved' ? approve(context, of, given, signal) : requestChanges(context, of, knows, signal),
    withdrawVerdicts: async (of, which, signal) => {
      const approval = which.includes('approved') ? await unapprove(context, of, signal) : null;
      const request = which.includes('changes_requested') ? await takeBackRequest(context, of, knows, signal) : null;
      return approval ?? request;
    },
  };
};
