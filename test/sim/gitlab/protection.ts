/** Protected branches: GL app/models/protected_branch.rb, app/models/concerns/protected_ref.rb, lib/gitlab/user_access.rb. */
import { levelOf, mayAct } from './access.ts';
import type { AccessLevel, ProtectedBranch, SimProject, SimUser } from './world.ts';

/** GL app/models/ref_matcher.rb: `*` matches anything, also slashes. Refs of merge requests are matched too. */
const matches = (pattern: string, ref: string): boolean =>
  new RegExp(`^${pattern.split('*').map(escape).join('.*?')}$`).test(ref);

const escape = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);

const rulesFor = ({ protectedBranches }: SimProject, ref: string): readonly ProtectedBranch[] =>
  protectedBranches.filter(({ pattern }) => matches(pattern, ref));

export const isProtected = (project: SimProject, ref: string): boolean => rulesFor(project, ref).length > 0;

type Action = 'push' | 'merge';

/** GL app/models/concerns/protected_ref.rb `developers_can?`: true when any rule allows it. */
export const developersCan = (project: SimProject, ref: string, action: Action): boolean =>
  rulesFor(project, ref).some((rule) => rule[action] !== 0 && rule[action] <= 30);

const may = (user: SimUser, project: SimProject, ref: string, action: Action): boolean => {
  if (!mayAct(user, project, 30)) return false;
  const rules = rulesFor(project, ref);
  const level: AccessLevel = user.isAdmin ? 50 : levelOf(user, project);
  return rules.length === 0 || rules.some((rule) => rule[action] !== 0 && level >= rule[action]);
};

/** GL lib/gitlab/user_access.rb `can_push_to_branch?`. */
export const mayPush = (user: SimUser, project: SimProject, ref: string): boolean => may(user, project, ref, 'push');

/** Patterns of protected branches: a push is rejected when one of `closed` matches and none of `open` does. */
export const rulesOf = (
  user: SimUser,
  project: SimProject,
): { readonly open: readonly string[]; readonly closed: readonly string[] } => {
  const patterns = project.protectedBranches.map((rule) => rule.pattern);
  const alone = (at: number): SimProject => ({
    ...project,
    protectedBranches: project.protectedBranches.slice(at, at + 1),
  });
  const isOpen = patterns.map((pattern, at) => mayPush(user, alone(at), pattern));
  return { open: patterns.filter((_, at) => isOpen[at]), closed: patterns.filter((_, at) => !isOpen[at]) };
};

/** GL lib/gitlab/user_access.rb `can_update_branch?`, for which `Ci::PipelinePolicy` prevents `update_pipeline`. */
export const mayUpdate = (user: SimUser, project: SimProject, ref: string): boolean =>
  may(user, project, ref, 'push') || may(user, project, ref, 'merge');
