/** GL lib/api/merge_request_approvals.rb; forges.md 3.6. */
import { z } from 'zod';
import { json, type Reply } from '../forgejo/reply.ts';
import { approve, mayApprove, unapprove } from './approvals.ts';
import { type Call, mergeRequestOf, type Route, sentAs, signedIn } from './call.ts';
import { conflict, forbidden, notFound, unauthorized } from './errors.ts';
import { draftsBy, publishDrafts } from './drafts.ts';
import { mergeStatus } from './mr-facts.ts';
import { flag, optionalText } from './parameters.ts';
import { iso, type Json, userJson } from './represent.ts';
import type { SimMergeRequest, World } from './world.ts';

const approvalsJson = (world: World, mr: SimMergeRequest, user: Call['user']): Json => {
  const own = mr.approvals.some((approval) => approval.user === user);
  const left = Math.max(0, mr.project.approvalsRequired - mr.approvals.length);
  const counts = { approvals_required: mr.project.approvalsRequired, approvals_left: left };
  return {
    id: mr.id,
    iid: mr.iid,
    project_id: mr.project.id,
    title: mr.title,
    description: mr.description,
    state: mr.state,
    created_at: iso(mr.createdAt),
    updated_at: iso(mr.updatedAt),
    merge_status: mergeStatus(world, mr) === 'preparing' ? 'preparing' : 'can_be_merged',
    approved: world.edition === 'ce' ? mr.approvals.length > 0 : left === 0,
    ...(world.edition === 'ee' ? counts : {}),
    user_has_approved: own,
    user_can_approve: user !== null && !own && mr.state !== 'merged' && mayApprove(mr, user),
    approved_by: mr.approvals.map(({ user: by, at }) => ({ user: userJson(world, by), approved_at: iso(at) })),
  };
};

const approving = (call: Call) => {
  const user = signedIn(call);
  const mr = mergeRequestOf(call);
  if (!mayApprove(mr, user)) throw forbidden();
  return { user, mr };
};

const approval = async (call: Call): Promise<Reply> => {
  const { user, mr } = approving(call);
  const sent = sentAs(call, z.object({ sha: optionalText, publish_review: flag.optional() }));
  if (typeof sent.sha === 'string' && sent.sha !== mr.headSha)
    throw conflict(`SHA does not match HEAD of source branch: ${mr.headSha}`);
  if (sent.publish_review === true) await publishDrafts(call.world, mr, user, draftsBy(mr, user));
  // `unauthorized! unless success`: approving twice, or after the merge, looks like a bad token.
  if (!(await approve(call.world, mr, user))) throw unauthorized();
  return json(201, approvalsJson(call.world, mr, user));
};

const removal = async (call: Call): Promise<Reply> => {
  const { user, mr } = approving(call);
  if (!(await unapprove(call.world, mr, user))) throw notFound('Not found');
  return json(201, approvalsJson(call.world, mr, user));
};

const at = '/projects/{id}/merge_requests/{iid}';
const described = '/projects/{id}/merge_requests/{merge_request_iid}';

export const approvalRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: `${at}/approvals`,
    described: `${described}/approvals`,
    handle: (call) => json(200, approvalsJson(call.world, mergeRequestOf(call), call.user)),
  },
  { method: 'POST', path: `${at}/approve`, described: `${described}/approve`, handle: approval },
  { method: 'POST', path: `${at}/unapprove`, described: `${described}/unapprove`, handle: removal },
];
