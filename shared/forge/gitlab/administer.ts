import { hasForgeCode } from '../errors.ts';
import { ApiMember } from './api/schema.ts';
import { HEARD, readHooks, toHook } from './project/list-hooks.ts';
import { permissionOf } from './project/permission.ts';
import type { ForgeHttp } from '../http.ts';
import { type ApiPath, apiPath } from '../path.ts';
import type { HookOwner } from '../port-listing.ts';
import type { Account } from '../port-facts.ts';
import type { Administration, ListedHooks, Standing } from '../admin/administration.ts';

/** https://docs.gitlab.com/api/access_requests/#valid-access-levels */
const DEVELOPER = 30;

const HOOKS = {
  all: (owner: HookOwner): ApiPath =>
    owner.kind === 'project'
      ? apiPath`/api/v4/projects/${owner.project.id}/hooks`
      : apiPath`/api/v4/groups/${owner.path}/hooks`,
  one: (owner: HookOwner, id: number): ApiPath =>
    owner.kind === 'project'
      ? apiPath`/api/v4/projects/${owner.project.id}/hooks/${id}`
      : apiPath`/api/v4/groups/${owner.path}/hooks/${id}`,
  test: (owner: HookOwner, id: number): ApiPath =>
    owner.kind === 'project'
      ? apiPath`/api/v4/projects/${owner.project.id}/hooks/${id}/test/push_events`
      : apiPath`/api/v4/groups/${owner.path}/hooks/${id}/test/push_events`,
};

const MEMBERS = {
  all: (owner: HookOwner): ApiPath =>
    owner.kind === 'project'
      ? apiPath`/api/v4/projects/${owner.project.id}/members`
      : apiPath`/api/v4/groups/${owner.path}/members`,
  one: (owner: HookOwner, id: number): ApiPath =>
    owner.kind === 'project'
      ? apiPath`/api/v4/projects/${owner.project.id}/members/${id}`
      : apiPath`/api/v4/groups/${owner.path}/members/${id}`,
  inherited: (owner: HookOwner, id: number): ApiPath =>
    owner.kind === 'project'
      ? apiPath`/api/v4/projects/${owner.project.id}/members/all/${id}`
      : apiPath`/api/v4/groups/${owner.path}/members/all/${id}`,
};

const EVENTS = Object.fromEntries(HEARD.map((event) => [event, true]));

const listHooks = async (http: ForgeHttp, owner: HookOwner, signal: AbortSignal): Promise<ListedHooks> => {
  try {
    const hooks = await readHooks({ http }, owner, signal);
    return { kind: 'hooks', hooks: hooks.map((hook) => ({ id: hook.id, ...toHook(hook) })) };
  } catch (error) {
    if (hasForgeCode(error, 'FORGE_FORBIDDEN', 'FORGE_UNAUTHORISED')) return { kind: 'forbidden' };
    if (hasForgeCode(error, 'FORGE_NOT_FOUND')) return { kind: owner.kind === 'group' ? 'none' : 'forbidden' };
    throw error;
  }
};

const fetchStanding = async (
  http: ForgeHttp,
  { owner, of }: { readonly owner: HookOwner; readonly of: Account },
  signal: AbortSignal,
): Promise<Standing> => {
  try {
    const { value } = await http.read({ path: MEMBERS.inherited(owner, of.id), schema: ApiMember }, signal);
    const permission = permissionOf(value);
    return permission === 'write' || permission === 'admin' ? 'enough' : 'less';
  } catch (error) {
    if (hasForgeCode(error, 'FORGE_NOT_FOUND')) return 'none';
    if (hasForgeCode(error, 'FORGE_FORBIDDEN')) return 'forbidden';
    throw error;
  }
};

/**
 * - hooks of a project: https://docs.gitlab.com/api/project_webhooks/
 * - hooks of a group:   https://docs.gitlab.com/api/group_webhooks/
 * - members:            https://docs.gitlab.com/api/project_members/ and https://docs.gitlab.com/api/group_members/
 */
export const administerGitlab = (http: ForgeHttp): Administration => ({
  listHooks: async (owner, signal) => listHooks(http, owner, signal),
  fetchStanding: async (owner, of, signal) => fetchStanding(http, { owner, of }, signal),
  groupsHaveMembers: true,
  createHook: (owner, { url, secret }) => ({
    method: 'POST',
    path: HOOKS.all(owner),
    // Push events are on by default, but Fixpoint does not use them.
    body: { url, token: secret, push_events: false, ...EVENTS },
    hides: ['token'],
  }),
  repairHook: (owner, id) => ({ method: 'PUT', path: HOOKS.one(owner, id), body: EVENTS }),
  removeHook: (owner, id) => ({ method: 'DELETE', path: HOOKS.one(owner, id) }),
  testHook: (owner, id) => ({ method: 'POST', path: HOOKS.test(owner, id) }),
  addMember: (owner, { id }) => ({
    method: 'POST',
    path: MEMBERS.all(owner),
    body: { user_id: id, access_level: DEVELOPER },
  }),
  removeMember: (owner, { id }) => ({ method: 'DELETE', path: MEMBERS.one(owner, id) }),
  probe: null,
});
