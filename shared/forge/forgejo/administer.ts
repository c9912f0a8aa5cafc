import { z } from 'zod';
import { hasForgeCode } from '../errors.ts';
import { ApiHook, toHook } from './list-hooks.ts';
import { mayWriteByTeam } from './permission.ts';
import { splitPath } from './project.ts';
import { ApiPermission } from './api/schema.ts';
import type { ForgeHttp } from '../http.ts';
import { readPages } from '../paging.ts';
import { type ApiPath, apiPath } from '../path.ts';
import type { HookOwner } from '../port-listing.ts';
import type { Account } from '../port-facts.ts';
import type { Administration, ListedHooks, Standing } from '../admin/administration.ts';

const PAGE_SIZE = 50;

/** `path` came from the forge, so it always has two parts. */
const partsOf = (path: string): readonly [owner: string, name: string] => splitPath(path) ?? ['', ''];

const hooksPath = (owner: HookOwner): ApiPath => {
  if (owner.kind === 'group') return apiPath`/api/v1/orgs/${owner.path}/hooks`;
  const [user, name] = partsOf(owner.project.path);
  return apiPath`/api/v1/repos/${user}/${name}/hooks`;
};

const hookPath = (owner: HookOwner, id: number): ApiPath => {
  if (owner.kind === 'group') return apiPath`/api/v1/orgs/${owner.path}/hooks/${id}`;
  const [user, name] = partsOf(owner.project.path);
  return apiPath`/api/v1/repos/${user}/${name}/hooks/${id}`;
};

/** An organisation has teams instead of collaborators. People manage teams, so access is checked project by project. */
const collaboratorPath = (owner: HookOwner, { login }: Account): ApiPath => {
  const [user, name] = partsOf(owner.kind === 'project' ? owner.project.path : owner.path);
  return apiPath`/api/v1/repos/${user}/${name}/collaborators/${login}`;
};

/** An event group: both forges enable all of its events. */
const EVENTS = ['pull_request'];

const listHooks = async (http: ForgeHttp, owner: HookOwner, signal: AbortSignal): Promise<ListedHooks> => {
  const request = { path: hooksPath(owner), item: ApiHook, limit: PAGE_SIZE, keyOf: ({ id }: ApiHook) => id };
  try {
    const hooks = await readPages(http, request, signal);
    return { kind: 'hooks', hooks: hooks.map((hook) => ({ id: hook.id, ...toHook(hook) })) };
  } catch (error) {
    if (hasForgeCode(error, 'FORGE_FORBIDDEN', 'FORGE_UNAUTHORISED')) return { kind: 'forbidden' };
    // 404 for a group means that the owner is a user.
    if (hasForgeCode(error, 'FORGE_NOT_FOUND')) return { kind: owner.kind === 'group' ? 'none' : 'forbidden' };
    throw error;
  }
};

const WRITING: ReadonlySet<string> = new Set(['write', 'admin', 'owner']);

type Asked = { readonly owner: HookOwner; readonly of: Account };

const writesByTeam = async (http: ForgeHttp, { owner, of }: Asked, signal: AbortSignal): Promise<boolean> => {
  if (owner.kind === 'group') return false;
  const [login, name] = partsOf(owner.project.path);
  return mayWriteByTeam({ http, project: { owner: { login }, name }, account: of }, signal);
};

/** Everybody may read a public project, so an account with only read access is looked up among the collaborators. */
const fetchStanding = async (http: ForgeHttp, { owner, of }: Asked, signal: AbortSignal): Promise<Standing> => {
  const path = collaboratorPath(owner, of);
  try {
    // `path` is encoded, and the suffix is constant.
    const asked = { path: `${path}/permission` as ApiPath, schema: ApiPermission };
    if (WRITING.has((await http.read(asked, signal)).value.permission)) return 'enough';
  } catch (error) {
    if (hasForgeCode(error, 'FORGE_FORBIDDEN')) return 'forbidden';
    if (!hasForgeCode(error, 'FORGE_NOT_FOUND')) throw error;
  }
  if (await writesByTeam(http, { owner, of }, signal)) return 'enough';
  try {
    await http.read({ path, schema: z.unknown() }, signal);
    return 'less';
  } catch (error) {
    if (hasForgeCode(error, 'FORGE_FORBIDDEN')) return 'forbidden';
    if (hasForgeCode(error, 'FORGE_NOT_FOUND')) return 'none';
    throw error;
  }
};

/**
 * - hooks of a repository:      https://codeberg.org/api/swagger#/repository/repoCreateHook
 * - hooks of an organisation:   https://codeberg.org/api/swagger#/organization/orgCreateHook
 * - test of a repository hook:  https://codeberg.org/api/swagger#/repository/repoTestHook
 * - collaborators:              https://codeberg.org/api/swagger#/repository/repoAddCollaborator
 */
export const administerForgejo =
  (type: string) =>
  (http: ForgeHttp): Administration => ({
    listHooks: async (owner, signal) => listHooks(http, owner, signal),
    fetchStanding: async (owner, of, signal) => fetchStanding(http, { owner, of }, signal),
    groupsHaveMembers: false,
    createHook: (owner, { url, secret }) => ({
      method: 'POST',
      path: hooksPath(owner),
      body: { type, active: true, events: EVENTS, config: { url, content_type: 'json', secret } },
      hides: ['secret'],
    }),
    repairHook: (owner, id) => ({
      method: 'PATCH',
      path: hookPath(owner, id),
      body: { active: true, events: EVENTS },
    }),
    removeHook: (owner, id) => ({ method: 'DELETE', path: hookPath(owner, id) }),
    testHook: (owner, id) =>
      // `hookPath` is encoded, and the suffix is constant.
      owner.kind === 'group' ? null : { method: 'POST', path: `${hookPath(owner, id)}/tests` as ApiPath },
    addMember: (owner, of) => ({ method: 'PUT', path: collaboratorPath(owner, of), body: { permission: 'write' } }),
    removeMember: (owner, of) => ({ method: 'DELETE', path: collaboratorPath(owner, of) }),
    probe: (owner) => ({ method: 'DELETE', path: hookPath(owner, 0) }),
  });
