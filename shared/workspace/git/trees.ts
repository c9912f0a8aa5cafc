import { gitError } from './git.ts';
import type { ObjectReader } from './objects.ts';

export type TreeEntry = {
  readonly kind: 'file' | 'symlink' | 'submodule' | 'folder';
  /** The name as stored: it may be invalid UTF-8, an invalid file name or a duplicate. */
  readonly name: Buffer;
  readonly mode: string;
  readonly objectId: string;
};

/** Maximum number of names in a path that is looked up. */
const MAX_DEPTH = 200;
const MAX_TREE_BYTES = 16 * 1024 * 1024;

const broken = () => gitError('GIT_BAD_OUTPUT', 'a tree object is malformed', 'fail');

export const kindOfMode = (mode: string): TreeEntry['kind'] => {
  if (/^0?40000$/.test(mode)) return 'folder';
  if (mode === '120000') return 'symlink';
  return mode === '160000' ? 'submodule' : 'file';
};

/** Entries of one tree object in stored order: `mode SP name NUL id`, the id in `hashBytes` raw bytes. */
export const parseTree = (data: Buffer, hashBytes: number): readonly TreeEntry[] => {
  const entries: TreeEntry[] = [];
  let at = 0;
  while (at < data.length) {
    const space = data.indexOf(32, at);
    const nul = data.indexOf(0, space);
    if (space < 0 || nul < 0 || nul + 1 + hashBytes > data.length) throw broken();
    const mode = data.subarray(at, space).toString('latin1');
    const objectId = data.subarray(nul + 1, nul + 1 + hashBytes).toString('hex');
    entries.push({ kind: kindOfMode(mode), name: data.subarray(space + 1, nul), mode, objectId });
    at = nul + 1 + hashBytes;
  }
  return entries;
};

export const readTree = async (
  objects: ObjectReader,
  treeId: string,
  signal: AbortSignal,
): Promise<readonly TreeEntry[]> => {
  const content = await objects.read(treeId, MAX_TREE_BYTES, signal);
  if (content.kind === 'too_large') throw gitError('GIT_TOO_LARGE', 'a tree object is too large', 'fail');
  if (content.kind === 'missing') throw gitError('GIT_FAILED', 'a tree object is missing', 'retry');
  if (content.type !== 'tree') throw broken();
  return parseTree(content.data, treeId.length / 2);
};

const SLASH = 47;

/**
 * The entry of that name. Null if there is none, and also if a crafted tree has several: two entries of the name, or one
 * whose name continues with a slash and so is another entry of the same path.
 */
const onlyEntry = (entries: readonly TreeEntry[], name: Buffer): TreeEntry | null => {
  const found = entries.filter(
    (each) =>
      each.name.equals(name) || (each.name[name.length] === SLASH && each.name.subarray(0, name.length).equals(name)),
  );
  const [entry] = found;
  return found.length === 1 && entry?.name.equals(name) === true ? entry : null;
};

/** Returns the only entry at a path, or null. Names are compared byte by byte; only the slash is special. */
export const findEntry = async (
  objects: ObjectReader,
  at: { readonly treeId: string; readonly path: string },
  signal: AbortSignal,
): Promise<TreeEntry | null> => {
  const names = at.path.split('/');
  if (names.length > MAX_DEPTH) return null;
  let entry: TreeEntry = { kind: 'folder', name: Buffer.alloc(0), mode: '40000', objectId: at.treeId };
  for (const name of names) {
    if (entry.kind !== 'folder') return null;
    const bytes = Buffer.from(name, 'utf8');
    const found = onlyEntry(await readTree(objects, entry.objectId, signal), bytes);
    if (found === null) return null;
    entry = found;
  }
  return entry;
};

export type TreeChange = {
  readonly path: Buffer;
  readonly before: TreeEntry | null;
  readonly after: TreeEntry | null;
};

/** Limits the cache. A tree bomb repeats few different trees many times, so caching keeps it cheap. */
const MAX_REMEMBERED_TREES = 500;

const createTreeCache = (objects: ObjectReader, signal: AbortSignal): ReadsTree => {
  const known = new Map<string, readonly TreeEntry[]>();
  return async (treeId) => {
    const entries = known.get(treeId) ?? (await readTree(objects, treeId, signal));
    if (known.size < MAX_REMEMBERED_TREES) known.set(treeId, entries);
    return entries;
  };
};

type ReadsTree = (treeId: string) => Promise<readonly TreeEntry[]>;

/**
 * The entries by kind and name. A crafted tree may have a name several times: each of its entries counts, as it does for
 * git's own comparison. A name contains no NUL, so a NUL before each repetition keeps the keys apart.
 */
const childrenOf = async (read: ReadsTree, entry: TreeEntry | null) => {
  const entries = entry?.kind === 'folder' ? await read(entry.objectId) : [];
  const children = new Map<string, TreeEntry>();
  const repeated = new Map<string, number>();
  for (const each of entries) {
    const key = `${each.kind === 'folder' ? 'd' : 'f'}${each.name.toString('latin1')}`;
    const count = repeated.get(key) ?? 0;
    repeated.set(key, count + 1);
    children.set(count === 0 ? key : `${key}\0${count}`, each);
  }
  return children;
};

const isSame = (a: TreeEntry | null, b: TreeEntry | null): boolean =>
  a?.objectId === b?.objectId && a?.mode === b?.mode;

/** Lists the differing entries of one changed folder. A file and a folder of the same name are two different entries. */
const expand = async (read: ReadsTree, pair: TreeChange): Promise<readonly TreeChange[]> => {
  const before = await childrenOf(read, pair.before);
  const after = await childrenOf(read, pair.after);
  return [...new Set([...before.keys(), ...after.keys()])].flatMap((key) => {
    const name = (before.get(key) ?? after.get(key))?.name ?? Buffer.alloc(0);
    const path = pair.path.length === 0 ? name : Buffer.concat([pair.path, Buffer.from('/'), name]);
    const child = { path, before: before.get(key) ?? null, after: after.get(key) ?? null };
    return isSame(child.before, child.after) ? [] : [child];
  });
};

const folder = (objectId: string | null): TreeEntry | null =>
  objectId === null ? null : { kind: 'folder', name: Buffer.alloc(0), mode: '40000', objectId };

/**
 * Lists the differences between two trees (null means the empty tree), without renames. Returns `too_many` for more
 * than `maxChanges`. It walks depth first and holds at most that many entries in memory. git's own tree comparison
 * holds all changed paths at once, and a crafted repository of 176 KB can have ten billion changed paths.
 */
export const compareTrees = async (
  objects: ObjectReader,
  trees: { readonly before: string | null; readonly after: string; readonly maxChanges: number },
  signal: AbortSignal,
): Promise<readonly TreeChange[] | 'too_many'> => {
  const read = createTreeCache(objects, signal);
  const changes: TreeChange[] = [];
  const root = { path: Buffer.alloc(0), before: folder(trees.before), after: folder(trees.after) };
  const stack: TreeChange[] = isSame(root.before, root.after) ? [] : [root];
  for (let pair = stack.pop(); pair !== undefined; pair = stack.pop()) {
    if (pair.before?.kind !== 'folder' && pair.after?.kind !== 'folder') changes.push(pair);
    else stack.push(...(await expand(read, pair)));
    if (changes.length + stack.length > trees.maxChanges) return 'too_many';
    if (pair.path.length > 16 * 1024) return 'too_many';
  }
  return changes;
};
