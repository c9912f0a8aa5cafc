/** Writes one commit with git plumbing only: without a work tree, an index, hooks or filters. Unchanged trees keep their objects. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CommitSha } from '../../shared/vocabulary/ids.ts';
import { createGit, type Git } from '../../shared/workspace/git/git.ts';
import type { ObjectReader } from '../../shared/workspace/git/objects.ts';
import { readTree, type TreeEntry } from '../../shared/workspace/git/trees.ts';
import type { Edit } from './change/decide-change.ts';

export type CommitPlace = {
  readonly gitPath: string;
  readonly gitDir: string;
  /** New objects are stored below this folder until they are pushed; the mirror itself is not written to. */
  readonly scratchFolder: string;
};

/** Everything written through `git` goes to `objectDirectory`, which is removed when `work` is done. */
export type Scratch = { readonly git: Git; readonly objectDirectory: string };

export const withScratch = async <T>(place: CommitPlace, work: (scratch: Scratch) => Promise<T>): Promise<T> => {
  await mkdir(place.scratchFolder, { recursive: true, mode: 0o700 });
  const objectDirectory = await mkdtemp(join(place.scratchFolder, 'fix-'));
  try {
    await mkdir(join(objectDirectory, 'info'));
    await writeFile(join(objectDirectory, 'info', 'alternates'), `${join(place.gitDir, 'objects')}\n`);
    const { gitPath, gitDir } = place;
    return await work({ git: createGit({ gitPath, gitDir, allowProtocols: [], objectDirectory }), objectDirectory });
  } finally {
    await rm(objectDirectory, { recursive: true, force: true });
  }
};

const idOf = (stdout: Buffer): string => stdout.toString('latin1').trim();

type Written = { readonly names: readonly string[]; readonly mode: string; readonly objectId: string | null };

const writeBlob = async (git: Git, { path, mode, content }: Edit, signal: AbortSignal): Promise<Written> => {
  const names = path.split('/');
  if (content === null) return { names, mode, objectId: null };
  const args = ['hash-object', '-w', '-t', 'blob', '--no-filters', '--stdin'];
  const { stdout } = await git.run(args, { input: content }, signal);
  return { names, mode, objectId: idOf(stdout) };
};

type Trees = { readonly git: Git; readonly objects: ObjectReader };

/**
 * Applies the edits to the tree `treeId`. Contract: no edited path names a folder of that tree or is below one of its
 * files.
 */
export const writeTree = async (
  trees: Trees,
  { treeId, edits }: { readonly treeId: string; readonly edits: readonly Edit[] },
  signal: AbortSignal,
): Promise<string> => {
  const written: Written[] = [];
  for (const edit of edits) written.push(await writeBlob(trees.git, edit, signal));
  return (await rewrite(trees, treeId, { written, depth: 0 }, signal)) ?? emptyTree(trees.git, signal);
};

const emptyTree = async (git: Git, signal: AbortSignal): Promise<string> => makeTree(git, [], signal);

type Below = { readonly written: readonly Written[]; readonly depth: number };

/** Returns null if the folder becomes empty, because git stores no empty folders. */
const rewrite = async (
  trees: Trees,
  treeId: string | null,
  { written, depth }: Below,
  signal: AbortSignal,
): Promise<string | null> => {
  const entries: TreeEntry[] = [];
  const toAdd = new Set(written.map(({ names }) => names[depth] ?? ''));
  for (const entry of treeId === null ? [] : await readTree(trees.objects, treeId, signal)) {
    const mine = written.filter(({ names }) => entry.name.equals(Buffer.from(names[depth] ?? '', 'utf8')));
    for (const { names } of mine) toAdd.delete(names[depth] ?? '');
    const next = mine.length === 0 ? entry : await replaceEntry(trees, entry, { written: mine, depth }, signal);
    if (next !== null) entries.push(next);
  }
  for (const name of toAdd) {
    const mine = written.filter(({ names }) => names[depth] === name);
    const added = await addEntry(trees, name, { written: mine, depth }, signal);
    if (added !== null) entries.push(added);
  }
  return entries.length === 0 ? null : makeTree(trees.git, entries, signal);
};

const replaceEntry = async (
  trees: Trees,
  entry: TreeEntry,
  { written, depth }: Below,
  signal: AbortSignal,
): Promise<TreeEntry | null> => {
  const own = written.find(({ names }) => names.length === depth + 1);
  const objectId =
    own === undefined ? await rewrite(trees, entry.objectId, { written, depth: depth + 1 }, signal) : own.objectId;
  return objectId === null ? null : { ...entry, objectId, mode: own?.mode ?? entry.mode };
};

const addEntry = async (
  trees: Trees,
  name: string,
  { written, depth }: Below,
  signal: AbortSignal,
): Promise<TreeEntry | null> => {
  const own = written.find(({ names }) => names.length === depth + 1);
  const objectId = own === undefined ? await rewrite(trees, null, { written, depth: depth + 1 }, signal) : own.objectId;
  if (objectId === null) return null;
  const bytes = Buffer.from(name, 'utf8');
  return own === undefined
    ? { kind: 'folder', mode: '040000', objectId, name: bytes }
    : { kind: 'file', mode: own.mode, objectId, name: bytes };
};

const TYPES: Readonly<Record<TreeEntry['kind'], string>> = {
  file: 'blob',
  symlink: 'blob',
  submodule: 'commit',
  folder: 'tree',
};

/** `mktree` accepts the format of `ls-tree -z`, with the entries in any order. */
const makeTree = async (git: Git, entries: readonly TreeEntry[], signal: AbortSignal): Promise<string> => {
  const records = entries.flatMap(({ kind, mode, objectId, name }) => [
    Buffer.from(`${mode} ${TYPES[kind]} ${objectId}\t`, 'latin1'),
    name,
    Buffer.from([0]),
  ]);
  const { stdout } = await git.run(['mktree', '-z'], { input: Buffer.concat(records) }, signal);
  return idOf(stdout);
};

export type CommitWish = {
  readonly tree: string;
  readonly parent: CommitSha;
  readonly message: string;
  readonly name: string;
  readonly email: string;
  /** Commit time in epoch ms; an input, so that the same `CommitWish` always gives the same commit. */
  readonly atMs: number;
};

export const writeCommit = async (git: Git, wish: CommitWish, signal: AbortSignal): Promise<CommitSha> => {
  const { tree, parent, message, name, email } = wish;
  const date = `@${Math.floor(wish.atMs / 1000)} +0000`;
  const env = {
    GIT_AUTHOR_NAME: name,
    GIT_AUTHOR_EMAIL: email,
    GIT_AUTHOR_DATE: date,
    GIT_COMMITTER_NAME: name,
    GIT_COMMITTER_EMAIL: email,
    GIT_COMMITTER_DATE: date,
  };
  const { stdout } = await git.run(['commit-tree', tree, '-p', parent], { input: Buffer.from(message), env }, signal);
  return CommitSha.parse(idOf(stdout));
};
