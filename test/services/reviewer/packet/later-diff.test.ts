/** What a later review shows of a hunk of which an earlier review has seen a part. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { cutToTouched } from '../../../../services/reviewer/packet/cut-to-touched.ts';
import { buildPacket } from '../../../../services/reviewer/packet/build-packet.ts';
import { filesToShow } from '../../../../services/reviewer/packet/show-diff.ts';
import { compareDiffs } from '../../../../shared/diff/delta.ts';
import { hunkLines } from '../../../../shared/diff/hunk-lines.ts';
import { parseDiff } from '../../../../shared/diff/parse/parse.ts';
import type { CommitSha } from '../../../../shared/vocabulary/ids.ts';
import { createReviewWorld, numbered, request, type ReviewWorld, textOf } from '../review-world.ts';

let world: ReviewWorld;
beforeEach(() => {
  world = createReviewWorld();
});
afterEach(() => world.dispose());

type Reviewed = { readonly head: CommitSha; readonly base: CommitSha };

const shown = async (base: CommitSha, head: CommitSha, reviewed: Reviewed): Promise<readonly string[]> => {
  const previous = { ...reviewed, fingerprint: 'f'.repeat(64), verdict: 'feedback' as const, seenBy: 'model' as const };
  const packet = await buildPacket(request(base, head, { previous }), world.source());
  const signs = { added: '+', removed: '-', context: ' ' };
  return filesToShow(packet).flatMap(({ hunks }) =>
    hunks.flatMap((hunk) => hunkLines(hunk).map(({ kind, text }) => `${signs[kind]}${text}`)),
  );
};

const rewritten = (count: number): readonly string[] =>
  Array.from({ length: count }, (_, index) => `const new${index + 1} = ${index + 1};`);

const withLine = (lines: readonly string[], line: number, text: string): readonly string[] =>
  lines.map((old, index) => (index === line - 1 ? text : old));

describe('a later review of a changed hunk', () => {
  test('shows the touched lines only, if the rest was reviewed', async () => {
    const base = world.commit({ 'a.ts': textOf(...numbered(60)) });
    const first = world.commit({ 'a.ts': textOf(...rewritten(60)) });
    const head = world.commit({ 'a.ts': textOf(...withLine(rewritten(60), 4, 'edited();')) });
    const rows = await shown(base, head, { head: first, base });
    expect(rows).toContain('+edited();');
    expect(rows).not.toContain('+const new40 = 40;');
  });

  test('shows a line of the target branch that a merge dropped, although no line of the head was touched there', async () => {
    const old = numbered(60);
    const base = world.commit({ 'a.ts': textOf(...old) });
    const first = world.commit({ 'a.ts': textOf(...rewritten(60)) });
    const guarded = [...old.slice(0, 50), 'requireAdmin(request);', ...old.slice(50)];
    world.repository.git('checkout', '--quiet', '--detach', base);
    const target = world.commit({ 'a.ts': textOf(...guarded) });
    world.repository.git('checkout', '--quiet', '--detach', first);
    world.repository.git('merge', '--quiet', '--no-edit', '-s', 'ours', target);
    const head = world.commit({ 'a.ts': textOf(...withLine(rewritten(60), 4, 'edited();')) });
    const rows = await shown(target, head, { head: first, base });
    expect(rows).toContain('-requireAdmin(request);');
    expect(rows).toContain('+edited();');
  });

  test('shows a removal at the end of the file beside another edit', async () => {
    const old = [...numbered(40), 'check();', 'audit();'];
    const base = world.commit({ 'a.ts': textOf(...old) });
    const kept = [...rewritten(40), 'check();', 'audit();'];
    const first = world.commit({ 'a.ts': textOf(...kept) });
    const head = world.commit({ 'a.ts': textOf(...withLine(rewritten(40), 4, 'edited();')) });
    const rows = await shown(base, head, { head: first, base });
    expect(rows).toEqual(expect.arrayContaining(['-check();', '-audit();', '+edited();']));
  });

  test('shows where lines of a new file were removed from its end', async () => {
    const base = world.commit({ 'b.ts': 'b();\n' });
    const first = world.commit({ 'a.ts': textOf(...numbered(60), 'check();', 'audit();') });
    const head = world.commit({ 'a.ts': textOf(...withLine(numbered(60), 4, 'edited();')) });
    const rows = await shown(base, head, { head: first, base });
    expect(rows).toEqual(expect.arrayContaining(['+edited();', '+const line60 = 60;']));
    expect(rows).not.toContain('+const line30 = 30;');
  });
});

describe('a cut', () => {
  const blob = (digit: string): string => digit.repeat(40);
  const rows = Array.from({ length: 60 }, (_, index) => `+const new${index + 1} = ${index + 1};`);
  const patch = (oldBlob: string, newBlob: string, removed: readonly string[]): string =>
    [
      'diff --git a/a.ts b/a.ts',
      `index ${oldBlob}..${newBlob} 100644`,
      '--- a/a.ts',
      '+++ b/a.ts',
      `@@ -1,${removed.length} +1,${rows.length} @@`,
      ...rows,
      ...removed.map((text) => `-${text}`),
      '',
    ].join('\n');
  const cut = (before: string, after: string): number => {
    const [delta] = compareDiffs(parseDiff(before), parseDiff(after)).files;
    if (delta === undefined) throw new Error('no file');
    return cutToTouched(delta, new Set([4])).flatMap((hunk) => hunkLines(hunk)).length;
  };
  const first = patch(blob('a'), blob('b'), ['old();', 'check();']);

  test('leaves out what the reviewed diff of the same base had', () => {
    const now = patch(blob('a'), blob('c'), ['old();', 'check();']).replace('new4 =', 'other =');
    expect(cut(first, now)).toBe(12);
  });

  test('is not made if a row outside it is not in the reviewed diff, or is there less often', () => {
    const now = (removed: readonly string[]) => patch(blob('a'), blob('c'), removed).replace('new4 =', 'other =');
    expect(cut(first, now(['old();', 'audit();']))).toBe(62);
    expect(cut(first, now(['check();', 'check();']))).toBe(62);
  });

  test('is not made if the base of the file changed, because an equal row can then stand elsewhere', () => {
    const now = patch(blob('d'), blob('c'), ['check();', 'old();']).replace('new4 =', 'other =');
    expect(cut(first, now)).toBe(62);
  });
});
