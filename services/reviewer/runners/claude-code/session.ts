/**
 * The CLI's conversation about one change request, kept from round to round as the file that the CLI wrote. It lies on
 * this machine's disk: another machine, or a lost file, begins anew with the notes of the last round.
 */
import { copyFile, mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { type Age, removeOlder, removeOldHomes } from '../../../../shared/claude-code/home.ts';
import { sessionFolderOf } from '../../../../shared/claude-code/invocation.ts';
import { type ChangeRequest, changeRequestKey } from '../../../../shared/vocabulary/ids.ts';

/** A longer conversation costs more to go on with than it is worth. */
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

/** Puts the conversation where the CLI looks for it; false when there is none. */
export const restoreSession = async (place: SessionPlace, of: ChangeRequest, id: string): Promise<boolean> => {
  const kept = keptFile(place, of);
  if (!isWorthKeeping(await sizeOf(kept))) return false;
  const into = sessionFolderOf(place.home, place.workspace);
  await mkdir(into, { recursive: true });
  await copyFile(kept, path.join(into, `${id}.jsonl`));
  return true;
};

/** Takes it from wherever the CLI put it. Nothing is kept of one that is too long or was not written. */
export const keepSession = async (place: SessionPlace, of: ChangeRequest, id: string): Promise<void> => {
  const projects = path.join(place.home, '.claude', 'projects');
  await mkdir(projects, { recursive: true });
  for (const name of await readdir(projects)) {
    const written = path.join(projects, name, `${id}.jsonl`);
    if (!isWorthKeeping(await sizeOf(written))) continue;
    await mkdir(place.folder, { recursive: true, mode: 0o700 });
    const kept = keptFile(place, of);
    // Whoever reads it meanwhile sees the old one or the new one.
    await copyFile(written, `${kept}.new`);
    await rename(`${kept}.new`, kept);
    return;
  }
  await dropSession(place, of);
};

export const dropSession = async (place: SessionPlace, of: ChangeRequest): Promise<void> =>
  rm(keptFile(place, of), { force: true });

export const sessionFolderIn = (stateFolder: string): string => path.join(stateFolder, 'sessions');

/** Conversations that nobody has gone on with for long, and homes that a killed process could not take away. */
export const removeOldState = async (stateFolder: string, ages: { readonly homes: Age; readonly sessions: Age }) => {
  const sessions = sessionFolderIn(stateFolder);
  await mkdir(sessions, { recursive: true, mode: 0o700 });
  await removeOlder(sessions, () => true, ages.sessions);
  await removeOldHomes(stateFolder, ages.homes);
};
