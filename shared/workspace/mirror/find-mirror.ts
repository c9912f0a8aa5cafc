/** Finds the mirror that a service on this machine made, for commands that only read it. */
import { readdir } from 'node:fs/promises';
import { currentMirror } from './mirror-generation.ts';
import { type MirrorProject, mirrorBase, mirrorsFolder } from './mirror-place.ts';

/** Returns the folder of the newest generation, which need not exist. */
export const findMirror = async (dataFolder: string, project: MirrorProject): Promise<string> => {
  const folder = mirrorsFolder(dataFolder);
  const base = mirrorBase(folder, { forge: project.forge, projectId: project.projectId });
  const exists = await readdir(folder).then(
    () => true,
    () => false,
  );
  return exists ? currentMirror(base) : base;
};
