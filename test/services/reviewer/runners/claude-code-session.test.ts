/** Conversations of the CLI on this machine's disk. */
import { mkdir, mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import {
  keepSession,
  removeOldState,
  restoreSession,
  type SessionPlace,
} from '../../../../services/reviewer/runners/claude-code/session.ts';
import { sessionFolderOf } from '../../../../shared/claude-code/invocation.ts';

const OF = { forge: 'main', projectId: 1, number: 2 } as const;
const ID = '11111111-1111-4111-8111-111111111111';

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'fixpoint-sessions-'));
});
afterEach(async () => rm(root, { recursive: true, force: true }));

const placeOf = (name: string): SessionPlace => ({
  folder: join(root, 'state', 'sessions'),
  home: join(root, name),
  workspace: `/data/${name}`,
});

const write = async ({ home, workspace }: SessionPlace, text: string): Promise<void> => {
  const folder = sessionFolderOf(home, workspace);
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, `${ID}.jsonl`), text);
};

it('puts a kept conversation where the CLI looks for it, whatever its working directory is now', async () => {
  const [one, two] = [placeOf('one'), placeOf('two')];
  expect(await restoreSession(one, OF, ID)).toBe(false);
  await write(one, 'said');
  await keepSession(one, OF, ID);
  expect(await restoreSession(two, OF, ID)).toBe(true);
  expect(await readFile(join(sessionFolderOf(two.home, two.workspace), `${ID}.jsonl`), 'utf8')).toBe('said');
});

it('keeps nothing of a conversation that is too long, and forgets the shorter one before it', async () => {
  const place = placeOf('one');
  await write(place, 'said');
  await keepSession(place, OF, ID);
  await write(place, 'x'.repeat(20 * 1024 * 1024 + 1));
  await keepSession(place, OF, ID);
  expect(await restoreSession(placeOf('two'), OF, ID)).toBe(false);
});

it('takes away what is old, each by its age, and leaves what others may still use', async () => {
  const state = join(root, 'state');
  const nowMs = Date.now();
  const lay = async (name: string, ageMs: number): Promise<void> => {
    await mkdir(join(state, name), { recursive: true });
    const at = new Date(nowMs - ageMs);
    await utimes(join(state, name), at, at);
  };
  await lay('sessions', 0);
  for (const [name, age] of [
    ['sessions/old.jsonl', 1000],
    ['sessions/new.jsonl', 999],
    ['home-old', 100],
    ['home-new', 99],
    ['other', 10_000],
  ] as const)
    await lay(name, age);
  await removeOldState(state, { homes: { nowMs, maxAgeMs: 100 }, sessions: { nowMs, maxAgeMs: 1000 } });
  expect((await readdir(state)).toSorted()).toEqual(['home-new', 'other', 'sessions']);
  expect(await readdir(join(state, 'sessions'))).toEqual(['new.jsonl']);
});
