import { accessSync, constants, statSync } from 'node:fs';

export const isExecutable = (file: string): boolean => {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
};

export const isProgram = (file: string): boolean =>
  isExecutable(file) && statSync(file, { throwIfNoEntry: false })?.isFile() === true;
