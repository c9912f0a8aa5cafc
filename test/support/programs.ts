import { accessSync, constants } from 'node:fs';
import path from 'node:path';

export const findLocal = (name: string): string => {
  const folders = (process.env['PATH'] ?? '').split(path.delimiter);
  const found = folders.map((folder) => path.join(folder, name)).find(isExecutable);
  if (found === undefined) throw new Error(`${name} is not installed`);
  return found;
};

const isExecutable = (file: string): boolean => {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
};
