/** Positions of the simulator against an independent reader of the same diffs, over random changes. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { gitlabLineCode, toGitlabLines } from '../../shared/diff/position/gitlab-position.ts';
import { parseDiff } from '../../shared/diff/parse/parse.ts';
import { placeLines, toPositionLine } from '../../shared/diff/position/position-lines.ts';
import type { PositionLine } from '../../shared/diff/position/position.ts';
import { runGit } from '../sim/forgejo/git.ts';
import { diffRefs } from '../sim/gitlab/mr-facts.ts';
import { placeNote } from '../sim/gitlab/positions.ts';
import type { SimMergeRequest } from '../sim/gitlab/world.ts';
import { propertyRuns } from '../support/deep.ts';
import { project, useScene } from './gitlab-support.ts';

const current = useScene();

// Few different lines, so that they repeat; one that looks like a header, and one with a carriage return inside.
const line = fc.constantFrom('a', 'b', '', '@@ -1 +1 @@', 'diff --git a/x b/x', '-minus', '+plus', 'c\r@@ -9 +9 @@');
const text = fc
  .tuple(fc.array(line, { maxLength: 25 }), fc.boolean())
  .map(([lines, ended]) => lines.join('\n') + (ended && lines.length > 0 ? '\n' : ''));

const change = fc
  .record({ before: text, after: text, kind: fc.constantFrom('edit', 'add', 'delete') })
  .filter(({ before, after, kind }) => kind !== 'edit' || before !== after);
type Change = typeof change extends fc.Arbitrary<infer Value> ? Value : never;

let count = 0;

/** A merge request of its own for each change. */
const openFor = async ({ before, after, kind }: Change): Promise<SimMergeRequest> => {
  const { sim } = current();
  count += 1;
  const [base, head] = [`base-${count}`, `head-${count}`];
  const start = { other: `${count}`, ...(kind === 'add' ? {} : { 'f.txt': before }) };
  const commit = { project, message: 'm', author: 'author' };
  await sim.commitFiles({ ...commit, branch: base, files: start, from: 'refs/heads/main' });
  const files = { 'f.txt': kind === 'delete' ? null : after };
  await sim.commitFiles({ ...commit, branch: head, files, from: `refs/heads/${base}` });
  const wish = { project, sourceBranch: head, targetBranch: base, title: 't', author: 'author' };
  return sim.openMergeRequest(wish);
};

const linesOf = async (mr: SimMergeRequest, context: number): Promise<readonly PositionLine[]> => {
  const refs = diffRefs(mr);
  const args = ['diff', '-M', `-U${context}`, refs?.base_sha ?? '', refs?.head_sha ?? '', '--', 'f.txt'];
  const { files } = parseDiff(await runGit(mr.project.gitDir, args));
  return files.flatMap((file) => file.hunks.flatMap(placeLines)).map(toPositionLine);
};

const place = (mr: SimMergeRequest, oldLine: number | null, newLine: number | null) => {
  const refs = diffRefs(mr);
  if (refs === null) throw new Error('not prepared');
  return placeNote(current().sim.world, mr, {
    ...refs,
    position_type: 'text',
    old_path: 'f.txt',
    new_path: 'f.txt',
    old_line: oldLine,
    new_line: newLine,
    line_range: null,
  });
};

it('takes exactly the pairs that are lines of the diff, with the same line codes', { timeout: 600_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(change, async (wish) => {
      const mr = await openFor(wish);
      const short = await linesOf(mr, 3);
      const all = await linesOf(mr, 100_000);
      const codes = new Map(all.map((one) => [`${one.oldLine}/${one.newLine}`, gitlabLineCode('f.txt', one)]));
      for (const one of short) {
        const sent = toGitlabLines({ oldPath: 'f.txt', newPath: 'f.txt', side: 'new', start: one, end: one });
        const lineCode = gitlabLineCode('f.txt', one);
        expect(await place(mr, sent.old_line ?? null, sent.new_line ?? null)).toEqual({ kind: 'placed', lineCode });
      }
      const numbers = [null, ...Array.from({ length: 27 }, (_, index) => index)];
      for (const oldLine of numbers)
        for (const newLine of numbers) {
          const placed = await place(mr, oldLine, newLine);
          const lineCode = codes.get(`${oldLine}/${newLine}`);
          expect(placed.kind).toBe(lineCode === undefined ? 'refused' : 'placed');
          if (lineCode !== undefined) expect(placed).toEqual({ kind: 'placed', lineCode });
        }
    }),
    propertyRuns(4, 150),
  );
});
