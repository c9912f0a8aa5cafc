import { accessSync, constants } from 'node:fs';
import path from 'node:path';

const isExecutable = (file: string): boolean => {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
};

/** Absolute path of the first name that is on PATH; null when there is none. */
export const findProgram = (names: readonly string[], searchPath: string): string | null => {
  const folders = searchPath.split(path.delimiter).filter((folder) => folder !== '');
  return names.flatMap((name) => folders.map((folder) => path.join(folder, name))).find(isExecutable) ?? null;
};
