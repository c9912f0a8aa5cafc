import { absentNotice, joinNotices } from './absent-files.ts';
import { asRipgrep, whyPatternIsRefused as whyGlobIsRefused } from './glob.ts';
import { printablePath } from './paths.ts';
import type { Tree } from './tree.ts';
import { visibleLine } from './visible.ts';

export type GrepRequest = {
  /** A regular expression in ripgrep's linear syntax (no look-around, no back-references), or literal text if `fixed`. */
  readonly pattern: string;
  readonly fixed?: boolean;
  readonly ignoreCase?: boolean;
  /** Folder or file to search. Default: the whole workspace. */
  readonly path?: string;
  /** Only files that match this pattern: see `GlobRequest`. A file named by `path` is searched in any case. */
  readonly glob?: string;
  readonly maxMatches?: number;
};

export type GrepMatch = { readonly path: string; readonly line: number; readonly text: string };

export type GrepResult =
  | {
      readonly kind: 'matches';
      /** Matches sorted by path and line. */
      readonly matches: readonly GrepMatch[];
      /** Why there may be more matches; null when the list is complete. */
      readonly notice: string | null;
    }
  /** `isPattern`: the pattern is not a valid regular expression. */
  | { readonly kind: 'refused'; readonly reason: string; readonly isPattern?: true };

export const MAX_MATCHES = 500;
const MAX_PATTERN_CHARACTERS = 1000;
const MAX_LINE_CHARACTERS = 400;
const MAX_OUTPUT_BYTES = 4 * 1024 * 1024;

const whyPatternIsRefused = (pattern: string): string | null => {
  if (pattern === '') return 'an empty pattern';
  if (pattern.length > MAX_PATTERN_CHARACTERS) return 'too complex: a pattern that is too long';
  return /[\n\r\0]/.test(pattern) ? 'a pattern of more than one line' : null;
};

/** Parses `path NUL line : text`. Paths have no line break (`ripgrep.ts`), so any other line is a note on a binary file. */
function* parseOutput(output: string): Generator<GrepMatch> {
  let from = 0;
  for (let nul = output.indexOf('\0'); nul !== -1; nul = output.indexOf('\0', from)) {
    NUMBER.lastIndex = nul + 1;
    const [number] = NUMBER.exec(output) ?? [];
    const start = nul + 1 + (number?.length ?? 0);
    const end = number === undefined ? start : output.indexOf('\n', start);
    if (number !== undefined && end === -1) return;
    if (number !== undefined) {
      const path = output.slice(from, nul);
      yield {
        path: printablePath(path.slice(path.lastIndexOf('\n') + 1).replace(/^\.\//, '')),
        line: Number(number.slice(0, -1)),
        text: visibleLine(output.slice(start, end), MAX_LINE_CHARACTERS),
      };
    }
    from = number === undefined ? start : end + 1;
  }
}

const NUMBER = /\d+:/y;

const collect = (output: string, limit: number): { matches: readonly GrepMatch[]; more: boolean } => {
  const matches: GrepMatch[] = [];
  for (const match of parseOutput(output)) {
    if (matches.length >= limit) return { matches, more: true };
    matches.push(match);
  }
  return { matches, more: false };
};

/** ripgrep prints the pattern first and the reason after `error:`. */
const reasonIn = (text: string): string => {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const reason = lines.findLast((line) => line.trim().startsWith('error: ')) ?? lines[0] ?? '';
  return visibleLine(reason.trim().replace(/^error: /, ''), 200);
};

const argumentsOf = (request: GrepRequest, target: string, limit: number): readonly string[] => [
  '--no-heading',
  // Also searches text files that contain a NUL byte. Binary files are filtered out where lines are shown.
  '--text',
  '--with-filename',
  '--line-number',
  '--null',
  // One more than the limit, so that more matches than the limit in one file are detected.
  `--max-count=${limit + 1}`,
  `--max-columns=${MAX_LINE_CHARACTERS * 4}`,
  '--max-columns-preview',
  ...(request.fixed === true ? ['--fixed-strings'] : []),
  ...(request.ignoreCase === true ? ['--ignore-case'] : []),
  // The last glob takes precedence, so the glob of `ripgrep.ts` is repeated here.
  ...(request.glob === undefined ? [] : [`--glob=${asRipgrep(request.glob)}`, '--glob=!*\n*']),
  `--regexp=${request.pattern}`,
  '--',
  target,
];

/** Searches files up to 5 MiB, the size limit of a checkout. Refusals are returned as values. A truncated result has a notice. */
export const grep = async (tree: Tree, request: GrepRequest, signal: AbortSignal): Promise<GrepResult> => {
  const reason =
    whyPatternIsRefused(request.pattern) ?? (request.glob === undefined ? null : whyGlobIsRefused(request.glob));
  if (reason !== null) return { kind: 'refused', reason };
  const inside = await tree.locate(request.path ?? '', signal);
  if (inside.kind === 'refused') return inside;
  // ripgrep opens every file named in its arguments, and a pipe would block it. Inside a folder it skips pipes.
  if (inside.entry === 'other') return { kind: 'refused', reason: 'not a regular file' };
  const limit = Math.min(request.maxMatches ?? MAX_MATCHES, MAX_MATCHES);
  const target = inside.path === '' ? './' : `./${inside.path}`;
  const search = { args: argumentsOf(request, target, limit), maxBytes: MAX_OUTPUT_BYTES };
  const result = await tree.ripgrep('', search, signal);
  const { matches, more } = collect(result.stdout.toString('utf8'), limit);
  // ripgrep exits with 2 for an invalid pattern and for an unreadable file. In the latter case there may be matches.
  if (result.exitCode === 2 && matches.length === 0) {
    return { kind: 'refused', reason: `the pattern is invalid: ${reasonIn(result.stderr)}`, isPattern: true };
  }
  const cut = more || result.truncated ? `cut after ${matches.length} matches; narrow the search` : null;
  const ended = result.timedOut ? 'the search took too long and was stopped' : cut;
  const searched = { folder: inside.path, inText: true };
  const absent = inside.entry === 'file' ? null : absentNotice(tree.absent, searched);
  return { kind: 'matches', matches, notice: joinNotices(ended, absent) };
};
