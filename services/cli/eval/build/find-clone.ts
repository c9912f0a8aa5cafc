import { stat } from 'node:fs/promises';
import path from 'node:path';

const isFolder = async (name: string): Promise<boolean> => (await stat(name).catch(() => null))?.isDirectory() === true;

/** `OWNER/NAME` of an address, if these are harmless as names of folders. */
export const ownerAndName = (url: string): readonly [owner: string, name: string] | null => {
  const parts = new URL(url).pathname.split('/').filter((part) => part !== '');
  const [owner, name] = parts.slice(-2).map((part) => part.replace(/\.git$/, ''));
  const isPlain = (part: string): boolean => /^[\w-][\w.-]*$/.test(part);
  return owner !== undefined && name !== undefined && isPlain(owner) && isPlain(name) ? [owner, name] : null;
};

/** The clone of an address in a folder of clones; null if there is none. */
export const findClone = async (folder: string, url: string): Promise<string | null> => {
  const named = ownerAndName(url);
  if (named === null) return null;
  const [owner, name] = named;
  const candidates = [path.join(owner, name), `${owner}+${name}`, name].flatMap((each) => [each, `${each}.git`]);
  for (const candidate of candidates) {
    const clone = path.join(folder, candidate);
    if (await isFolder(clone)) return clone;
  }
  return null;
};
