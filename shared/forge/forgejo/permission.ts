import { z } from 'zod';
import { hasForgeCode } from '../errors.ts';
import type { ForgeHttp } from '../http.ts';
import { apiPath } from '../path.ts';
import { readableItems } from '../readable-items.ts';
import type { Account, Permission } from '../port-facts.ts';
import type { ReadsPermission } from '../port.ts';
import type { ForgejoContext } from './api/context.ts';
import { ApiPermission, type ApiRepository, ApiTeam, ApiUser } from './api/schema.ts';

const LEVELS: Readonly<Record<string, Permission>> = {
  none: 'none',
  read: 'read',
  write: 'write',
  admin: 'admin',
  owner: 'admin',
};

const REFUSED = ['FORGE_FORBIDDEN', 'FORGE_NOT_FOUND', 'FORGE_REDIRECTED'] as const;

type Question = {
  readonly http: ForgeHttp;
  readonly project: Pick<ApiRepository, 'owner' | 'name'>;
  readonly account: Account;
};

/**
 * Only project admins may read the permission of another account.
 * GET /repos/{owner}/{repo}/collaborators/{collaborator}/permission:
 * https://codeberg.org/api/swagger#/repository/repoGetRepoPermissions
 */
const askDirectly = async ({ http, project, account }: Question, signal: AbortSignal): Promise<Permission> => {
  const path = apiPath`/api/v1/repos/${project.owner.login}/${project.name}/collaborators/${account.login}/permission`;
  const { value } = await http.read({ path, schema: ApiPermission }, signal);
  // Another account may have taken over the login, but not the id.
  const someoneElse = value.user !== null && value.user !== undefined && value.user.id !== account.id;
  return someoneElse ? 'none' : (LEVELS[value.permission] ?? 'undetermined');
};

const WRITING: ReadonlySet<string> = new Set(['write', 'admin', 'owner']);

const writesCode = (team: ApiTeam): boolean =>
  team.permission === 'admin' || team.permission === 'owner' || WRITING.has(team.units_map?.['repo.code'] ?? 'none');

/**
 * Permission to read change requests makes an account assignable; since Gitea 1.26.1 (#37365), permission to read
 * issues does, too.
 */
const READING_ASSIGNS: ReadonlySet<string> = new Set(['repo.pulls', 'repo.issues']);

const isAssignable = (team: ApiTeam): boolean => {
  const units = Object.entries(team.units_map ?? {});
  const some = units.some(([unit, level]) => WRITING.has(level) || (READING_ASSIGNS.has(unit) && level === 'read'));
  return some || WRITING.has(team.permission) || team.units_map === null || team.units_map === undefined;
};

/**
 * The assignees of an organisation project also include members of teams that may not write code. So an assignee
 * certainly has write access only if every team whose members are assignable also lets them write code.
 */
export const assigneesMayWrite = (teams: readonly ApiTeam[]): boolean =>
  teams.every((team) => !isAssignable(team) || writesCode(team));

/** `none`: a user owns the project. `hidden`: the token may not read the teams. */
type Teams = 'none' | 'hidden' | readonly ApiTeam[];

/**
 * Every team counts: without one that may not write, members of that team would be trusted.
 * GET /repos/{owner}/{repo}/teams: https://codeberg.org/api/swagger#/repository/repoListTeams (405 for a user's project)
 */
const listTeams = async ({ http, project }: Question, signal: AbortSignal): Promise<Teams> => {
  const path = apiPath`/api/v1/repos/${project.owner.login}/${project.name}/teams`;
  try {
    const { value } = await http.read({ path, schema: z.array(ApiTeam).nullable() }, signal);
    return value ?? [];
  } catch (error) {
    if (hasForgeCode(error, 'FORGE_REJECTED') && error.fields['status'] === 405) return 'none';
    if (hasForgeCode(error, ...REFUSED)) return 'hidden';
    throw error;
  }
};

/**
 * An account that cannot be read may be left out: it is only trusted less.
 * GET /repos/{owner}/{repo}/assignees (not paged): https://codeberg.org/api/swagger#/repository/repoGetAssignees */
const isAssignee = async ({ http, project, account }: Question, signal: AbortSignal): Promise<boolean> => {
  const path = apiPath`/api/v1/repos/${project.owner.login}/${project.name}/assignees`;
  const { value } = await http.read({ path, schema: readableItems(ApiUser).nullable() }, signal);
  return (value ?? []).some((user) => user.id === account.id);
};

/** Maximum number of teams that are checked for one account. */
const MAX_TEAMS = 20;

/**
 * Available only to members of the team, owners of its organisation and site admins.
 * GET /teams/{id}/members/{username}: https://codeberg.org/api/swagger#/organization/orgListTeamMember
 */
const isMember = async ({ http, account }: Question, { id }: ApiTeam, signal: AbortSignal): Promise<boolean> => {
  const path = apiPath`/api/v1/teams/${id}/members/${account.login}`;
  try {
    return (await http.read({ path, schema: ApiUser }, signal)).value.id === account.id;
  } catch (error) {
    if (hasForgeCode(error, ...REFUSED)) return false;
    throw error;
  }
};

/** Whether the account, which can be assigned, may write code through one of these teams. */
const teamsLetWrite = async (question: Question, teams: readonly ApiTeam[], signal: AbortSignal): Promise<boolean> => {
  if (assigneesMayWrite(teams)) return true;
  for (const team of teams.filter(writesCode).slice(0, MAX_TEAMS)) {
    if (await isMember(question, team, signal)) return true;
  }
  return false;
};

/**
 * Gitea since 1.24 (#34128) ignores the permissions that a team has for single units when it reports an account's
 * permission. It reports `read` (`none` in a private project) for members of such a team, although they may push.
 */
export const mayWriteByTeam = async (question: Question, signal: AbortSignal): Promise<boolean> => {
  const teams = await listTeams(question, signal);
  if (teams === 'none' || teams === 'hidden' || !teams.some(writesCode)) return false;
  try {
    return (await isAssignee(question, signal)) && (await teamsLetWrite(question, teams, signal));
  } catch (error) {
    if (hasForgeCode(error, ...REFUSED)) return false;
    throw error;
  }
};

type Inferring = Question & { readonly project: ApiRepository };

const inferFromAssignees = async (question: Inferring, signal: AbortSignal): Promise<Permission> => {
  const { project } = question;
  // An account that cannot be assigned may not write. Whether it may read is certain only in a public project.
  if (!(await isAssignee(question, signal)))
    return project.private || project.internal === true ? 'undetermined' : 'read';
  const teams = await listTeams(question, signal);
  if (teams === 'hidden') return 'undetermined';
  return teams === 'none' || (await teamsLetWrite(question, teams, signal)) ? 'write' : 'undetermined';
};

const MAY_WRITE: ReadonlySet<Permission> = new Set(['write', 'admin']);

export const readsPermission = ({ http, projects, self }: ForgejoContext): ReadsPermission => ({
  fetchPermission: (projectId, account, signal) =>
    projects.withProject(projectId, signal, async (project) => {
      const question = { http, project, account };
      const maySelfPush = async () => project.permissions?.push === true && (await self(signal)).id === account.id;
      try {
        const direct = await askDirectly(question, signal);
        if (MAY_WRITE.has(direct)) return direct;
        return (await maySelfPush()) || (await mayWriteByTeam(question, signal)) ? 'write' : direct;
      } catch (error) {
        if (hasForgeCode(error, 'FORGE_NOT_FOUND')) return 'none';
        if (!hasForgeCode(error, 'FORGE_FORBIDDEN')) throw error;
      }
      try {
        return await inferFromAssignees(question, signal);
      } catch (error) {
        if (hasForgeCode(error, ...REFUSED)) return 'undetermined';
        throw error;
      }
    }),
});
