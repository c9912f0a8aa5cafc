import { describe, expect, it } from 'vitest';
import type { FileText, NameOwner } from '../../../shared/forge/port-owners.ts';
import { type Bench, signal } from './conformance-bench.ts';

/** What finding the person to call asks. */
export const describeOwners = (bench: Bench): void => {
  const file = async (
    path: string,
    wish: { readonly branch?: string; readonly maxBytes?: number } = {},
  ): Promise<FileText | null> => {
    const { branch = bench.world.targetBranch, maxBytes = 1_000 } = wish;
    const { projectId } = bench.world.changeRequest;
    return bench.world.forge.read.fetchFile({ projectId, branch, path }, maxBytes, signal);
  };
  const named = async (name: string): Promise<NameOwner | null> => bench.world.forge.read.findName(name, signal);

  describe('a file of a branch', () => {
    it('is read as it is at the tip of that branch', async () => {
      expect(await file('later.txt')).toBeNull();
      await bench.world.people.push();
      expect(await file('later.txt')).toBeNull();
      expect(await file('later.txt', { branch: bench.world.sourceBranch })).toEqual({ kind: 'text', text: 'later\n' });
    });

    it('is found in a folder and under an odd name', async () => {
      await bench.world.people.commit({ 'a folder/é #1?.txt': 'x' });
      expect(await file('a folder/é #1?.txt')).toEqual({ kind: 'text', text: 'x' });
    });

    it('is null when there is no such file, folder or branch', async () => {
      expect(await file('CODEOWNERS')).toBeNull();
      expect(await file('.no/CODEOWNERS')).toBeNull();
      expect(await file('later.txt', { branch: 'gone' })).toBeNull();
    });

    it('of more than so many bytes is too large', async () => {
      await bench.world.people.commit({ large: 'x'.repeat(11) });
      expect(await file('large', { maxBytes: 10 })).toEqual({ kind: 'too_large' });
      expect(await file('large', { maxBytes: 11 })).toMatchObject({ kind: 'text' });
    });

    it('of bytes that are no text is none', async () => {
      await bench.world.people.commit({ binary: 'a\0b' });
      expect(await file('binary')).toEqual({ kind: 'not_text' });
    });
  });

  describe('a name', () => {
    it('is that of an account, in any case', async () => {
      const { author } = bench.world;
      expect(await named(author.login.toUpperCase())).toEqual({ kind: 'person', account: author });
    });

    it('is that of nobody', async () => {
      expect(await named('nobody-of-that-name')).toBeNull();
      await bench.world.people.deleteAccount(bench.world.reader);
      expect(await named(bench.world.reader.login)).toBeNull();
    });
  });

  it('tells the assignees of a change request', async () => {
    const facts = async () => bench.world.forge.read.fetchChangeRequest(bench.world.changeRequest, signal);
    expect((await facts())?.assignees).toBeUndefined();
    await bench.world.people.assign(bench.world.owner);
    expect((await facts())?.assignees).toEqual([bench.world.owner]);
  });
};
