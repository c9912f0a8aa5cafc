import { lstat } from 'node:fs/promises';

const kindOf = async (path: string): Promise<'file' | 'folder' | 'other' | 'nothing'> => {
  try {
    const found = await lstat(path);
    if (found.isDirectory()) return 'folder';
    return found.isFile() ? 'file' : 'other';
  } catch {
    return 'nothing';
  }
};

export const exists = async (path: string): Promise<boolean> => (await kindOf(path)) !== 'nothing';
export const isFile = async (path: string): Promise<boolean> => (await kindOf(path)) === 'file';
export const isFolder = async (path: string): Promise<boolean> => (await kindOf(path)) === 'folder';
