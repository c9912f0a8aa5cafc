import { describe, expect, it } from 'vitest';
import type { ListedProject, ProjectPlace } from '../../../shared/forge/port-listing.ts';
import type { OpenChangeRequest } from '../../../shared/forge/port-facts.ts';
import { type Bench, signal } from './conformance-bench.ts';

/** Nothing that the suite plays on has more pages: a list without an end must not hang the tests. */
const MAX_PAGES = 50;

/** What the sweep reads: lists page by page, and webhooks. */
export const describeListing = (bench: Bench): void => {
  const { facts } = bench;
  const project = () => ({ id: bench.world.changeRequest.projectId, path: bench.world.projectPath });
  const openPage = (page: number, tag: string | null = null) =>
    bench.world.forge.read.readOpenPage(project(), { page, tag }, signal);

  const allOpen = async (): Promise<readonly OpenChangeRequest[]> => {
    const found: OpenChangeRequest[] = [];
    for (let page = 1; page <= MAX_PAGES; page += 1) {
      const answer = await openPage(page);
      found.push(...(answer?.open ?? []));
      if (answer === null || answer.last) return found;
    }
    throw new Error('the list has no end');
  };

  const allProjects = async (place: ProjectPlace): Promise<readonly ListedProject[] | null> => {
    const found: ListedProject[] = [];
    for (let page = 1; page <= MAX_PAGES; page += 1) {
      const answer = await bench.world.forge.read.readProjectPage(place, page, signal);
      if (answer === null) return null;
      found.push(...answer.projects);
      if (answer.last) return found;
    }
    throw new Error('the list has no end');
  };

  describe('the list of open change requests', () => {
    it('holds all of them, the most recently updated first', async () => {
      const more = await bench.world.people.openMore(7);
      const listed = await allOpen();
      expect(listed.map(({ changeRequest }) => changeRequest.number)).toEqual([
        ...more.toReversed(),
        bench.world.changeRequest.number,
      ]);
      expect(listed.at(-1)).toEqual({
        changeRequest: bench.world.changeRequest,
        head: bench.world.head,
        draft: false,
        updatedAtMs: expect.any(Number),
        targetBranch: bench.world.targetBranch,
        mergeBase: listed.at(-1)?.mergeBase,
      });
      // GitLab's lists do not tell it.
      expect([null, bench.world.base]).toContain(listed.at(-1)?.mergeBase);
      expect((await openPage(1))?.total).toBe(8);
    });

    it('costs one request, and says that nothing has changed', async () => {
      const first = await openPage(1);
      const before = bench.world.requests();
      expect(await openPage(1, first?.tag ?? null)).toBeNull();
      expect(bench.world.requests() - before).toBe(1);
    });

    it.each(['a push', 'a comment', 'a new one', 'a closed one', 'a new title'])(
      'is another one after %s',
      async (what) => {
        const { people, author, title } = bench.world;
        const first = await openPage(1);
        bench.world.passTime(60_000);
        if (what === 'a push') await people.push();
        if (what === 'a comment') await people.comment(author, 'a word');
        if (what === 'a new one') await people.openMore(1);
        if (what === 'a closed one') await people.close();
        if (what === 'a new title') await people.retitle(`${title} again`);
        const second = await openPage(1, first?.tag ?? null);
        expect(second).not.toBeNull();
        expect(second?.tag).not.toBe(first?.tag);
        const now = await facts();
        const shown = second?.open.find(({ changeRequest }) => changeRequest.number === now?.changeRequest.number);
        if (now?.state === 'open') expect(shown).toMatchObject({ head: now.head, updatedAtMs: now.updatedAtMs });
        else expect(shown).toBeUndefined();
      },
    );

    it('is found under an old path', async () => {
      const old = project();
      await bench.world.people.renameProject('store');
      const answer = await bench.world.forge.read.readOpenPage(old, { page: 1, tag: null }, signal);
      expect(answer?.open.map(({ head }) => head)).toEqual([bench.world.head]);
    });

    it('of a project that is gone is an error, not an empty list', async () => {
      const gone = { id: 99_999, path: 'nobody/nothing' };
      await expect(bench.world.forge.read.readOpenPage(gone, { page: 1, tag: null }, signal)).rejects.toMatchObject({
        code: 'FORGE_NOT_FOUND',
      });
    });
  });

  describe('the list of projects', () => {
    const listed = () => ({ ...project(), activeAtMs: expect.any(Number) });

    it('of a group holds those that the account may read', async () => {
      await bench.world.people.addProjects(['alpha', 'beta']);
      const found = await allProjects({ kind: 'group', path: bench.world.groupPath });
      expect(found).toContainEqual(listed());
      expect(found?.map(({ path }) => path.split('/').at(-1)).toSorted()).toEqual(['alpha', 'beta', 'shop']);
      expect(new Set(found?.map(({ id }) => id)).size).toBe(3);
    });

    it('leaves out archived projects', async () => {
      await bench.world.people.addProjects(['alpha']);
      await bench.world.people.archiveProject('alpha');
      expect(await allProjects({ kind: 'group', path: bench.world.groupPath })).toEqual([listed()]);
    });

    it('of the account holds every project that it is a member of', async () => {
      await bench.world.people.addProjects(['a', 'b', 'c', 'd', 'e', 'f', 'g']);
      const found = await allProjects({ kind: 'member' });
      expect(found).toContainEqual(listed());
      expect(found).toHaveLength(8);
    });

    it.each(['no-such-group', 'no/such/group'])('says null for the group %j, which is not there', async (path) => {
      expect(await allProjects({ kind: 'group', path })).toBeNull();
    });
  });

  describe('the webhooks', () => {
    const hooks = () => bench.world.forge.read.fetchHooks({ kind: 'project', project: project() }, signal);

    it('of a project are told with their state', async () => {
      await bench.world.people.mayManageHooks(true);
      expect(await hooks()).toEqual([]);
      await bench.world.people.addHook('https://fixpoint.example/webhooks/sim', 'working');
      await bench.world.people.addHook('https://ci.example/', 'off');
      expect(await hooks()).toEqual([
        { url: 'https://fixpoint.example/webhooks/sim', state: 'working', untilMs: null, lacks: [], unfit: null },
        { url: 'https://ci.example/', state: 'off', untilMs: null, lacks: [], unfit: null },
      ]);
    });

    it('stay hidden from an account without the right', async () => {
      await bench.world.people.mayManageHooks(false);
      expect(await hooks()).toBeNull();
    });

    it('of a group that is none are none', async () => {
      expect(await bench.world.forge.read.fetchHooks({ kind: 'group', path: 'no-such-group' }, signal)).toEqual([]);
    });
  });
};
