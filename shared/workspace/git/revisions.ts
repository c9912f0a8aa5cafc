import { isBinaryToGit } from '../../diff/read-text.ts';
import type { CommitSha } from '../../vocabulary/ids.ts';
import { type BlamedLine, blameLines, type BlameRequest } from './blame.ts';
import { type CommitSummary, readCommits } from './commits.ts';
import { type DiffRequest, type DiffResult, diffCommits } from './diff.ts';
import { type FileListing, type FilesToList, listFiles } from './file-list.ts';
import { type Git, gitError } from './git.ts';
import { type CommitMatch, type CommitSearch, grepCommit } from './grep-commit.ts';
import { createObjectReader, type ObjectReader } from './objects.ts';
import { readContents } from './object-batch.ts';
import { GIT_RENAME_LIKENESS } from './rename-likeness.ts';
import { findEntry } from './trees.ts';

export type FileContent =
  | { readonly kind: 'text'; readonly text: string; readonly bytes: number }
  | { readonly kind: 'binary'; readonly bytes: number }
  | { readonly kind: 'too_large'; readonly bytes: number }
  | { readonly kind: 'symlink'; readonly target: string }
  | { readonly kind: 'submodule'; readonly commit: string }
  | { readonly kind: 'missing' };

export type FileBytes =
  | { readonly kind: 'bytes'; readonly data: Buffer }
  | Exclude<FileContent, { kind: 'text' | 'binary' }>
  /** The entry at the path is not the object that was asked for. */
  | { readonly kind: 'other' };

export type RepositoryPlace = Pick<Git, 'gitPath' | 'gitDir'> & {
  /** Object folders of other repositories that this repository reads from. */
  readonly borrowed?: readonly string[];
};

export type FilePlace = { readonly commit: CommitSha; readonly path: string; readonly maxBytes: number };

export type BytesPlace = FilePlace & {
  /** The object that the entry at the path must be. If absent, any object is read. */
  readonly objectId?: string;
};

/**
 * Queries the commits of one repository. It takes full commit ids only and uses no ref, index or work tree. Every method
 * throws `GitError`; `close` ends the long-lived process.
 */
export type Revisions = {
  readonly repository: RepositoryPlace;
  readonly objects: ObjectReader;
  exists(commit: CommitSha, signal: AbortSignal): Promise<boolean>;
  /** The best common ancestor; the smallest id if there are several; null if the histories share no commit. */
  mergeBase(a: CommitSha, b: CommitSha, signal: AbortSignal): Promise<CommitSha | null>;
  /** All best common ancestors, sorted by id. */
  mergeBases(a: CommitSha, b: CommitSha, signal: AbortSignal): Promise<readonly CommitSha[]>;
  isAncestor(ancestor: CommitSha, of: CommitSha, signal: AbortSignal): Promise<boolean>;
  treeOf(commit: CommitSha, signal: AbortSignal): Promise<string>;
  diff(request: DiffRequest, signal: AbortSignal): Promise<DiffResult>;
  /** `path` is relative to the root of the tree, without a leading slash. A folder is `missing`. */
  readFile(at: FilePlace, signal: AbortSignal): Promise<FileContent>;
  /** Like `readFile`, but also returns the bytes of binary files, and reads no other object than the one asked for. */
  readBytes(at: BytesPlace, signal: AbortSignal): Promise<FileBytes>;
  /** Reads contents by object id, at most `maxBytes` in total. Missing objects have no entry. */
  readBlobs(
    wanted: { readonly objectIds: readonly string[]; readonly maxBytes: number },
    signal: AbortSignal,
  ): Promise<ReadonlyMap<string, Buffer>>;
  listFiles(commit: CommitSha, caps: Omit<FilesToList, 'commit'>, signal: AbortSignal): Promise<FileListing>;
  /** Commits that are reachable from `head` but not from `base`, newest first. */
  commits(
    range: { readonly base: CommitSha; readonly head: CommitSha; readonly maxCommits: number },
    signal: AbortSignal,
  ): Promise<readonly CommitSummary[]>;
  /** Which commit last touched each of the lines. */
  blame(request: BlameRequest, signal: AbortSignal): Promise<readonly BlamedLine[]>;
  /** Lines of the commit's text files that match. */
  grep(search: CommitSearch, signal: AbortSignal): Promise<readonly CommitMatch[]>;
  close(): void;
};

const MAX_COMMIT_BYTES = 1024 * 1024;

const readTreeId = async (objects: ObjectReader, commit: CommitSha, signal: AbortSignal): Promise<string> => {
  const content = await objects.read(commit, MAX_COMMIT_BYTES, signal);
  if (content.kind === 'missing') throw gitError('GIT_FAILED', `commit ${commit} is missing`, 'retry');
  const head = content.kind === 'object' && content.type === 'commit' ? content.data.toString('latin1', 0, 80) : '';
  const treeId = /^tree ([0-9a-f]{40}(?:[0-9a-f]{24})?)\n/.exec(head)?.[1];
  if (treeId === undefined) throw gitError('GIT_BAD_OUTPUT', `${commit} is not a valid commit`, 'fail');
  return treeId;
};

const readBlob = async (
  objects: ObjectReader,
  blob: { readonly objectId: string; readonly maxBytes: number; readonly symlink: boolean },
  signal: AbortSignal,
): Promise<FileBytes> => {
  const content = await objects.read(blob.objectId, blob.maxBytes, signal);
  if (content.kind === 'missing') throw gitError('GIT_FAILED', `object ${blob.objectId} is missing`, 'retry');
  if (content.kind === 'too_large') return { kind: 'too_large', bytes: content.bytes };
  if (blob.symlink) return { kind: 'symlink', target: content.data.toString('utf8') };
  return { kind: 'bytes', data: content.data };
};

const bytesReader =
  (objects: ObjectReader): Revisions['readBytes'] =>
  async ({ commit, path, maxBytes, objectId }, signal) => {
    const treeId = await readTreeId(objects, commit, signal);
    const entry = await findEntry(objects, { treeId, path }, signal);
    if (entry === null || entry.kind === 'folder') return { kind: 'missing' };
    if (objectId !== undefined && objectId !== entry.objectId) return { kind: 'other' };
    if (entry.kind === 'submodule') return { kind: 'submodule', commit: entry.objectId };
    return readBlob(objects, { objectId: entry.objectId, maxBytes, symlink: entry.kind === 'symlink' }, signal);
  };

const fileReader =
  (readBytes: Revisions['readBytes']): Revisions['readFile'] =>
  async ({ commit, path, maxBytes }, signal) => {
    const content = await readBytes({ commit, path, maxBytes }, signal);
    if (content.kind === 'other') return { kind: 'missing' };
    if (content.kind !== 'bytes') return content;
    const { data } = content;
    const bytes = data.length;
    return isBinaryToGit(data) ? { kind: 'binary', bytes } : { kind: 'text', text: data.toString('utf8'), bytes };
  };

const findMergeBases =
  (git: Git): Revisions['mergeBases'] =>
  async (a, b, signal) => {
    const { exitCode, stdout } = await git.run(['merge-base', '--all', a, b], { answers: [1] }, signal);
    const found = exitCode === 1 ? [] : stdout.toString('latin1').trim().split('\n').filter(Boolean);
    // The cast is safe because git prints full object ids.
    return found.toSorted() as CommitSha[];
  };

export type RevisionsOptions = Pick<RepositoryPlace, 'borrowed'> & {
  /** Similarity in percent from which a diff shows two files as a rename. */
  readonly renameLikeness?: number;
};

export const createRevisions = (git: Git, options: RevisionsOptions = {}): Revisions => {
  const { borrowed = [], renameLikeness = GIT_RENAME_LIKENESS } = options;
  const objects = createObjectReader(git);
  const readBytes = bytesReader(objects);
  const mergeBases = findMergeBases(git);
  const mergeBase: Revisions['mergeBase'] = async (a, b, signal) => (await mergeBases(a, b, signal))[0] ?? null;
  const treeOf: Revisions['treeOf'] = (commit, signal) => readTreeId(objects, commit, signal);
  return {
    repository: { gitPath: git.gitPath, gitDir: git.gitDir, borrowed },
    objects,
    mergeBase,
    mergeBases,
    treeOf,
    exists: async (commit, signal) => (await objects.info(commit, signal))?.type === 'commit',
    isAncestor: async (ancestor, of, signal) => {
      const args = ['merge-base', '--is-ancestor', ancestor, of];
      return (await git.run(args, { answers: [1] }, signal)).exitCode === 0;
    },
    diff: (request, signal) => diffCommits({ git, objects, renameLikeness, mergeBase, treeOf }, request, signal),
    readFile: fileReader(readBytes),
    readBytes,
    readBlobs: (wanted, signal) => readContents(git, wanted, signal),
    listFiles: (commit, caps, signal) => listFiles(git, { commit, ...caps }, signal),
    commits: (range, signal) => readCommits(git, range, signal),
    blame: (request, signal) => blameLines(git, request, signal),
    grep: (search, signal) => grepCommit(git, search, signal),
    close: () => objects.close(),
  };
};
