/** Adding and removing members of a project or group (GL lib/api/members.rb). */
import { z } from 'zod';
import { empty, json, type Reply } from '../forgejo/reply.ts';
import { type Call, numberParam, param, projectAt, type Route, sentAs, signedIn } from './call.ts';
import { badParameter, conflict, forbidden, GitlabRefusal, notFound } from './errors.ts';
import { findGroup } from './find.ts';
import { integer } from './parameters.ts';
import { type Json, userJson } from './represent.ts';
import type { AccessLevel, SimGroup, SimProject, SimUser, World } from './world.ts';

type Place = SimProject | SimGroup;
type Owner = (call: Call) => Place;

const LEVELS: readonly AccessLevel[] = [10, 15, 20, 30, 40, 50];

/** Maintainers of a project manage its members; for groups, owners. */
const projectOwner: Owner = (call) => projectAt(call, 40);

const groupOwner: Owner = (call) => {
  const user = signedIn(call);
  const group = findGroup(call.world, param(call, 'id'));
  if (!user.isAdmin && (group.members.get(user.id) ?? 0) < 50) throw forbidden();
  return group;
};

const userOf = (world: World, id: number): SimUser => {
  const user = world.users.find((candidate) => candidate.id === id && !candidate.deleted);
  if (user === undefined) throw notFound('User');
  return user;
};

const memberJson = (world: World, user: SimUser, level: AccessLevel): Json => ({
  ...userJson(world, user),
  access_level: level,
  created_at: '2026-01-01T00:00:00.000Z',
  expires_at: null,
  membership_state: 'active',
});

const Wish = z.object({ user_id: integer, access_level: integer });

const add = (call: Call, owner: Owner): Reply => {
  const place = owner(call);
  const wish = sentAs(call, Wish);
  const level = LEVELS.find((known) => known === wish.access_level);
  if (level === undefined) throw badParameter('access_level does not have a valid value');
  const user = userOf(call.world, wish.user_id);
  if (place.members.has(user.id)) throw conflict('Member already exists');
  // The account of an access token cannot be a member anywhere else (forges.md 3.1).
  if (user.botOf !== null && user.botOf !== place)
    throw new GitlabRefusal(400, { message: { base: ['Invalid user'] } });
  place.members.set(user.id, level);
  return json(201, memberJson(call.world, user, level));
};

const remove = (call: Call, owner: Owner): Reply => {
  const { members } = owner(call);
  if (!members.delete(numberParam(call, 'user_id'))) throw notFound('Not found');
  return empty(204);
};

/** For members of the group, also those of groups above it. */
const groupMember = (call: Call): Reply => {
  signedIn(call);
  const group = findGroup(call.world, param(call, 'id'));
  const id = numberParam(call, 'user_id');
  let level: AccessLevel = 0;
  for (let at: SimGroup | null = group; at !== null; at = at.parent) {
    const here = at.members.get(id) ?? 0;
    if (here > level) level = here;
  }
  if (level === 0) throw notFound('Not found');
  return json(200, memberJson(call.world, userOf(call.world, id), level));
};

const routesAt = (base: string, owner: Owner): readonly Route[] => [
  { method: 'POST', path: `${base}/members`, described: null, handle: (call) => add(call, owner) },
  { method: 'DELETE', path: `${base}/members/{user_id}`, described: null, handle: (call) => remove(call, owner) },
];

export const memberRoutes: readonly Route[] = [
  ...routesAt('/projects/{id}', projectOwner),
  ...routesAt('/groups/{id}', groupOwner),
  { method: 'GET', path: '/groups/{id}/members/all/{user_id}', described: null, handle: groupMember },
];
