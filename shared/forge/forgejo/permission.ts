import { z } from 'zod';
import { hasForgeCode } from '../errors.ts';
import { apiPath } from '../path.ts';
import type { Account, Permission } from '../port-facts.ts';
import type { ReadsPermission } from '../port.ts';
import type { ForgejoContext } from './context.ts';
import { ApiPermission, type ApiRepository, ApiTeam, ApiUser } from './schema.ts';

const LEVELS: Readonly<Record<string, Permission>> = {
  none: 'none',
  read: 'read',
  write: 'write',
  admin: 'admin',
  owner: 'admin',
};

const REFUSED = ['FORGE_FORBIDDEN', 'FORGE_NOT_FOUND', 'FORGE_REDIRECTED'] as const;

type Question = { readonly project: ApiRepository; readonly account: Account };

/**
 * Only project admins may read the permission of another account.
 * GET /repos/{owner}/{repo}/collaborators/{collaborator}/permission:
 * https://codeberg.org/api/swagger#/repository/repoGetRepoPermissions
 */
const askDirectly = async (
  { http }: ForgejoContext,
  { project, account }: Question,
  signal: AbortSignal,
): Promise<Permission> => {
  const path = apiPath`/api/v1/repos/${project.owner.login}/${project.name}/collaborators/${account.login}/permission`;
  const { value } = await http.read({ path, schema: ApiPermission }, signal);
  // A login can pass to another account; an id cannot.
  const someoneElse = value.user !== null && value.user !== undefined && value.user.id !== account.id;
  return someoneElse ? 'none' : (LEVELS[value.permission] ?? 'undetermined');
};

const WRITING: ReadonlySet<string> = new Set(['write', 'admin', 'owner']);

const writesCode = (team: ApiTeam): boolean =>
  team.permission === 'admin' || team.permission === 'owner' || WRITING.has(team.units_map?.['repo.code'] ?? 'none');

const isAssignable = (team: ApiTeam): boolean => {
  const units = Object.entries(team.units_map ?? {});
  const some = units.some(([unit, level]) => WRITING.has(level) || (unit === 'repo.pulls' && level === 'read'));
  return some || WRITING.has(team.permission) || team.units_map === null || team.units_map === undefined;
};

/**
 * The assignees of an organisation project also include members of teams that may not write code. Being in that list proves
 * write access only if every team that makes its members assignable also lets them write code.
 */
export const assigneesMayWrite = (teams: readonly ApiTeam[]): boolean =>
  teams.every((team) => !isAssignable(team) || writesCode(team));

/**
 * Whether every assignee may write code; always true in a project owned by a user.
 * GET /repos/{owner}/{repo}/teams: https://codeberg.org/api/swagger#/repository/repoListTeams (405 for a user's project)
 */
const assigneesProveWriting = async (
  { http }: ForgejoContext,
  project: ApiRepository,
  signal: AbortSignal,
): Promise<boolean> => {
  const path = apiPath`/api/v1/repos/${project.owner.login}/${project.name}/teams`;
  try {
    const { value } = await http.read({ path, schema: z.array(ApiTeam).nullable() }, signal);
    return assigneesMayWrite(value ?? []);
  } catch (error) {
    if (hasForgeCode(error, 'FORGE_REJECTED') && error.fields['status'] === 405) return true;
    if (hasForgeCode(error, ...REFUSED)) return false;
    throw error;
  }
};

/** GET /repos/{owner}/{repo}/assignees (not paged): https://codeberg.org/api/swagger#/repository/repoGetAssignees */
const inferFromAssignees = async (
  context: ForgejoContext,
  { project, account }: Question,
  signal: AbortSignal,
): Promise<Permission> => {
  const path = apiPath`/api/v1/repos/${project.owner.login}/${project.name}/assignees`;
  const { value } = await context.http.read({ path, schema: z.array(ApiUser).nullable() }, signal);
  if ((value ?? []).some((user) => user.id === account.id)) {
    return (await assigneesProveWriting(context, project, signal)) ? 'write' : 'undetermined';
  }
  // An account that cannot be assigned may not write. Only in a public project is it certain that the account may read.
  return project.private || project.internal === true ? 'undetermined' : 'read';
};

export const readsPermission = (context: ForgejoContext): ReadsPermission => ({
  fetchPermission: (projectId, account, signal) =>
    context.projects.withProject(projectId, signal, async (project) => {
      const question = { project, account };
      try {
        return await askDirectly(context, question, signal);
      } catch (error) {
        if (hasForgeCode(error, 'FORGE_NOT_FOUND')) return 'none';
        if (!hasForgeCode(error, 'FORGE_FORBIDDEN')) throw error;
      }
      try {
        return await inferFromAssignees(context, question, signal);
      } catch (error) {
        if (hasForgeCode(error, ...REFUSED)) return 'undetermined';
        throw error;
      }
    }),
});
