import { mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { type CliPowers, cliSettings } from './invocation.ts';

export type CliHome = { readonly home: string; readonly settingsFile: string };

const PREFIX = 'home-';

/** Creates a home folder with its settings file below `folder` for one CLI run. Removes it when `work` has settled. */
export const inCliHome = async <Result>(
  folder: string,
  powers: CliPowers,
  work: (at: CliHome) => Promise<Result>,
): Promise<Result> => {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const home = await mkdtemp(path.join(folder, PREFIX));
  try {
    await mkdir(path.join(home, 'tmp'));
    const settingsFile = path.join(home, 'settings.json');
    await writeFile(settingsFile, JSON.stringify(cliSettings(powers)));
    return await work({ home, settingsFile });
  } finally {
    await rm(home, { recursive: true, force: true });
  }
};

export type Age = { readonly nowMs: number; readonly maxAgeMs: number };

/** Removes the entries of `folder` that are at least `maxAgeMs` old and pass `isOurs`. */
export const removeOlder = async (folder: string, isOurs: (name: string) => boolean, age: Age): Promise<void> => {
  for (const name of (await readdir(folder)).filter(isOurs)) {
    const file = path.join(folder, name);
    if (age.nowMs - (await stat(file)).mtimeMs >= age.maxAgeMs) await rm(file, { recursive: true, force: true });
  }
};

export const removeOldHomes = async (folder: string, age: Age): Promise<void> =>
  removeOlder(folder, (name) => name.startsWith(PREFIX), age);
