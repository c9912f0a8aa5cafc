import { chmodSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import fc from 'fast-check';

/** One state of a working tree: a path (one character per byte) and what stands there. */
export type TreeEntry =
  | { readonly kind: 'file'; readonly content: string; readonly executable: boolean }
  | { readonly kind: 'link'; readonly target: string };
export type Tree = Readonly<Record<string, TreeEntry>>;
export type RandomChange = { readonly before: Tree; readonly after: Tree };

const NAMES = [
  'plain.ts',
  'dir/deep/er.py',
  'with space.txt',
  'a/b/c.md',
  'b/x.ts',
  ' leading',
  'trailing ',
  'tab\there',
  'new\nline',
  'quo"te',
  'back\\slash',
  'caf\xe9-latin1',
  'caf\xc3\xa9',
  '\xed\x95\x9c\xea\xb5\xad/\xed\x8c\x8c.md',
  '-dash',
  '+++ plus',
  'dev/null',
  'x b/x',
];

const TEXTS = [
  'const value = 1;',
  '    indented();',
  '\ttabbed',
  '',
  ' ',
  '}',
  '-- a comment',
  '++ plus',
  '@@ -1 +1 @@',
  'diff --git a/x b/x',
  '\\ No newline at end of file',
  'line\u2028separator',
  'form\ffeed',
  'lone\rreturn',
  'end\r',
  'nel\x85here',
  'caf\xe9',
  'return;',
  'x'.repeat(300),
];

const line = fc.constantFrom(...TEXTS);
const lines = fc.array(line, { maxLength: 30 });

/** One character per byte: every text above U+00FF is encoded first. */
const content = fc
  .tuple(lines, fc.constantFrom('\n', '\r\n'), fc.boolean())
  .map(([rows, end, closed]) => toBytes(rows.join(end) + (closed && rows.length > 0 ? end : '')));

const toBytes = (text: string): string =>
  // Latin-1 texts are bytes that are not UTF-8; everything else is encoded.
  /[^\0-\xff]/.test(text) ? Buffer.from(text, 'utf8').toString('latin1') : text;

const entry: fc.Arbitrary<TreeEntry> = fc.oneof(
  { weight: 9, arbitrary: fc.record({ kind: fc.constant('file' as const), content, executable: fc.boolean() }) },
  {
    weight: 1,
    arbitrary: fc.constantFrom<TreeEntry>({ kind: 'link', target: 'plain.ts' }, { kind: 'link', target: 'away' }),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom<TreeEntry>(
      { kind: 'file', content: '\0\x01\x02binary', executable: false },
      { kind: 'file', content: '\0\x01\x03other binary', executable: false },
    ),
  },
);

/** Edits that keep most of a file, so that hunks have context and renames are found. */
const editContent = (text: string): fc.Arbitrary<string> => {
  const rows = text.split('\n');
  const edit = fc.record({ at: fc.nat(rows.length), drop: fc.nat(3), add: fc.array(line, { maxLength: 3 }) });
  return fc.array(edit, { maxLength: 3 }).map((edits) => {
    const result = [...rows];
    for (const { at, drop, add } of edits) result.splice(at, drop, ...add.map(toBytes));
    return result.join('\n');
  });
};

const editEntry = (old: TreeEntry): fc.Arbitrary<TreeEntry> =>
  old.kind === 'link'
    ? entry
    : fc.oneof(
        { weight: 6, arbitrary: editContent(old.content).map((text) => ({ ...old, content: text })) },
        { weight: 1, arbitrary: fc.constant({ ...old, executable: !old.executable }) },
        { weight: 1, arbitrary: entry },
      );

/** A tree, then some of its files edited, moved, removed and others created. */
export const randomChange: fc.Arbitrary<RandomChange> = fc
  .dictionary(fc.constantFrom(...NAMES), entry, { minKeys: 1, maxKeys: 7 })
  .chain((before) =>
    fc
      .tuple(
        fc.tuple(...Object.entries(before).map(([name, old]) => fc.tuple(fc.constant(name), editEntry(old), fate))),
        fc.dictionary(fc.constantFrom(...NAMES), entry, { maxKeys: 2 }),
      )
      .map(([edited, created]) => ({
        before: withoutClashes(before),
        after: withoutClashes(applyFates(edited, created)),
      })),
  );

const fate = fc.oneof(
  { weight: 6, arbitrary: fc.constant('stay' as const) },
  { weight: 2, arbitrary: fc.constant('move' as const) },
  { weight: 1, arbitrary: fc.constant('remove' as const) },
);

type Fated = readonly (readonly [string, TreeEntry, 'stay' | 'move' | 'remove'])[];

const applyFates = (edited: Fated, created: Tree): Tree => {
  const after: Record<string, TreeEntry> = { ...created };
  for (const [name, now, what] of edited) {
    if (what === 'stay') after[name] = now;
    if (what === 'move') after[`moved/${name}`] = now;
  }
  return after;
};

/** A path cannot be a file and a folder at once. */
const withoutClashes = (tree: Tree): Tree =>
  Object.fromEntries(
    Object.entries(tree).filter(([name]) => !Object.keys(tree).some((other) => other.startsWith(`${name}/`))),
  );

const bytes = (text: string): Buffer => Buffer.from(text, 'latin1');

/** Makes the folder hold exactly the tree, beside `.git`. */
export const writeTree = (folder: string, tree: Tree, earlier: Tree): void => {
  for (const name of Object.keys(earlier)) rmSync(pathOf(folder, name), { force: true });
  for (const [name, node] of Object.entries(tree)) {
    const path = pathOf(folder, name);
    mkdirSync(parentOf(path), { recursive: true });
    if (node.kind === 'link') symlinkSync(node.target, path);
    else {
      writeFileSync(path, bytes(node.content));
      chmodSync(path, node.executable ? 0o755 : 0o644);
    }
  }
};

const pathOf = (folder: string, name: string): Buffer => Buffer.concat([Buffer.from(`${folder}/`), bytes(name)]);

const parentOf = (path: Buffer): Buffer => path.subarray(0, path.lastIndexOf(0x2f));

/** Rows of a file, split as git splits them: at LF only, the end of the last row kept open. */
export const rowsOf = (node: TreeEntry): readonly string[] => {
  const text = node.kind === 'link' ? node.target : node.content;
  return text.split('\n');
};
