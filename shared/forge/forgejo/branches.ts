import { z } from 'zod';
import { CommitSha } from '../../vocabulary/ids.ts';
import { hasForgeCode } from '../errors.ts';
import { apiPath } from '../path.ts';
import type { Account } from '../port-facts.ts';
import type { ReadsApprovals, ReadsBranches } from '../port.ts';
import type { ForgejoContext } from './api/context.ts';
import { fetchReviews, targetOf } from './reviews.ts';
import { ASKED, EVENTS } from './verdicts.ts';

const ApiBranch = z.object({ protected: z.boolean(), commit: z.object({ id: CommitSha }) });

/** GET /repos/{owner}/{repo}/branches/{branch}: https://codeberg.org/api/swagger#/repository/repoGetBranch */
export const readsBranches = ({ http, projects }: ForgejoContext): ReadsBranches => ({
  fetchBranch: async (projectId, name, signal) =>
    projects.withProject(projectId, signal, async (project) => {
      const path = apiPath`/api/v1/repos/${project.owner.login}/${project.name}/branches/${name}`;
      try {
        const { value } = await http.read({ path, schema: ApiBranch }, signal);
        const { protected: isProtected, commit } = value;
        return { isProtected, isDefault: name === project.default_branch, head: commit.id };
      } catch (error) {
        if (hasForgeCode(error, 'FORGE_NOT_FOUND')) return null;
        throw error;
      }
    }),
});

const DECISIVE: ReadonlySet<string> = new Set([...Object.values(EVENTS), ASKED]);

/** The newest approval or rejection of each account counts, unless it was dismissed or the account was asked to review again. */
export const readsApprovals = (context: ForgejoContext): ReadsApprovals => ({
  fetchApprovers: async (of, signal) =>
    context.projects.withProject(of.projectId, signal, async (project) => {
      const standing = new Map<number, { readonly account: Account; readonly approves: boolean }>();
      for (const { user, state, dismissed } of await fetchReviews(context, targetOf(project, of), signal)) {
        if (user === null || user === undefined || !DECISIVE.has(state)) continue;
        const approves = state === 'APPROVED' && dismissed !== true;
        standing.set(user.id, { account: { id: user.id, login: user.login }, approves });
      }
      return [...standing.values()].filter(({ approves }) => approves).map(({ account }) => account);
    }),
});
