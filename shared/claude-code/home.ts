import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { removeFolder } from '../workspace/process/remove-folder.ts';
import { type Age, removeOlder } from '../workspace/process/remove-older.ts';
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
    await removeFolder(home);
  }
};

export const removeOldHomes = async (folder: string, age: Age): Promise<number> =>
  removeOlder(folder, (name) => name.startsWith(PREFIX), age);
