import { inScope, parseProjectScope } from '../../shared/config/projects/project-scope.ts';
import { mayTrigger } from '../../shared/forge/may-trigger.ts';
import type { Account, ChangeRequestFacts, ForgeComment, Project } from '../../shared/forge/port-facts.ts';
import type { Policy } from '../../shared/rounds/model/policy.ts';
import type { FixFacts, FixRequest } from '../../shared/rounds/model/facts.ts';
import { type History, isPresent, lastReviewed } from '../../shared/rounds/model/history.ts';
import type { KnownForge } from './deps.ts';

export type FixMatter = {
  readonly changeRequest: ChangeRequestFacts | null;
  readonly history: History;
  readonly calls: readonly ForgeComment[];
  readonly policy: Pick<Policy, 'author'>;
};

/** Reads from the forge only if a fix may follow: a fix was requested, or the current head has blocking findings. */
export const fetchFixFacts = async (
  forge: KnownForge,
  { changeRequest, history, calls, policy }: FixMatter,
  signal: AbortSignal,
): Promise<FixFacts | null> => {
  if (changeRequest === null) return null;
  const last = lastReviewed(history);
  const isDue = policy.author.enabled && isPresent(last, changeRequest) && last.verdict === 'feedback';
  if (calls.length === 0 && !isDue) return null;
  const requests = await judgeRequests(forge, { changeRequest, calls }, signal);
  // If the author is disabled, every request is refused anyway.
  if (!policy.author.enabled) return { inScope: false, branchProtected: true, approved: false, requests };
  const { projectId } = changeRequest.changeRequest;
  const [project, branchProtected, approved] = await Promise.all([
    forge.read.fetchProject(projectId, signal),
    isBranchProtected(forge, changeRequest, signal),
    isApproved(forge, changeRequest, signal),
  ]);
  return { inScope: isInScope(policy.author.projects, project), branchProtected, approved, requests };
};

const isInScope = (patterns: readonly string[], project: Project | null): boolean =>
  patterns.length === 0 || inScope(parseProjectScope(patterns), project?.path ?? null);

type Asked = Pick<FixMatter, 'calls'> & { readonly changeRequest: ChangeRequestFacts };

const judgeRequests = async (
  forge: KnownForge,
  { changeRequest, calls }: Asked,
  signal: AbortSignal,
): Promise<readonly FixRequest[]> =>
  Promise.all(
    calls.flatMap(({ id, kind, author }) =>
      author === null
        ? []
        : [
            mayFix(forge, { actor: author, changeRequest }, signal).then((allowed) => ({
              noteId: Number(id),
              kind,
              authorId: author.id,
              actor: author,
              allowed,
            })),
          ],
    ),
  );

type Question = { readonly actor: Account; readonly changeRequest: ChangeRequestFacts };

const mayFix = async (forge: KnownForge, { actor, changeRequest }: Question, signal: AbortSignal): Promise<boolean> =>
  mayTrigger(forge, { actor, action: 'fix', projectId: changeRequest.changeRequest.projectId }, signal);

/** A branch that cannot be read counts as protected. Fork branches are refused elsewhere. */
const isBranchProtected = async (
  forge: KnownForge,
  { changeRequest: { projectId }, sourceBranch, fromFork }: ChangeRequestFacts,
  signal: AbortSignal,
): Promise<boolean> => {
  if (fromFork) return false;
  const branch = await forge.read.fetchBranch(projectId, sourceBranch, signal);
  return branch === null || branch.isProtected || branch.isDefault;
};

/** Anyone may approve, but only a commander's approval hands the findings to humans. */
const isApproved = async (
  forge: KnownForge,
  changeRequest: ChangeRequestFacts,
  signal: AbortSignal,
): Promise<boolean> => {
  const approvers = await forge.read.fetchApprovers(changeRequest.changeRequest, signal);
  for (const actor of approvers) if (await mayFix(forge, { actor, changeRequest }, signal)) return true;
  return false;
};
