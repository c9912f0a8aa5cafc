/** How much disk space a mirror takes. */
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { ifThere } from './mirror-use.ts';

/** If a mirror has more loose objects, the size of the others is estimated, so that measuring stays fast. */
const MAX_LOOSE = 5_000;

/** Git spreads loose objects evenly over 256 folders, named by the first two digits of their ids. */
const FAN_OUT = Array.from({ length: 256 }, (_, index) => index.toString(16).padStart(2, '0'));

type Size = { readonly files: number; readonly bytes: number };

/** Blocks have 512 bytes: https://nodejs.org/docs/latest-v20.x/api/fs.html#statsblocks */
const sizeOf = async (folder: string): Promise<Size> => {
  const names = await ifThere(readdir(folder), []);
  const sizes = await Promise.all(
    names.map(async (name) =>
      ifThere(
        stat(join(folder, name)).then(({ blocks }) => blocks * 512),
        0,
      ),
    ),
  );
  return { files: names.length, bytes: sizes.reduce((sum, each) => sum + each, 0) };
};

const looseBytes = async (objects: string, maxFiles: number): Promise<number> => {
  let [files, bytes, folders] = [0, 0, 0];
  for (const name of FAN_OUT) {
    if (files > maxFiles) break;
    const size = await sizeOf(join(objects, name));
    files += size.files;
    bytes += size.bytes;
    folders += 1;
  }
  return Math.round((bytes * FAN_OUT.length) / folders);
};

/** Counts objects, which are nearly everything. Zero if there is no such mirror. */
export const measureMirror = async (gitDir: string, maxLoose: number = MAX_LOOSE): Promise<number> => {
  const objects = join(gitDir, 'objects');
  const [packed, loose] = await Promise.all([sizeOf(join(objects, 'pack')), looseBytes(objects, maxLoose)]);
  return packed.bytes + loose;
};
