import { runGit } from '../forgejo/git.ts';
import { json, type Reply } from '../forgejo/reply.ts';
import { z } from 'zod';
import { levelOf, mayRead } from './access.ts';
import { type Call, numberParam, param, projectOf, type Route, sentAs } from './call.ts';
import { notFound } from './errors.ts';
import { findGroup, findUser } from './find.ts';
import { flag, integer } from './parameters.ts';
import { developersCan, isProtected, mayPush } from './protection.ts';
import { tipOf } from './push.ts';
import { paged } from './paging.ts';
import { spendProject } from './rate-limits.ts';
import { commitJson, type Json, lastActivity, projectJson, userJson } from './represent.ts';
import { groupsAbove } from './paths.ts';
import type { SimGroup, SimProject } from './world.ts';

/** Includes membership through groups. An admin who is not a member is not found. */
const member = (call: Call): Json => {
  const project = projectOf(call);
  const user = call.world.users.find((candidate) => candidate.id === numberParam(call, 'user_id'));
  const level = user === undefined ? 0 : levelOf(user, project);
  if (user === undefined || level === 0) throw notFound('Not found');
  return {
    ...userJson(call.world, user),
    access_level: level,
    created_at: '2026-01-01T00:00:00.000Z',
    expires_at: null,
    membership_state: 'active',
  };
};

const branchJson = async (call: Call, project: SimProject, name: string, sha: string): Promise<Json> => ({
  name,
  commit: await commitJson(call.world, project, sha),
  merged: false,
  // GL lib/api/entities/branch.rb.
  protected: isProtected(project, name),
  developers_can_push: developersCan(project, name, 'push'),
  developers_can_merge: developersCan(project, name, 'merge'),
  can_push: call.user !== null && mayPush(call.user, project, name),
  default: name === project.defaultBranch,
  web_url: `${call.world.publicUrl}/${project.path}/-/tree/${name}`,
});

const branches = async (call: Call): Promise<readonly Json[]> => {
  const project = projectOf(call);
  const out = await runGit(project.gitDir, [
    'for-each-ref',
    '--format=%(objectname) %(refname:lstrip=2)',
    'refs/heads',
  ]);
  const rows = out.split('\n').filter((line) => line !== '');
  return Promise.all(rows.map((row) => branchJson(call, project, row.slice(41), row.slice(0, 40))));
};

const branch = async (call: Call): Promise<Json> => {
  const project = projectOf(call);
  const name = param(call, 'branch');
  const sha = await tipOf(project, name);
  if (sha === null) throw notFound('Branch');
  return branchJson(call, project, name, sha);
};

const userIds = (project: SimProject): ReadonlySet<number> =>
  new Set([...project.members.keys(), ...groupsAbove(project).flatMap((group) => [...group.members.keys()])]);

const groupAt = (call: Call): SimGroup => {
  const group = findGroup(call.world, param(call, 'id'));
  const inside = call.world.projects.some((one) => groupsAbove(one).includes(group) && mayRead(call.user, one));
  if (!inside) throw notFound('Group');
  return group;
};

const projectsIn = (call: Call, group: SimGroup, below: boolean): readonly SimProject[] =>
  call.world.projects
    .filter((project) => (below ? groupsAbove(project).includes(group) : project.namespace === group))
    .filter((project) => mayRead(call.user, project));

/** Parameters of all three lists (GL doc/api/projects.md, doc/api/groups.md); unused orders are not simulated. */
const ListWish = z.object({
  archived: flag.optional(),
  with_merge_requests_enabled: flag.optional(),
  simple: flag.optional(),
  order_by: z.enum(['id', 'created_at', 'last_activity_at']).default('created_at'),
  sort: z.enum(['asc', 'desc']).default('desc'),
});
const GroupWish = ListWish.extend({ include_subgroups: flag.optional(), with_shared: flag.optional() });
const OwnWish = ListWish.extend({ membership: flag.optional(), min_access_level: integer.optional() });

const orderOf = (project: SimProject, { order_by: order }: z.output<typeof ListWish>): number => {
  if (order === 'last_activity_at') return lastActivity(project);
  return order === 'id' ? project.id : project.createdAt;
};

const listed = (call: Call, projects: readonly SimProject[], wish: z.output<typeof ListWish>): Reply => {
  const { archived, with_merge_requests_enabled: withRequests } = wish;
  const wanted = projects.filter(
    (project) =>
      (archived === undefined || project.archived === archived) &&
      (withRequests !== true || project.mergeRequestsEnabled),
  );
  const sign = wish.sort === 'asc' ? 1 : -1;
  const ordered = wanted.toSorted((one, two) => sign * (orderOf(one, wish) - orderOf(two, wish) || one.id - two.id));
  return paged(
    call,
    ordered.map((project) => projectJson(call.world, project)),
  );
};

const groupProjects = (call: Call): Reply => {
  const wish = sentAs(call, GroupWish);
  return listed(call, projectsIn(call, groupAt(call), wish.include_subgroups === true), wish);
};

/** `membership`: projects with the account as a member, also through groups; not other public ones. */
const ownProjects = (call: Call): Reply => {
  const wish = sentAs(call, OwnWish);
  const least = wish.min_access_level ?? (wish.membership === true ? 1 : 0);
  const readable = call.world.projects.filter((project) => mayRead(call.user, project));
  return listed(
    call,
    readable.filter((project) => levelOf(call.user, project) >= least),
    wish,
  );
};

/** Projects in a user's own namespace; groups are not found. */
const userProjects = (call: Call): Reply => {
  const wish = sentAs(call, ListWish);
  const owner = findUser(call.world, param(call, 'user_id'));
  return listed(
    call,
    call.world.projects.filter((project) => project.namespace === owner && mayRead(call.user, project)),
    wish,
  );
};

export const projectRoutes: readonly Route[] = [
  { method: 'GET', path: '/projects', described: null, handle: ownProjects },
  { method: 'GET', path: '/groups/{id}/projects', described: null, handle: groupProjects },
  { method: 'GET', path: '/users/{user_id}/projects', described: null, handle: userProjects },
  {
    method: 'GET',
    path: '/projects/{id}',
    described: '/projects/{id}',
    handle: (call) => {
      if (call.user !== null) spendProject(call.world, call.user);
      return json(200, projectJson(call.world, projectOf(call)));
    },
  },
  {
    method: 'GET',
    path: '/projects/{id}/members/all',
    described: '/projects/{id}/members/all',
    handle: (call) => {
      const project = projectOf(call);
      const members = call.world.users.filter((user) => userIds(project).has(user.id));
      return paged(
        call,
        members.map((user) => ({ ...userJson(call.world, user), access_level: levelOf(user, project) })),
      );
    },
  },
  {
    method: 'GET',
    path: '/projects/{id}/members/all/{user_id}',
    described: '/projects/{id}/members/all/{user_id}',
    handle: (call) => json(200, member(call)),
  },
  {
    method: 'GET',
    path: '/projects/{id}/labels',
    described: null,
    handle: (call) =>
      paged(
        call,
        projectOf(call).labels.map((label) => ({ ...label, description: null })),
      ),
  },
  {
    method: 'GET',
    path: '/projects/{id}/repository/branches',
    described: null,
    handle: async (call) => paged(call, await branches(call)),
  },
  {
    method: 'GET',
    path: '/projects/{id}/repository/branches/{branch}',
    described: null,
    handle: async (call) => json(200, await branch(call)),
  },
];
