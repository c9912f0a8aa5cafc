import { notFound } from './errors.ts';
import { groupPath, projectPath } from './paths.ts';
import type { SimGroup, SimMergeRequest, SimNote, SimProject, SimUser, World } from './world.ts';

const same = (left: string, right: string): boolean => left.toLowerCase() === right.toLowerCase();

export const findUser = (world: World, username: string): SimUser => {
  const user = world.users.find((candidate) => !candidate.deleted && same(candidate.username, username));
  if (user === undefined) throw notFound('User');
  return user;
};

export const findGroup = (world: World, path: string): SimGroup => {
  const group = world.groups.find((candidate) => same(groupPath(candidate), path) || String(candidate.id) === path);
  if (group === undefined) throw notFound('Group');
  return group;
};

export const findProject = (world: World, idOrPath: string): SimProject => {
  const byId = /^\d+$/.test(idOrPath);
  const project = world.projects.find((candidate) =>
    byId ? candidate.id === Number(idOrPath) : same(projectPath(candidate), idOrPath),
  );
  if (project === undefined) throw notFound('Project');
  return project;
};

export const findMergeRequest = (project: SimProject, iid: number): SimMergeRequest => {
  const found = project.mergeRequests.find((candidate) => candidate.iid === iid);
  if (found === undefined) throw notFound('Merge Request');
  return found;
};

export const findNote = (mr: SimMergeRequest, id: number): SimNote => {
  const note = mr.notes.find((candidate) => candidate.id === id);
  if (note === undefined) throw notFound('Note');
  return note;
};

export const discussionNotes = (mr: SimMergeRequest, discussionId: string): readonly SimNote[] =>
  mr.notes.filter((note) => note.discussionId === discussionId);
