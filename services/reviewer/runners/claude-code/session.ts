/** Keeps the CLI's conversation between reviews as a file on this machine's disk. If the file is gone, a new conversation starts. */
import { copyFile, mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { removeOldHomes } from '../../../../shared/claude-code/home.ts';
import { sessionFolderOf } from '../../../../shared/claude-code/invocation.ts';
import { type ChangeRequest, changeRequestKey } from '../../../../shared/vocabulary/ids.ts';
import { type Age, removeOlder } from '../../../../shared/workspace/process/remove-older.ts';

/** Resuming a longer conversation costs more than it saves. */
const MAX_BYTES = 20 * 1024 * 1024;

const sizeOf = async (file: string): Promise<number | null> => {
  try {
    return (await stat(file)).size;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
};

const isWorthKeeping = (bytes: number | null): boolean => bytes !== null && bytes <= MAX_BYTES;

export type SessionPlace = { readonly folder: string; readonly home: string; readonly workspace: string };

const keptFile = ({ folder }: SessionPlace, of: ChangeRequest): string =>
  path.join(folder, `${changeRequestKey(of).replaceAll(/[^A-Za-z0-9._-]/g, '_')}.jsonl`);

/** Copies the conversation to where the CLI looks for it; returns false if there is none. */
export const restoreSession = async (place: SessionPlace, of: ChangeRequest, id: string): Promise<boolean> => {
  const kept = keptFile(place, of);
  if (!isWorthKeeping(await sizeOf(kept))) return false;
  const into = sessionFolderOf(place.home, place.workspace);
  await mkdir(into, { recursive: true });
  await copyFile(kept, path.join(into, `${id}.jsonl`));
  return true;
};

/** Copies the conversation from where the CLI wrote it; a conversation that is missing or too long is dropped. */
export const keepSession = async (place: SessionPlace, of: ChangeRequest, id: string): Promise<void> => {
  const projects = path.join(place.home, '.claude', 'projects');
  await mkdir(projects, { recursive: true });
  for (const name of await readdir(projects)) {
    const written = path.join(projects, name, `${id}.jsonl`);
    if (!isWorthKeeping(await sizeOf(written))) continue;
    await mkdir(place.folder, { recursive: true, mode: 0o700 });
    const kept = keptFile(place, of);
    // The file is renamed atomically, so that a reader sees either the old or the new file.
    await copyFile(written, `${kept}.new`);
    await rename(`${kept}.new`, kept);
    return;
  }
  await dropSession(place, of);
};

export const dropSession = async (place: SessionPlace, of: ChangeRequest): Promise<void> =>
  rm(keptFile(place, of), { force: true });

export const sessionFolderIn = (stateFolder: string): string => path.join(stateFolder, 'sessions');

/** Removes conversations that were not resumed for a long time, and homes left by killed processes. */
export const removeOldState = async (stateFolder: string, ages: { readonly homes: Age; readonly sessions: Age }) => {
  const sessions = sessionFolderIn(stateFolder);
  await mkdir(sessions, { recursive: true, mode: 0o700 });
  await removeOlder(sessions, () => true, ages.sessions);
  await removeOldHomes(stateFolder, ages.homes);
};
