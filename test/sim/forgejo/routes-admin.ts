/** What an administrator of a project or organisation does: webhooks and collaborators. */
import { z } from 'zod';
import { ownsOrganization } from './access.ts';
import { bodyOf, type Call, numberParam, param, type Route, repoOf, signedIn } from './call.ts';
import { findUser } from './find.ts';
import { resolveCommit } from './git.ts';
import { testPush } from './hook-payloads.ts';
import { addHook, changeHook, HookWish } from './hooks.ts';
import { empty, forbidden, json, notFound, type Reply, SimHttpError, unprocessable } from './reply.ts';
import { hookJson } from './represent.ts';
import { sendTest } from './webhooks.ts';
import type { SimHook, SimOrganization, SimUser } from './world.ts';

const hookAmong = (hooks: readonly SimHook[], call: Call): SimHook => {
  const hook = hooks.find(({ id }) => id === numberParam(call, 'id'));
  if (hook === undefined) throw notFound();
  return hook;
};

const removeFrom = (hooks: SimHook[], call: Call): Reply => {
  hooks.splice(hooks.indexOf(hookAmong(hooks, call)), 1);
  return empty(204);
};

/** A push of the newest commit, whatever the hook's events are; 204 and no delivery without commits (repo/hook.go TestHook). */
const test = async (call: Call): Promise<Reply> => {
  const repo = repoOf(call, 'admin');
  const tip = await resolveCommit(repo.gitDir, `refs/heads/${repo.defaultBranch}`);
  if (tip === null) return empty(204);
  const hook = hookAmong(repo.hooks, call);
  sendTest(call.world, hook, testPush(call.world, repo, { sha: tip, pusher: signedIn(call) }));
  return empty(204);
};

/** Only for the team "Owners". Not found for a user. */
const organizationOf = (call: Call): SimOrganization => {
  const user = signedIn(call);
  const place = findUser(call.world, param(call, 'org'));
  if (place.organization === undefined) throw notFound();
  if (!user.isAdmin && !ownsOrganization(user, place)) throw forbidden('Must be an organization owner');
  return place.organization;
};

const addToOrganization = (call: Call): Reply =>
  json(201, hookJson(addHook(call.world, organizationOf(call), bodyOf(call, HookWish))));

const editInOrganization = (call: Call): Reply => {
  const hook = hookAmong(organizationOf(call).hooks, call);
  changeHook(call.world, hook, bodyOf(call, HookWish.partial()));
  return json(200, hookJson(hook));
};

const collaboratorOf = (call: Call): SimUser => {
  try {
    return findUser(call.world, param(call, 'collaborator'));
  } catch (error) {
    if (!(error instanceof SimHttpError)) throw error;
    throw unprocessable(`user does not exist [uid: 0, name: ${param(call, 'collaborator')}]`);
  }
};

const isCollaborator = (call: Call): Reply => {
  const { collaborators } = repoOf(call);
  signedIn(call);
  if (!collaborators.has(collaboratorOf(call).id)) throw notFound();
  return empty(204);
};

const Level = z.object({ permission: z.enum(['read', 'write', 'admin']).nullish() });

const addCollaborator = (call: Call): Reply => {
  const { collaborators } = repoOf(call, 'admin');
  const { permission } = bodyOf(call, Level);
  collaborators.set(collaboratorOf(call).id, permission ?? 'write');
  return empty(204);
};

/** Also 204 for an account that is none (repo/collaborators.go DeleteCollaborator). */
const removeCollaborator = (call: Call): Reply => {
  repoOf(call, 'admin').collaborators.delete(collaboratorOf(call).id);
  return empty(204);
};

const HOOK = '/repos/{owner}/{repo}/hooks/{id}';
const COLLABORATOR = '/repos/{owner}/{repo}/collaborators/{collaborator}';
const ORG = '/orgs/{org}/hooks';

export const adminRoutes: readonly Route[] = [
  {
    method: 'DELETE',
    path: HOOK,
    category: 'repository',
    handle: (call) => removeFrom(repoOf(call, 'admin').hooks, call),
  },
  { method: 'POST', path: `${HOOK}/tests`, category: 'repository', handle: test },
  { method: 'GET', path: COLLABORATOR, category: 'repository', handle: isCollaborator },
  { method: 'PUT', path: COLLABORATOR, category: 'repository', handle: addCollaborator },
  { method: 'DELETE', path: COLLABORATOR, category: 'repository', handle: removeCollaborator },
  { method: 'POST', path: ORG, category: 'organization', handle: addToOrganization },
  { method: 'PATCH', path: `${ORG}/{id}`, category: 'organization', handle: editInOrganization },
  {
    method: 'DELETE',
    path: `${ORG}/{id}`,
    category: 'organization',
    handle: (call) => removeFrom(organizationOf(call).hooks, call),
  },
];
