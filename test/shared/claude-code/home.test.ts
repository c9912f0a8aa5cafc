import { mkdirSync, readdirSync, readFileSync, symlinkSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { inCliHome, removeOldHomes } from '../../../shared/claude-code/home.ts';
import { type CliPowers, cliSettings } from '../../../shared/claude-code/invocation.ts';
import { temporaryFolder } from '../workspace/repository.ts';

const POWERS: CliPowers = { tools: ['Read'], allow: ['Read(./**)'], deny: [] };

let folder = temporaryFolder();
beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(() => folder.dispose());

it('is empty but for the settings and a folder for what is temporary, and gone afterwards', async () => {
  const scratch = join(folder.path, 'not', 'there');
  const seen = await inCliHome(scratch, POWERS, async ({ home, settingsFile }) => ({
    names: readdirSync(home).toSorted(),
    settings: JSON.parse(readFileSync(settingsFile, 'utf8')),
    isInside: settingsFile.startsWith(`${home}/`) && home.startsWith(`${scratch}/`),
  }));
  expect(seen).toEqual({ names: ['settings.json', 'tmp'], settings: cliSettings(POWERS), isInside: true });
  expect(readdirSync(scratch)).toEqual([]);
});

it('is gone after a failure too', async () => {
  const broken = inCliHome(folder.path, POWERS, async () => {
    throw new Error('broken');
  });
  await expect(broken).rejects.toThrow('broken');
  expect(readdirSync(folder.path)).toEqual([]);
});

it('is taken away later where a process was killed, and nothing else is', async () => {
  const nowMs = Date.now();
  for (const [name, ageMs] of [
    ['home-old', 100],
    ['home-new', 99],
    ['tree-old', 1000],
  ] as const) {
    mkdirSync(join(folder.path, name));
    const at = new Date(nowMs - ageMs);
    utimesSync(join(folder.path, name), at, at);
  }
  await removeOldHomes(folder.path, { nowMs, maxAgeMs: 100 });
  expect(readdirSync(folder.path)).toEqual(['home-new', 'tree-old']);
});

it('is passed over if another process removes it at the same time', async () => {
  // To `stat`, a link to nothing is an entry that was removed after the folder was listed.
  symlinkSync('nothing', join(folder.path, 'home-gone'));
  mkdirSync(join(folder.path, 'home-old'));
  await removeOldHomes(folder.path, { nowMs: Date.now() + 1000, maxAgeMs: 100 });
  expect(readdirSync(folder.path)).toEqual(['home-gone']);
});
