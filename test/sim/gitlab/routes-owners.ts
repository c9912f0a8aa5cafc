/** What is asked to find the person to call: a file of a branch, an account by its name, a group by its path. */
import { resolveCommit, runGitBytes, SimGitError } from '../forgejo/git.ts';
import { json } from '../forgejo/reply.ts';
import { z } from 'zod';
import { mayRead } from './access.ts';
import { type Call, param, projectOf, type Route, sentAs, signedIn } from './call.ts';
import { notFound } from './errors.ts';
import { findGroup } from './find.ts';
import { groupPath, groupsAbove } from './paths.ts';
import { paged } from './paging.ts';
import { type Json, userJson } from './represent.ts';
import type { SimProject } from './world.ts';

const blobAt = async (project: SimProject, commit: string, path: string): Promise<Buffer> => {
  try {
    return await runGitBytes(project.gitDir, ['cat-file', 'blob', `${commit}:${path}`]);
  } catch (error) {
    if (error instanceof SimGitError) throw notFound('File');
    throw error;
  }
};

const FileWish = z.object({ ref: z.string().min(1) });

const file = async (call: Call): Promise<Json> => {
  const project = projectOf(call);
  const { ref } = sentAs(call, FileWish);
  const commit = await resolveCommit(project.gitDir, ref);
  if (commit === null) throw notFound('Commit');
  const path = param(call, 'file_path');
  const bytes = await blobAt(project, commit, path);
  return {
    file_name: path.split('/').at(-1),
    file_path: path,
    size: bytes.length,
    encoding: 'base64',
    ref,
    commit_id: commit,
    content: bytes.toString('base64'),
  };
};

const same = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase();

/** By the whole name, in any case. */
const usersNamed = (call: Call): readonly Json[] => {
  signedIn(call);
  const { username } = sentAs(call, z.object({ username: z.string() }));
  return call.world.users
    .filter((user) => !user.deleted && same(user.username, username))
    .map((user) => userJson(call.world, user));
};

const group = (call: Call): Json => {
  const found = findGroup(call.world, param(call, 'id'));
  const isMember = call.user !== null && found.members.has(call.user.id);
  const inside = call.world.projects.some((one) => groupsAbove(one).includes(found) && mayRead(call.user, one));
  if (!isMember && !inside) throw notFound('Group');
  return {
    id: found.id,
    path: found.path,
    full_path: groupPath(found),
    web_url: `${call.world.publicUrl}/groups/${groupPath(found)}`,
  };
};

export const ownerRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/projects/{id}/repository/files/{file_path}',
    described: null,
    handle: async (call) => json(200, await file(call)),
  },
  {
    method: 'GET',
    path: '/users',
    described: null,
    scope: 'user',
    handle: (call) => paged(call, usersNamed(call)),
  },
  { method: 'GET', path: '/groups/{id}', described: null, handle: (call) => json(200, group(call)) },
];
