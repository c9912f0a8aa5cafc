/** Changes in which one path stands for two files: names that are not UTF-8, and trees that have a name twice. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { receiptsOf } from '../../../../services/reviewer/check/receipts.ts';
import { buildPacket } from '../../../../services/reviewer/packet/build-packet.ts';
import type { Packet } from '../../../../services/reviewer/packet/packet.ts';
import { filesToShow, showDiff } from '../../../../services/reviewer/packet/show-diff.ts';
import { createTextReader } from '../../../../services/reviewer/packet/text-reader.ts';
import { runRules } from '../../../../services/reviewer/rules/run-rules.ts';
import { parseDiff } from '../../../../shared/diff/parse/parse.ts';
import type { CommitSha } from '../../../../shared/vocabulary/ids.ts';
import { never, type TreeItem } from '../../../shared/workspace/repository.ts';
import { createReviewWorld, request, type ReviewWorld } from '../review-world.ts';

let world: ReviewWorld;
beforeEach(() => {
  world = createReviewWorld();
});
afterEach(() => world.dispose());

const EVIL = 'export const run = (code) => {\n  return eval(code);\n};\n';
const HARMLESS = 'export const run = (code) => {\n  return 1;\n};\n';
/** Both names decode to the same path. */
const LATIN1 = Buffer.from('tool\xe9.js', 'latin1');
const REPLACED = 'tool\uFFFD.js';
const NO_UTF8 = 'its name is not valid UTF-8, so its content cannot be looked up by its name';
const TWIN = 'another file has the same name, so its content cannot be looked up by its name';

const file = (name: string | Buffer, content: string | Buffer): TreeItem => ({
  mode: '100644',
  name,
  objectId: world.repository.blob(content),
});

const commitOf = (items: readonly TreeItem[], ...parents: readonly CommitSha[]): CommitSha =>
  world.repository.commitTree(world.repository.rawTree(items), ...parents);

const packetOf = async (before: readonly TreeItem[], after: readonly TreeItem[]): Promise<Packet> => {
  const base = commitOf(before);
  return buildPacket(request(base, commitOf(after, base)), world.source());
};

const shownText = async (packet: Packet): Promise<string> =>
  (await showDiff({ packet, maxDiffBytes: 100_000, protect: async (text) => text }, never())).text;

const seenByRules = async (packet: Packet) => {
  const rules = await runRules(packet, never());
  return receiptsOf(packet, { model: null, rules }).flatMap(({ lines }) => lines.map(({ seenBy }) => seenBy));
};

describe('a file whose path leads to another file', () => {
  const folderTwin = (content: string): readonly TreeItem[] => [
    { mode: '40000', name: 'dir', objectId: world.repository.rawTree([file('tool.js', content)]) },
  ];
  const changes: Readonly<Record<string, () => readonly [readonly TreeItem[], readonly TreeItem[], string, string]>> = {
    'a name that is not UTF-8 beside its decoded form': () => [
      [file(REPLACED, HARMLESS)],
      [file(LATIN1, EVIL), file(REPLACED, HARMLESS)],
      REPLACED,
      NO_UTF8,
    ],
    'two added names that decode to one path': () => [
      [],
      [file(LATIN1, EVIL), file(REPLACED, HARMLESS)],
      REPLACED,
      TWIN,
    ],
    'a name twice, the old file first': () => [
      [file('tool.js', HARMLESS)],
      [file('tool.js', HARMLESS), file('tool.js', EVIL)],
      'tool.js',
      'its content could not be read as text',
    ],
    'a name twice, both new': () => [[], [file('tool.js', HARMLESS), file('tool.js', EVIL)], 'tool.js', TWIN],
    'an entry whose name contains a slash': () => [
      folderTwin(HARMLESS),
      [...folderTwin(HARMLESS), file('dir/tool.js', EVIL)],
      'dir/tool.js',
      'its content could not be read as text',
    ],
  };

  test.each(Object.keys(changes))('is not reviewed, and its own lines are shown: %s', async (name) => {
    const [before, after, path, reason] = changes[name]?.() ?? [[], [], '', ''];
    const packet = await packetOf(before, after);
    expect(packet.changed).toEqual([]);
    expect(packet.omitted).toContainEqual({ path, reason });
    expect(await packet.headText(path)).toBeNull();
    expect(await shownText(packet)).toContain('eval(code)');
    expect(new Set(await seenByRules(packet))).toEqual(new Set(['nobody']));
  });

  test('does not hide a secret: the secret scan counts as unfinished', async () => {
    const token = `ghp_${'a1B2c3D4e5F6'.repeat(3)}`;
    const packet = await packetOf(
      [file(Buffer.from('x\xe9.lock', 'latin1'), 'old\n'), file('x\uFFFD.lock', 'harmless\n')],
      [file(Buffer.from('x\xe9.lock', 'latin1'), `${token}\n`), file('x\uFFFD.lock', 'harmless\n')],
    );
    expect((await runRules(packet, never())).omitted.map(({ path }) => path)).toContain('x\uFFFD.lock');
  });

  test('does not hide a secret in a large file with the name of an image', async () => {
    const [name, twin] = [Buffer.from('x\xe9.png', 'latin1'), file('x\uFFFD.png', 'harmless\n')];
    const packet = await packetOf([twin], [file(name, 'line\n'.repeat(300_000)), twin]);
    expect((await runRules(packet, never())).omitted.map(({ path }) => path)).toEqual(['x\uFFFD.png']);
  });

  test('shows the removed lines of the diff, not those of the other file', async () => {
    const packet = await packetOf([file(LATIN1, EVIL), file(REPLACED, HARMLESS)], [file(REPLACED, HARMLESS)]);
    expect(await packet.baseText(REPLACED)).toBeNull();
    expect(await shownText(packet)).toContain('eval(code)');
  });

  test('is not opened by its name when it was renamed out of an excluded folder', async () => {
    const folder = (items: readonly TreeItem[]): string => world.repository.rawTree(items);
    const packet = await packetOf(
      [{ mode: '40000', name: 'node_modules', objectId: folder([file(LATIN1, EVIL)]) }, file(REPLACED, HARMLESS)],
      [file(LATIN1, EVIL), file(REPLACED, HARMLESS)],
    );
    expect(packet.changed).toEqual([]);
    expect(packet.omitted.map(({ path }) => path)).toEqual([REPLACED]);
  });
});

test('the reader of texts reads no other object than that of the diff', async () => {
  const base = commitOf([file('a.js', HARMLESS)]);
  const [head, other] = [commitOf([file('a.js', EVIL)], base), commitOf([file('a.js', 'other();\n')], base)];
  const { revisions } = world.source();
  const result = await revisions.diff({ target: base, head, maxFiles: 10, maxBytes: 10_000 }, never());
  const diff = parseDiff(result.kind === 'diff' ? result.patch : '');
  const textAt = async (commit: CommitSha) =>
    createTextReader(revisions, { commits: { head: commit, base }, diff }, never()).head('a.js');
  expect(await textAt(head)).toMatchObject({ kind: 'text', text: EVIL });
  expect(await textAt(other)).toEqual({ kind: 'undecodable', reason: TWIN });
});

test('a file with a replacement character in its name is reviewed like any other', async () => {
  const packet = await packetOf([file(REPLACED, HARMLESS)], [file(REPLACED, EVIL)]);
  expect(packet.changed.map(({ path, text }) => ({ path, text }))).toEqual([{ path: REPLACED, text: EVIL }]);
  expect(packet.omitted).toEqual([]);
  expect(filesToShow(packet)).toHaveLength(1);
});

test('the larger of two files of one name in a tree is found although git calls it binary', async () => {
  const large = `${'// line\n'.repeat(200_000)}${EVIL}`;
  const packet = await packetOf([file('tool.js', HARMLESS)], [file('tool.js', large), file('tool.js', HARMLESS)]);
  expect(packet.changed).toEqual([]);
  expect(packet.omitted.map(({ path }) => path)).toContain('tool.js');
});
