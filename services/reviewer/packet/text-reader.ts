/** Reads both sides of a change in the same way for the rules, the secret scan, the prompt and quotes. */
import type { Diff, DiffFile } from '../../../shared/diff/model.ts';
import type { TextReading } from '../../../shared/diff/read-text.ts';
import type { CommitSha } from '../../../shared/vocabulary/ids.ts';
import { readSource } from '../../../shared/rules/read-source.ts';
import { BIG_FILE_BYTES } from '../../../shared/workspace/git/git.ts';
import type { FileBytes, Revisions } from '../../../shared/workspace/git/revisions.ts';

export type SideReading =
  | TextReading
  | { readonly kind: 'missing' }
  | { readonly kind: 'too_large'; readonly bytes: number };

export type TextReader = {
  readonly head: (path: string) => Promise<SideReading>;
  /** Reads a file of the base. If the histories are unrelated, every file is missing. */
  readonly base: (path: string) => Promise<SideReading>;
  readonly judge: (path: string, data: Buffer) => TextReading;
  /** Raw bytes of a file. */
  readonly bytes: (side: Side, path: string, maxBytes: number) => Promise<BytesReading>;
};

type Side = 'head' | 'base';

export type BytesReading =
  | Extract<FileBytes, { readonly kind: 'bytes' | 'too_large' | 'missing' }>
  | { readonly kind: 'undecodable'; readonly reason: string };

type Commits = { readonly head: CommitSha; readonly base: CommitSha | null };

/** Git does not compare larger files line by line. The configured limits are for diffs and do not apply here. */
const MAX_BYTES = BIG_FILE_BYTES;

export const readSide = async (
  revisions: Pick<Revisions, 'readBytes'>,
  { commit, path }: { readonly commit: CommitSha; readonly path: string },
  signal: AbortSignal,
): Promise<SideReading> =>
  asSide(path, asReading(await revisions.readBytes({ commit, path, maxBytes: MAX_BYTES }, signal)));

const asSide = (path: string, content: BytesReading): SideReading =>
  content.kind === 'bytes' ? readSource(path, content.data) : content;

const asReading = (content: FileBytes): BytesReading => {
  if (content.kind === 'other') return { kind: 'undecodable', reason: TWIN };
  return content.kind === 'symlink' || content.kind === 'submodule' ? { kind: 'missing' } : content;
};

const TWIN = 'another file has the same name, so its content cannot be looked up by its name';
const NO_UTF8 = 'its name is not valid UTF-8, so its content cannot be looked up by its name';

/** Which object a path of the diff must lead to. Null: the diff does not say, because the content did not change. */
type Expected =
  | { readonly kind: 'object'; readonly id: string | null }
  | { readonly kind: 'unreadable'; readonly reason: string };

const expectedAt = (path: string, raw: string, id: string | null): Expected =>
  Buffer.from(path, 'utf8').toString('latin1') === raw
    ? { kind: 'object', id }
    : { kind: 'unreadable', reason: NO_UTF8 };

const expectedIn = (files: readonly DiffFile[], side: Side): ReadonlyMap<string, Expected> => {
  const expected = new Map<string, Expected>();
  for (const { status, newPath, newPathRaw, newBlob, oldPath, oldPathRaw, oldBlob } of files) {
    if (status === (side === 'head' ? 'deleted' : 'added')) continue;
    const [path, one] =
      side === 'head'
        ? [newPath, expectedAt(newPath, newPathRaw, newBlob)]
        : [oldPath, expectedAt(oldPath, oldPathRaw, oldBlob)];
    expected.set(path, expected.has(path) ? { kind: 'unreadable', reason: TWIN } : one);
  }
  return expected;
};

/**
 * Reads the files of the change, and other files of both commits. A path of the diff is decoded, so two names can become
 * one path, and a crafted tree can have a name twice: a file of the diff is read only if its path leads to the diff's own
 * object.
 */
export const createTextReader = (
  revisions: Pick<Revisions, 'readBytes'>,
  { commits, diff }: { readonly commits: Commits; readonly diff: Diff },
  signal: AbortSignal,
): TextReader => {
  const expected = { head: expectedIn(diff.files, 'head'), base: expectedIn(diff.files, 'base') };
  const read = async (side: Side, path: string, maxBytes: number): Promise<BytesReading> => {
    const commit = commits[side];
    if (commit === null) return { kind: 'missing' };
    const wanted = expected[side].get(path);
    if (wanted?.kind === 'unreadable') return { kind: 'undecodable', reason: wanted.reason };
    const id = wanted?.id ?? null;
    const at = { commit, path, maxBytes, ...(id === null ? {} : { objectId: id }) };
    return asReading(await revisions.readBytes(at, signal));
  };
  return {
    head: async (path) => asSide(path, await read('head', path, MAX_BYTES)),
    base: async (path) => asSide(path, await read('base', path, MAX_BYTES)),
    judge: readSource,
    bytes: read,
  };
};

export const textOf = (reading: SideReading): string | null => (reading.kind === 'text' ? reading.text : null);
