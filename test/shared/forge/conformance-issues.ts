import { describe, expect, it } from 'vitest';
import type { ClosedIssue } from '../../../shared/forge/port-issues.ts';
import { type Bench, signal } from './conformance-bench.ts';

/** The issues that a change request closes. */
export const describeIssues = (bench: Bench): void => {
  type Read = { readonly issues: readonly ClosedIssue[]; readonly requests: number };
  /** What is read once the change request has this description, and with how many requests. */
  const read = async (description: string): Promise<Read> => {
    const { forge, people, changeRequest, title } = bench.world;
    await people.describe(description);
    // The path of a project is read once.
    await forge.read.locateGit(changeRequest, signal);
    const before = bench.world.requests();
    const issues = await forge.read.fetchClosedIssues(changeRequest, { title, description }, signal);
    return { issues, requests: bench.world.requests() - before };
  };
  const open = async (title: string, text = '', secret = false): Promise<number> =>
    bench.world.people.openIssue({ title, text, secret });

  describe('issues that a change request closes', () => {
    it('are read with title and text, in the order of the description, with one request for each at most', async () => {
      const [one, two] = [await open('Carts can be empty', 'Then `total` fails.\n'), await open('Slow')];
      const { issues, requests } = await read(`Guards the cart.\n\nFixes #${two}, closes #${one}`);
      expect(issues).toEqual([
        { number: two, title: 'Slow', text: '' },
        { number: one, title: 'Carts can be empty', text: 'Then `total` fails.\n' },
      ]);
      expect(requests).toBeLessThanOrEqual(2);
    });

    it('are none, and cost no request, where the words refer to none', async () => {
      await open('An issue');
      const { issues, requests } = await read('Fixes the cart, closes the door.');
      expect([issues, requests]).toEqual([[], 0]);
    });

    it('are none when the words only mention one, or one that does not exist', async () => {
      const number = await open('An issue');
      expect((await read(`See #${number}.`)).issues).toEqual([]);
      expect((await read('Fixes #4711')).issues).toEqual([]);
    });

    it('are no change requests, and at most three', async () => {
      const { number } = bench.world.changeRequest;
      const numbers = [];
      for (let at = 0; at < 4; at += 1) numbers.push(await open(`Issue ${at}`));
      const { issues } = await read(numbers.map((each) => `Closes #${each}`).join('\n'));
      expect(issues.map(({ title }) => title)).toEqual(['Issue 0', 'Issue 1', 'Issue 2']);
      const self = (await read(`Closes !${number}`)).issues;
      expect(self).toEqual([]);
    });

    it('are never those of another project, or those that not every reader may see', async () => {
      const { can, groupPath, people } = bench.world;
      await people.addProjects(['other']);
      const elsewhere = await people.openIssue({ title: 'Elsewhere', text: '', project: 'other' });
      expect((await read(`Closes ${groupPath}/other#${elsewhere}`)).issues).toEqual([]);
      const secret = await open('A hole', 'How to use it.', true);
      expect((await read(`Closes #${secret}`)).issues).toHaveLength(can.hideIssues ? 0 : 1);
    });
  });
};
