/** The mirrors in a data folder, with what is known about their size and use. */
import { readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isDiskFull } from '../git/disk-full.ts';
import { measureMirror } from './mirror-bytes.ts';
import { generationFolders } from './mirror-generation.ts';
import { ifThere, isInUse, useFolderOf } from './mirror-use.ts';
import { ENTRY } from './mirror-place.ts';
import type { KeptMirror } from './plan-eviction.ts';

const bytesFile = (base: string): string => `${base}.bytes`;
const oversizedFile = (base: string): string => `${base}.oversized`;

/** Measures a mirror and stores the result, so that a look at all mirrors needs no measuring. */
export const measureAndStore = async (base: string): Promise<number> => {
  const sizes = await Promise.all((await generationFolders(base)).map(async (folder) => measureMirror(folder)));
  const bytes = sizes.reduce((sum, each) => sum + each, 0);
  try {
    await writeFile(bytesFile(base), `${bytes}\n`, { mode: 0o600 });
  } catch (error) {
    // The next call measures again.
    if (!isDiskFull(error)) throw error;
    await forgetBytes(base);
  }
  return bytes;
};

const storedBytes = async (base: string): Promise<number | null> => {
  const text = await ifThere(readFile(bytesFile(base), 'utf8'), '');
  return /^\d{1,16}\n$/.test(text) ? Number(text) : null;
};

const mtimeOf = async (path: string): Promise<number | null> =>
  ifThere(
    stat(path).then(({ mtimeMs }) => mtimeMs),
    null,
  );

/** Each use changes its folder. A mirror of an earlier version has no such folder yet. */
export const lastUse = async (base: string): Promise<number> => {
  const used = await mtimeOf(useFolderOf(base));
  if (used !== null) return used;
  const newest = (await generationFolders(base)).at(-1);
  return (await mtimeOf(newest ?? oversizedFile(base))) ?? 0;
};

export type ListedMirror = KeptMirror & {
  /** More than 1 if generations were abandoned; 0 if only what is kept beside the mirror is left. */
  readonly generations: number;
};

const readMirror = async (base: string, generations: number, nowMs: number): Promise<ListedMirror> => {
  const bytes = generations === 0 ? 0 : ((await storedBytes(base)) ?? (await measureAndStore(base)));
  return { base, generations, usedAtMs: await lastUse(base), bytes, inUse: await isInUse(base, nowMs) };
};

export const listMirrors = async (folder: string, nowMs: number): Promise<readonly ListedMirror[]> => {
  const generations = new Map<string, number>();
  for (const name of await ifThere(readdir(folder), [])) {
    const [, base, beside] = ENTRY.exec(name) ?? [];
    if (base !== undefined) generations.set(base, (generations.get(base) ?? 0) + (beside === undefined ? 1 : 0));
  }
  const mirrors: ListedMirror[] = [];
  for (const [name, count] of generations) mirrors.push(await readMirror(join(folder, name), count, nowMs));
  return mirrors;
};

/** True the first time, and again after a change of the cap. */
export const isNewlyOversized = async (base: string, maxBytes: number): Promise<boolean> => {
  const known = await ifThere(readFile(oversizedFile(base), 'utf8'), null);
  if (known === `${maxBytes}`) return false;
  await writeFile(oversizedFile(base), `${maxBytes}`, { mode: 0o600 });
  return true;
};

export const forgetBytes = async (base: string): Promise<void> => rm(bytesFile(base), { force: true });

/** Removes the memory of a mirror that nobody has used for long. */
export const forgetOversized = async (base: string): Promise<void> => rm(oversizedFile(base), { force: true });
