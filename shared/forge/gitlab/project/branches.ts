import { Branches, MergeRequestApprovals } from '@gitbeaker/rest';
import { z } from 'zod';
import type { ReadsApprovals, ReadsBranches } from '../../port.ts';
import type { GitlabContext } from '../api/context.ts';
import { orNull } from '../api/or-null.ts';
import { ApiApprovals, ApiBranch } from '../api/schema.ts';

const ApiGuardedBranch = ApiBranch.extend({
  protected: z.boolean(),
  default: z.boolean(),
  can_push: z.boolean().nullish(),
  developers_can_merge: z.boolean().nullish(),
});

/** GET /projects/:id/repository/branches/:branch: https://docs.gitlab.com/api/branches/#get-single-repository-branch */
export const readsBranches = ({ api }: GitlabContext): ReadsBranches => ({
  fetchBranch: async (projectId, name, signal) => {
    const found = await orNull(
      api.read(ApiGuardedBranch, signal, (options) => new Branches(options).show(projectId, name)),
    );
    if (found === null) return null;
    // Either permission is enough, as in GitLab's `can_update_branch?` (lib/gitlab/user_access.rb).
    const mayUpdate = !found.protected || found.can_push === true || found.developers_can_merge === true;
    return { isProtected: found.protected, isDefault: found.default, head: found.commit.id, mayUpdate };
  },
});

/** GET .../approvals: https://docs.gitlab.com/api/merge_request_approvals/#retrieve-approval-details-for-a-merge-request */
export const readsApprovals = ({ api }: GitlabContext): ReadsApprovals => ({
  fetchApprovers: async (of, signal) => {
    const { approved_by: approvedBy } = await api.read(ApiApprovals, signal, (options) =>
      new MergeRequestApprovals(options).showConfiguration(of.projectId, { mergerequestIId: of.number }),
    );
    return approvedBy.flatMap(({ user }) =>
      user === null || user === undefined ? [] : [{ id: user.id, login: user.username }],
    );
  },
});
