/** The target URL of a status, which announces a run, on each kind of forge. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Forge } from '../../../shared/forge/port.ts';
import type { OutgoingStatus } from '../../../shared/forge/port-statuses.ts';
import type { ChangeRequest, CommitSha } from '../../../shared/vocabulary/ids.ts';
import { type ForgejoHall, startForgejoHall } from './forgejo-world.ts';
import { type GitlabHall, startGitlabHall } from './gitlab-world.ts';

type World = { readonly forge: Forge; readonly changeRequest: ChangeRequest; readonly head: CommitSha };
type Ends = World & { close(): Promise<void> };

const FIRST = 'https://forge.example/a/b/1#fixpoint:1:first';
const SECOND = 'https://forge.example/a/b/1#fixpoint:1:second';
const HALLS: readonly (readonly [string, () => Promise<ForgejoHall | GitlabHall>])[] = [
  ['forgejo', async () => startForgejoHall('forgejo-15')],
  ['gitea', async () => startForgejoHall('gitea-1.27')],
  ['gitlab', async () => startGitlabHall()],
];

describe.each(HALLS)('on %s', (kind, start) => {
  let hall: ForgejoHall | GitlabHall;
  beforeAll(async () => {
    hall = await start();
  });
  afterAll(async () => hall?.close());

  const inWorld = async (act: (world: World) => Promise<void>): Promise<void> => {
    const world: Ends = await hall.open();
    try {
      await act(world);
    } finally {
      await world.close();
    }
  };
  const { signal } = new AbortController();
  const write = async ({ forge, changeRequest, head }: World, patch: Partial<OutgoingStatus>) => {
    const status = {
      head,
      sourceBranch: 'feature',
      state: 'pending',
      context: 'fixpoint',
      description: 'At work',
    } as const;
    return forge.write.writeStatus(changeRequest, { ...status, targetUrl: null, ...patch }, signal);
  };
  const linksOf = async ({ forge, changeRequest, head }: World) => {
    const all = await forge.read.fetchStatuses(changeRequest, head, signal);
    const self = await forge.read.fetchSelf(signal);
    const links = all.flatMap((status) => status.links ?? []);
    expect(links.every(({ creatorId }) => creatorId === self.id)).toBe(true);
    return { state: all[0]?.state, urls: links.map(({ url }) => url) };
  };

  test('is read back with who wrote it, also after a pending status without one', async () => {
    await inWorld(async (world) => {
      expect(await write(world, {})).toBeNull();
      expect(await linksOf(world)).toEqual({ state: 'pending', urls: [] });
      expect(await write(world, { targetUrl: FIRST })).toBeNull();
      expect(await linksOf(world)).toEqual({ state: 'pending', urls: [FIRST] });
    });
  });

  test('is written once when the same write is repeated, and survives a status without one', async () => {
    await inWorld(async (world) => {
      for (let time = 0; time < 2; time += 1) expect(await write(world, { targetUrl: FIRST })).toBeNull();
      expect(await write(world, { description: 'Still at work' })).toBeNull();
      expect((await linksOf(world)).urls).toContain(FIRST);
      expect(await write(world, { state: 'failure', description: 'Needs work' })).toBeNull();
      expect((await linksOf(world)).state).toBe('failure');
    });
  });

  test('of another run is written, or the forge is said to have kept the first', async () => {
    await inWorld(async (world) => {
      await write(world, { targetUrl: FIRST });
      const refusal = await write(world, { targetUrl: SECOND });
      expect([refusal, (await linksOf(world)).urls]).toEqual(
        kind === 'gitlab' ? ['kept', [FIRST]] : [null, [FIRST, SECOND]],
      );
    });
  });

  test('is numbered in the order of the forge, and is over after an error only', async () => {
    await inWorld(async (world) => {
      const told = async () =>
        (await world.forge.read.fetchStatuses(world.changeRequest, world.head, signal)).flatMap(
          ({ links = [] }) => links,
        );
      await write(world, { targetUrl: FIRST });
      const [first] = await told();
      expect(first).toMatchObject({ url: FIRST, isOver: false });
      await write(world, { state: 'failure', description: 'Needs work' });
      expect((await told()).some(({ isOver }) => isOver)).toBe(false);
      await write(world, { targetUrl: SECOND });
      const second = (await told()).find(({ url }) => url === SECOND);
      expect(second?.id).toBeGreaterThan(first?.id ?? 0);
      await write(world, { state: 'error', description: 'Not reviewed' });
      expect((await told()).every(({ isOver }) => isOver)).toBe(true);
      expect(await told()).not.toEqual([]);
    });
  });

  test('that the forge refuses is said to be not kept', async () => {
    await inWorld(async (world) => {
      const refusal = await write(world, { targetUrl: `${FIRST}${'x'.repeat(300)}` });
      expect(refusal).toBe(kind === 'gitlab' ? 'kept' : null);
    });
  });
});
