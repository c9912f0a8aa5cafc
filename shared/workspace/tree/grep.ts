import { printablePath } from './paths.ts';
import type { Tree } from './tree.ts';
import { visibleLine } from './visible.ts';

export type GrepRequest = {
  /** A regular expression in ripgrep's linear syntax (no look-around, no back-references), or text when `fixed`. */
  readonly pattern: string;
  readonly fixed?: boolean;
  readonly ignoreCase?: boolean;
  /** A folder or file to look in; the whole workspace without it. */
  readonly path?: string;
  readonly maxMatches?: number;
};

export type GrepMatch = { readonly path: string; readonly line: number; readonly text: string };

export type GrepResult =
  | {
      readonly kind: 'matches';
      /** Sorted by path and line. */
      readonly matches: readonly GrepMatch[];
      /** Why there may be more; null when this is all. */
      readonly notice: string | null;
    }
  | { readonly kind: 'refused'; readonly reason: string };

export const MAX_MATCHES = 500;
const MAX_PATTERN_CHARACTERS = 1000;
const MAX_LINE_CHARACTERS = 400;
const MAX_OUTPUT_BYTES = 4 * 1024 * 1024;

const whyPatternIsRefused = (pattern: string): string | null => {
  if (pattern === '') return 'an empty pattern';
  if (pattern.length > MAX_PATTERN_CHARACTERS) return 'too complex: a pattern that is too long';
  return /[\n\r\0]/.test(pattern) ? 'a pattern of more than one line' : null;
};

/**
 * `path NUL line : text`. Paths with a line break are not searched (`ripgrep.ts`), so that what precedes the last break
 * can only be ripgrep's remark about a binary file.
 */
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

const firstLine = (text: string): string => visibleLine(text.split('\n').find((line) => line.trim() !== '') ?? '', 200);

const argumentsOf = (request: GrepRequest, target: string, limit: number): readonly string[] => [
  '--no-heading',
  // A source with a NUL is searched like any other; what is really binary is left out where lines are shown.
  '--text',
  '--with-filename',
  '--line-number',
  '--null',
  // One more than is given, so that a cut inside one file is noticed.
  `--max-count=${limit + 1}`,
  `--max-columns=${MAX_LINE_CHARACTERS * 4}`,
  '--max-columns-preview',
  ...(request.fixed === true ? ['--fixed-strings'] : []),
  ...(request.ignoreCase === true ? ['--ignore-case'] : []),
  `--regexp=${request.pattern}`,
  '--',
  target,
];

/** Searches the files of the workspace up to 5 MiB each, the cap of a checkout. Every refusal is a value; what is cut is said. */
export const grep = async (tree: Tree, request: GrepRequest, signal: AbortSignal): Promise<GrepResult> => {
  const reason = whyPatternIsRefused(request.pattern);
  if (reason !== null) return { kind: 'refused', reason };
  const inside = await tree.locate(request.path ?? '', signal);
  if (inside.kind === 'refused') return inside;
  // Ripgrep opens what it is named, and a pipe would hold it until its time is over; below a folder it passes those over.
  if (inside.entry === 'other') return { kind: 'refused', reason: 'not a regular file' };
  const limit = Math.min(request.maxMatches ?? MAX_MATCHES, MAX_MATCHES);
  const target = inside.path === '' ? './' : `./${inside.path}`;
  const search = { args: argumentsOf(request, target, limit), maxBytes: MAX_OUTPUT_BYTES };
  const result = await tree.ripgrep('', search, signal);
  const { matches, more } = collect(result.stdout.toString('utf8'), limit);
  // Ripgrep answers 2 for a bad pattern, and also for a file that it could not read: then there may be matches.
  if (result.exitCode === 2 && matches.length === 0) {
    return { kind: 'refused', reason: `the pattern is invalid: ${firstLine(result.stderr)}` };
  }
  if (result.timedOut) return { kind: 'matches', matches, notice: 'the search took too long and was stopped' };
  const notice = more || result.truncated ? `cut after ${matches.length} matches; narrow the search` : null;
  return { kind: 'matches', matches, notice };
};
