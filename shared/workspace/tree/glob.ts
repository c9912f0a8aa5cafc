import { absentNotice, joinNotices } from './absent-files.ts';
import { printablePath } from './paths.ts';
import type { Tree } from './tree.ts';

export type GlobRequest = {
  /**
   * Supports `*` within a name, `**` across folders, `?`, `[a-z]`, `{a,b}`. A pattern without a slash matches names at any
   * depth; a pattern with a slash matches the whole path.
   */
  readonly pattern: string;
  /** Folder to search. Default: the whole workspace. */
  readonly path?: string;
  readonly maxFiles?: number;
};

export type GlobResult =
  | {
      readonly kind: 'files';
      /** Paths relative to the root of the workspace, sorted. */
      readonly files: readonly string[];
      /** Why there may be more files; null when the list is complete. */
      readonly notice: string | null;
    }
  | { readonly kind: 'refused'; readonly reason: string };

export const MAX_GLOB_FILES = 1000;
const MAX_PATTERN_CHARACTERS = 200;
const MAX_ALTERNATIVES = 32;
const MAX_WILDCARDS = 24;
const MAX_OUTPUT_BYTES = 8 * 1024 * 1024;

const count = (text: string, what: RegExp): number => (text.match(what) ?? []).length;

/**
 * Matching takes time linear in the length of the path, but the size of the compiled pattern grows with the number of
 * wildcards and alternatives.
 */
export const whyPatternIsRefused = (pattern: string): string | null => {
  if (pattern === '') return 'an empty pattern';
  if (/\p{Cc}/u.test(pattern)) return 'a control character';
  if (/^[!/]|(?:^|\/)\.\.(?:\/|$)/.test(pattern)) return 'outside the workspace';
  if (pattern.length > MAX_PATTERN_CHARACTERS) return 'too complex: a pattern that is too long';
  if (count(pattern, /,/g) > MAX_ALTERNATIVES) return 'too complex: too many alternatives';
  if (count(pattern, /\{/g) > 8) return 'too complex: too many groups';
  return count(pattern, /\*\*\/|[*?]/g) > MAX_WILDCARDS ? 'too complex: too many wildcards' : null;
};

/** Rewrites patterns that begin with `./` or end with `/`, because ripgrep would match nothing. */
export const asRipgrep = (pattern: string): string => {
  const plain = pattern.replace(/^(?:\.\/)+/, pattern.replace(/^(?:\.\/)+/, '').includes('/') ? '' : '/');
  return plain.endsWith('/') ? `${plain}**` : plain;
};

/** Lists files by a pattern for their path. Refusals are returned as values. A truncated result has a notice. */
export const glob = async (tree: Tree, request: GlobRequest, signal: AbortSignal): Promise<GlobResult> => {
  const reason = whyPatternIsRefused(request.pattern);
  if (reason !== null) return { kind: 'refused', reason };
  const inside = await tree.locate(request.path ?? '', signal);
  if (inside.kind === 'refused') return inside;
  if (inside.entry !== 'folder') return { kind: 'refused', reason: 'not a folder' };
  const args = ['--files', '--null', `--glob=${asRipgrep(request.pattern)}`, '--', './'];
  const result = await tree.ripgrep(inside.path, { args, maxBytes: MAX_OUTPUT_BYTES }, signal);
  const names = result.stdout.toString('utf8').split('\0').slice(0, -1);
  if (result.exitCode === 2 && names.length === 0) return { kind: 'refused', reason: 'the pattern is invalid' };
  const limit = request.maxFiles ?? MAX_GLOB_FILES;
  const prefix = inside.path === '' ? '' : `${inside.path}/`;
  const files = names.slice(0, limit).map((name) => printablePath(`${prefix}${name.replace(/^\.\//, '')}`));
  const isCut = result.truncated || names.length > limit;
  const cut = isCut ? `cut after ${files.length} files; narrow the pattern` : null;
  const ended = result.timedOut ? 'the search took too long and was stopped' : cut;
  const absent = absentNotice(tree.absent, { folder: inside.path, inText: false });
  return { kind: 'files', files, notice: joinNotices(ended, absent) };
};
