/** Reads both sides of a change in the same way for the rules, the secret scan, the prompt and quotes. */
import type { TextReading } from '../../../shared/diff/read-text.ts';
import type { CommitSha } from '../../../shared/vocabulary/ids.ts';
import { readSource } from '../../../shared/rules/read-source.ts';
import { BIG_FILE_BYTES } from '../../../shared/workspace/git/git.ts';
import type { Revisions } from '../../../shared/workspace/git/revisions.ts';

export type SideReading =
  | TextReading
  | { readonly kind: 'missing' }
  | { readonly kind: 'too_large'; readonly bytes: number };

export type TextReader = {
  readonly head: (path: string) => Promise<SideReading>;
  /** Reads a file of the base. If the histories are unrelated, every file is missing. */
  readonly base: (path: string) => Promise<SideReading>;
  readonly judge: (path: string, data: Buffer) => TextReading;
  /** Raw bytes of a file; null if the path is not a file or the file is larger than `maxBytes`. */
  readonly bytes: (side: 'head' | 'base', path: string, maxBytes: number) => Promise<Buffer | null>;
};

type Commits = { readonly head: CommitSha; readonly base: CommitSha | null };

/** Git does not compare larger files line by line. The configured limits are for diffs and do not apply here. */
const MAX_BYTES = BIG_FILE_BYTES;

export const readSide = async (
  revisions: Pick<Revisions, 'readBytes'>,
  { commit, path }: { readonly commit: CommitSha; readonly path: string },
  signal: AbortSignal,
): Promise<SideReading> => {
  const content = await revisions.readBytes({ commit, path, maxBytes: MAX_BYTES }, signal);
  if (content.kind === 'bytes') return readSource(path, content.data);
  return content.kind === 'too_large' ? content : { kind: 'missing' };
};

export const createTextReader = (revisions: Revisions, commits: Commits, signal: AbortSignal): TextReader => {
  const side = async (commit: CommitSha | null, path: string): Promise<SideReading> =>
    commit === null ? { kind: 'missing' } : readSide(revisions, { commit, path }, signal);
  return {
    head: async (path) => side(commits.head, path),
    base: async (path) => side(commits.base, path),
    judge: readSource,
    bytes: async (which, path, maxBytes) => {
      const commit = commits[which];
      if (commit === null) return null;
      const content = await revisions.readBytes({ commit, path, maxBytes }, signal);
      return content.kind === 'bytes' ? content.data : null;
    },
  };
};

export const textOf = (reading: SideReading): string | null => (reading.kind === 'text' ? reading.text : null);
