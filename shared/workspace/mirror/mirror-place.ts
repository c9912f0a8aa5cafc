/** Where the mirror of a project is. */
import { basename, join } from 'node:path';
import type { ForgeId } from '../../vocabulary/ids.ts';

export type MirrorProject = {
  readonly forge: ForgeId;
  /** The project's numeric id, or another name of its mirror. */
  readonly projectId: number | string;
};

export const mirrorsFolder = (dataFolder: string): string => join(dataFolder, 'mirrors');

/** The path of the first generation; every other path of the mirror begins with it. */
export const mirrorBase = (folder: string, { forge, projectId }: MirrorProject): string =>
  join(folder, `${forge}.${projectId}.git`);

/** An entry of the folder of mirrors that belongs to a mirror: a generation, or what is kept beside it. */
export const ENTRY =
  /^([a-z0-9][a-z0-9-]{0,31}\.(?:\d{1,16}|[a-z][a-z0-9-]{0,63})\.git)(?:\.g\d{1,9}|(\.use|\.bytes|\.oversized))?$/;

export const projectOfMirror = (base: string): MirrorProject => {
  const [forge = '', id = ''] = basename(base).split('.');
  return { forge, projectId: /^\d+$/.test(id) ? Number(id) : id };
};
