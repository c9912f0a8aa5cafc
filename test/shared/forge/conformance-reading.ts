import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import type { Account } from '../../../shared/forge/port-facts.ts';
import { type Bench, signal } from './conformance-bench.ts';

const run = promisify(execFile);

/** Facts about change requests, projects and people. */
export const describeReading = (bench: Bench): void => {
  const { bodies, say, facts } = bench;

  describe('reading', () => {
    it('tells the account of its token', async () => {
      expect(await bench.world.forge.read.fetchSelf(signal)).toEqual(bench.world.bot);
    });

    it('tells a change request as it is', async () => {
      const { changeRequest, title, description, head, base, sourceBranch, targetBranch, author } = bench.world;
      // Where its branch is fetched from, and where the gate looks for the status, is a matter of each forge.
      const told = await facts();
      expect({ ...told, forkUrl: null, statusPlace: '', hasFailedCi: false }).toEqual({
        forkUrl: null,
        statusPlace: '',
        hasFailedCi: false,
        changeRequest,
        state: 'open',
        draft: false,
        title,
        description,
        author,
        labels: [],
        head,
        targetHead: base,
        mergeBase: base,
        sourceBranch,
        targetBranch,
        fromFork: false,
        reviewers: [],
        updatedAtMs: expect.any(Number),
        webUrl: expect.stringMatching(/^http/),
        projectPath: (await bench.world.forge.read.fetchProject(changeRequest.projectId, signal))?.path,
      });
    });

    it('says null for a change request that does not exist', async () => {
      const nowhere = { ...bench.world.changeRequest, number: 99_999 };
      expect(await bench.world.forge.read.fetchChangeRequest(nowhere, signal)).toBeNull();
    });

    it('says null for a project that does not exist', async () => {
      const nowhere = { ...bench.world.changeRequest, projectId: 99_999 };
      expect(await bench.world.forge.read.fetchChangeRequest(nowhere, signal)).toBeNull();
      expect(await bench.world.forge.read.fetchProject(99_999, signal)).toBeNull();
    });

    it('sees a draft come and go', async () => {
      await bench.world.people.retitle(`WIP: ${bench.world.title}`);
      expect((await facts())?.draft).toBe(true);
      await bench.world.people.retitle(bench.world.title);
      expect((await facts())?.draft).toBe(false);
    });

    it('sees a closed change request', async () => {
      await bench.world.people.close();
      expect((await facts())?.state).toBe('closed');
    });

    it('sees a new head', async () => {
      const pushed = await bench.world.people.push();
      expect((await facts())?.head).toBe(pushed);
    });

    it('still tells a change request whose author is gone', async () => {
      await bench.world.people.deleteAccount(bench.world.author);
      expect((await facts())?.author.id).not.toBe(bench.world.author.id);
    });

    it('finds a project by its path and by its id', async () => {
      const project = await bench.world.forge.read.findProject(bench.world.projectPath, signal);
      expect(project).toEqual({
        id: bench.world.changeRequest.projectId,
        path: bench.world.projectPath,
        webUrl: expect.stringMatching(/^http/),
        defaultBranch: bench.world.targetBranch,
        unusable: null,
      });
      expect(await bench.world.forge.read.fetchProject(bench.world.changeRequest.projectId, signal)).toEqual(project);
    });

    it.each(['nobody/nothing', 'one-part', '', '../..', 'a/../../user'])('finds no project under %j', async (path) => {
      expect(await bench.world.forge.read.findProject(path, signal)).toBeNull();
    });

    it('follows a project through a rename', async () => {
      await facts();
      await bench.world.people.renameProject('store');
      expect((await facts())?.title).toBe(bench.world.title);
      await say('after the rename');
      expect(await bodies()).toEqual(['after the rename']);
    });

    it('tells git where the head is', async () => {
      const source = await bench.world.forge.read.locateGit(bench.world.changeRequest, signal);
      expect(source.url).toMatch(new RegExp(`/${bench.world.projectPath}\\.git$`));
      expect(new URL(source.url).username).toBe('');
      expect(source.headRef).toContain(String(bench.world.changeRequest.number));
      await run('git', ['check-ref-format', source.headRef]);
    });
  });

  describe('permission', () => {
    it('tells who may do what', async () => {
      const ask = (account: Account) =>
        bench.world.forge.read.fetchPermission(bench.world.changeRequest.projectId, account, signal);
      expect(
        await Promise.all([bench.world.owner, bench.world.author, bench.world.reader, bench.world.outsider].map(ask)),
      ).toEqual(['admin', 'write', 'read', 'none']);
    });

    it('gives nothing to an account that does not exist', async () => {
      const ghost = { id: 424_242, login: 'nobody-at-all' };
      expect(await bench.world.forge.read.fetchPermission(bench.world.changeRequest.projectId, ghost, signal)).toBe(
        'none',
      );
    });

    it('gives nothing to somebody who took over a login', async () => {
      const impostor = { id: 424_242, login: bench.world.author.login };
      expect(await bench.world.forge.read.fetchPermission(bench.world.changeRequest.projectId, impostor, signal)).toBe(
        'none',
      );
    });
  });
};
