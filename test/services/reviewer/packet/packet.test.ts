import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { buildPacket } from '../../../../services/reviewer/packet/build-packet.ts';
import { createReviewWorld, numbered, request, type ReviewWorld, textOf, thread } from '../review-world.ts';

let world: ReviewWorld;
beforeEach(() => {
  world = createReviewWorld();
});
afterEach(() => world.dispose());

const replaceLine = (lines: readonly string[], line: number, text: string): readonly string[] =>
  lines.map((old, index) => (index === line - 1 ? text : old));

describe('a packet', () => {
  test('holds the added lines, and the lines behind which something was only taken away', async () => {
    const old = numbered(12);
    const base = world.commit({ 'a.ts': textOf(...old) });
    const changed = replaceLine(old, 3, 'changed();').filter((_, index) => index !== 8);
    const head = world.commit({ 'a.ts': textOf(...changed), 'b.ts': 'added();\n' });
    const { changed: files } = await buildPacket(request(base, head), world.source());
    expect(files.map(({ path, changedLines, removedAfter }) => ({ path, changedLines, removedAfter }))).toEqual([
      { path: 'a.ts', changedLines: new Set([3]), removedAfter: new Set([8]) },
      { path: 'b.ts', changedLines: new Set([1]), removedAfter: new Set() },
    ]);
  });

  test('leaves out by rule what nobody wants reviewed, each with its reason, and stays complete', async () => {
    const base = world.commit({ '.gitattributes': 'gen.ts linguist-generated\n' });
    const head = world.commit({
      'a.ts': 'a();\n',
      'gen.ts': 'gen();\n',
      'package-lock.json': '{}\n',
      'node_modules/x/index.js': 'x();\n',
      'docs/skip.ts': 'skip();\n',
      'logo.dat': Buffer.from([0, 1, 0]),
    });
    const packet = await buildPacket(request(base, head), world.source({ excludePaths: ['docs/'] }));
    expect(packet.reviewable.map(({ newPath }) => newPath)).toEqual(['a.ts', 'gen.ts']);
    expect(packet.omitted).toEqual([]);
    expect(new Map(packet.excluded.map(({ path, reason }) => [path, reason]))).toEqual(
      new Map([
        ['package-lock.json', expect.stringMatching(/lock/)],
        ['node_modules/x/index.js', expect.stringMatching(/vendored/)],
        ['docs/skip.ts', expect.stringMatching(/docs\//)],
        ['logo.dat', expect.stringMatching(/binary/)],
      ]),
    );
  });

  test('takes attributes from the base: the change cannot take itself out of review', async () => {
    const base = world.commit({ 'README.md': 'shop\n' });
    const head = world.commit({ '.gitattributes': '* linguist-generated\n', 'a.ts': 'a();\n' });
    const packet = await buildPacket(request(base, head), world.source());
    expect(packet.reviewable.map(({ newPath }) => newPath)).toContain('a.ts');
    expect(packet.excluded).toEqual([]);
  });

  test('reviews only the included paths, old names counted, and names the others', async () => {
    const body = textOf(...numbered(20));
    const base = world.commit({ 'src/old.ts': body });
    const head = world.commit({
      'src/old.ts': null,
      'lib/new.ts': body.replace('= 7;', '= 70;'),
      'other.ts': 'o();\n',
    });
    const packet = await buildPacket(request(base, head), world.source({ includePaths: ['src/'] }));
    expect(packet.reviewable.map(({ newPath }) => newPath)).toEqual(['lib/new.ts']);
    expect(packet.excluded).toEqual([{ path: 'other.ts', reason: 'outside the included paths' }]);
  });

  test('names the whole change when it has more files than are looked at', async () => {
    const base = world.commit({});
    const head = world.commit({ 'a.ts': 'a();\n', 'b.ts': 'b();\n' });
    const packet = await buildPacket(request(base, head), world.source({ maxFiles: 1 }));
    expect(packet.omitted).toEqual([{ path: '(the whole change)', reason: 'more than 1 changed files' }]);
    expect(packet.reviewable).toEqual([]);
  });

  test('names a file that is too large to compare once, although git calls it binary', async () => {
    const base = world.commit({});
    const head = world.commit({ 'big.txt': 'x'.repeat(2_000_000), 'b.ts': 'b();\n' });
    const packet = await buildPacket(request(base, head), world.source());
    expect(packet.omitted).toEqual([{ path: 'big.txt', reason: 'too large to compare (2000000 bytes)' }]);
    expect({ excluded: packet.excluded, kept: packet.reviewable.length }).toEqual({ excluded: [], kept: 1 });
  });

  test('names a file whose content cannot be read', async () => {
    const base = world.commit({});
    const head = world.commit({ 'a.ts': Buffer.from(Array.from({ length: 600 }, (_, index) => 128 + (index % 100))) });
    const packet = await buildPacket(request(base, head), world.source());
    expect(packet.omitted).toEqual([{ path: 'a.ts', reason: 'its encoding is unknown' }]);
    expect(packet.changed).toEqual([]);
  });

  test('takes the whole tree for new when the histories are unrelated', async () => {
    const base = world.commit({ 'a.ts': 'a();\n' });
    world.repository.git('checkout', '--quiet', '--orphan', 'other');
    const head = world.commit({ 'a.ts': 'b();\n' });
    const packet = await buildPacket(request(base, head), world.source());
    expect({ base: packet.base, statuses: packet.diff.files.map(({ status }) => status) }).toEqual({
      base: null,
      statuses: ['added'],
    });
    expect(await packet.baseText('a.ts')).toBeNull();
  });

  test('reads both sides and answers null for what is not there', async () => {
    const base = world.commit({ 'a.ts': 'old();\n' });
    const head = world.commit({ 'a.ts': 'new();\n' });
    const packet = await buildPacket(request(base, head), world.source());
    const texts = await Promise.all([packet.baseText('a.ts'), packet.headText('a.ts'), packet.headText('absent.ts')]);
    expect(texts).toEqual(['old();\n', 'new();\n', null]);
  });

  test('says from round 2 on what stood already in the round before, and nothing when that state is gone', async () => {
    const old = numbered(40);
    const base = world.commit({ 'a.ts': textOf(...old) });
    const first = replaceLine(old, 3, 'first();');
    const before = world.commit({ 'a.ts': textOf(...first) });
    const head = world.commit({ 'a.ts': textOf(...replaceLine(first, 30, 'second();')) });
    const previous = { head: before, base, fingerprint: 'f'.repeat(64), verdict: 'feedback' as const };
    const packet = await buildPacket(request(base, head, { previous }), world.source());
    expect(packet.delta?.files.flatMap(({ hunks }) => hunks.map(({ state }) => state))).toEqual(['unchanged', 'new']);
    const lost = { ...previous, head: 'd'.repeat(40) as typeof head }; // a well-formed id that nobody has
    expect((await buildPacket(request(base, head, { previous: lost }), world.source())).delta).toBeNull();
  });
});

describe('a review of what the last one left out', () => {
  test.each(['src/app', 'src/app/', 'src/app/x.ts'])('shows what is below %s, and withholds the rest', async (only) => {
    const base = world.commit({ 'README.md': 'shop\n' });
    const head = world.commit({ 'src/app/x.ts': 'x();\n', 'src/b.ts': 'b();\n' });
    const previous = { head, base, fingerprint: 'f'.repeat(64), verdict: 'inconclusive' as const, left: ['src/'] };
    const packet = await buildPacket(request(base, head, { previous, only }), world.source());
    expect([...packet.withheld]).toEqual(['src/b.ts']);
  });
});

describe('an open thread', () => {
  test('is followed through a rename and through lines above it', async () => {
    const base = world.commit({ 'README.md': 'shop\n' });
    const old = numbered(20);
    const before = world.commit({ 'a.ts': textOf(...old) });
    const head = world.commit({ 'a.ts': null, 'lib/b.ts': textOf('above();', 'above();', ...old) });
    const openThreads = [thread('a.ts', 7, before)];
    const packet = await buildPacket(request(base, head, { openThreads }), world.source());
    expect(packet.openThreads).toMatchObject([
      { citedText: 'const line7 = 7;', now: { path: 'lib/b.ts', side: 'new', startLine: 9, line: 9 } },
    ]);
  });

  test('has no place any more when its line is gone', async () => {
    const base = world.commit({ 'README.md': 'shop\n' });
    const old = numbered(20);
    const before = world.commit({ 'a.ts': textOf(...old) });
    const head = world.commit({ 'a.ts': textOf(...old.filter((_, index) => index !== 6)) });
    const packet = await buildPacket(request(base, head, { openThreads: [thread('a.ts', 7, before)] }), world.source());
    expect(packet.openThreads).toMatchObject([{ citedText: 'const line7 = 7;', now: null }]);
  });

  test('knows what was put in the place of its line', async () => {
    const base = world.commit({ 'README.md': 'shop\n' });
    const old = numbered(20);
    const before = world.commit({ 'a.ts': textOf(...old) });
    const rewritten = old.map((line, index) => (index === 6 ? 'const seven = 7;' : line));
    const head = world.commit({ 'a.ts': textOf('above();', ...rewritten) });
    const packet = await buildPacket(request(base, head, { openThreads: [thread('a.ts', 7, before)] }), world.source());
    expect(packet.openThreads).toMatchObject([{ now: null, replacedBy: { path: 'a.ts', startLine: 8, line: 8 } }]);
  });

  test('does not move to an equal line that was there before', async () => {
    const base = world.commit({ 'README.md': 'shop\n' });
    const old = replaceLine(replaceLine(numbered(20), 3, 'same();'), 17, 'same();');
    const before = world.commit({ 'a.ts': textOf(...old) });
    const head = world.commit({ 'a.ts': textOf(...replaceLine(old, 3, 'fixed();')) });
    const packet = await buildPacket(request(base, head, { openThreads: [thread('a.ts', 3, before)] }), world.source());
    expect(packet.openThreads).toMatchObject([{ now: null, replacedBy: { startLine: 3, line: 3 } }]);
    const [isChanged] = packet.openThreads.map((each) => each.isChanged);
    expect([3, 17].map((line) => isChanged?.('a.ts', { startLine: line, line }))).toEqual([true, false]);
  });

  test('does not move to an equal line that has a thread of its own', async () => {
    const base = world.commit({ 'README.md': 'shop\n' });
    const old = replaceLine(numbered(20), 3, 'same();');
    const before = world.commit({ 'a.ts': textOf(...old) });
    const copied = replaceLine(old, 17, 'same();');
    const later = world.commit({ 'a.ts': textOf(...copied) });
    const head = world.commit({ 'a.ts': textOf(...replaceLine(copied, 3, 'fixed();')) });
    const openThreads = [thread('a.ts', 3, before), thread('a.ts', 17, later, 'F-002')];
    const packet = await buildPacket(request(base, head, { openThreads }), world.source());
    expect(packet.openThreads.map(({ id, now }) => [id, now?.line ?? null])).toEqual([
      ['F-001', null],
      ['F-002', 17],
    ]);
    expect(packet.openThreads).toMatchObject([{ replacedBy: { startLine: 3, line: 3 } }, {}]);
  });

  test('is told from a closed one, which is followed too', async () => {
    const base = world.commit({ 'README.md': 'shop\n' });
    const old = numbered(20);
    const before = world.commit({ 'a.ts': textOf(...old) });
    const head = world.commit({ 'a.ts': null, 'lib/b.ts': textOf('above();', ...old) });
    const [open, closed] = [thread('a.ts', 7, before), { ...thread('a.ts', 9, before), id: 'F-002' }];
    const asked = { openThreads: [open], closedThreads: [closed] };
    const packet = await buildPacket(request(base, head, asked), world.source());
    expect(packet.openThreads.map(({ id, now }) => [id, now?.line])).toEqual([['F-001', 8]]);
    expect(packet.closedThreads.map(({ id, now }) => [id, now?.path, now?.line])).toEqual([['F-002', 'lib/b.ts', 10]]);
  });

  test('of a head that nobody knows any more has no citation', async () => {
    const base = world.commit({ 'README.md': 'shop\n' });
    const head = world.commit({ 'a.ts': textOf(...numbered(20)) });
    const packet = await buildPacket(request(base, head, { openThreads: [thread('a.ts', 7, null)] }), world.source());
    expect(packet.openThreads).toMatchObject([{ citedText: '' }]);
  });
});
