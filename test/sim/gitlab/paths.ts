import type { SimGroup, SimProject, SimUser } from './world.ts';

const isGroup = (place: SimGroup | SimUser): place is SimGroup => 'kind' in place;

export const groupPath = (group: SimGroup): string =>
  group.parent === null ? group.path : `${groupPath(group.parent)}/${group.path}`;

export const namespacePath = (place: SimGroup | SimUser): string =>
  isGroup(place) ? groupPath(place) : place.username;

export const projectPath = (project: SimProject): string => `${namespacePath(project.namespace)}/${project.path}`;

/** From the nearest group to the top group; empty for a user's own project. */
export const groupsAbove = (project: SimProject): readonly SimGroup[] => {
  const found: SimGroup[] = [];
  let group = isGroup(project.namespace) ? project.namespace : null;
  while (group !== null) {
    found.push(group);
    group = group.parent;
  }
  return found;
};
