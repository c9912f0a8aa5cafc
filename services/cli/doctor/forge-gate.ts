/** Checks whether Fixpoint can set its status on open merge requests. GitLab only: other forges have no such limits. */
import type { Account, ChangeRequestFacts, ProjectRef } from '../../../shared/forge/port-facts.ts';
import type { Forge } from '../../../shared/forge/port.ts';
import { STATUS_CONTEXT } from '../../../shared/vocabulary/status-place.ts';
import { fail, type Seen } from './check.ts';

/** Only the newest merge requests of each project are checked, because each needs about five requests. */
const MAX_OPEN = 5;

type Looking = { readonly writing: Forge; readonly bot: Account };

export const gateSeen = async (
  { writing, bot }: Looking,
  project: ProjectRef,
  signal: AbortSignal,
): Promise<readonly Seen[]> => {
  const page = await writing.read.readOpenPage(project, { page: 1, tag: null }, signal);
  const isAdmin = (await writing.read.fetchPermission(project.id, bot, signal)) === 'admin';
  const seen: Seen[] = [];
  const branches = new Set<string>();
  for (const { changeRequest } of (page?.open ?? []).slice(0, MAX_OPEN)) {
    const facts = await writing.read.fetchChangeRequest(changeRequest, signal);
    if (facts === null) continue;
    if (!isAdmin && !facts.fromFork && !branches.has(facts.sourceBranch)) {
      branches.add(facts.sourceBranch);
      seen.push(...(await branchSeen(writing, project, facts, signal)));
    }
    seen.push(...(await jobSeen(writing, project, { facts, bot }, signal)));
  }
  return seen;
};

const branchSeen = async (
  writing: Forge,
  { id, path }: ProjectRef,
  { sourceBranch }: ChangeRequestFacts,
  signal: AbortSignal,
): Promise<readonly Seen[]> => {
  const branch = await writing.read.fetchBranch(id, sourceBranch, signal);
  if (branch?.mayUpdate !== false) return [];
  return [
    fail(
      `${path}: the source branch ${sourceBranch} is protected, and the bot may neither push nor merge to it, so it cannot set a status there`,
      'allow the bot to push or merge to the protected branch, or make it a Maintainer',
    ),
  ];
};

const jobSeen = async (
  writing: Forge,
  { path }: ProjectRef,
  { facts, bot }: { readonly facts: ChangeRequestFacts; readonly bot: Account },
  signal: AbortSignal,
): Promise<readonly Seen[]> => {
  const { changeRequest, head, targetBranch } = facts;
  const of = { changeRequest, head, targetBranch, botIds: new Set([bot.id]) };
  const { statuses } = await writing.read.fetchChecks(of, signal);
  if (!statuses.some(({ context }) => context === `job ${STATUS_CONTEXT}`)) return [];
  return [
    fail(
      `${path}: a CI job of !${changeRequest.number} has the same name "${STATUS_CONTEXT}" as the bot's status, which therefore cannot be set`,
      'rename the job in .gitlab-ci.yml',
    ),
  ];
};
