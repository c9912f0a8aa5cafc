import { type GlobNode, parseGlob } from './glob-parse.ts';

/**
 * Glob patterns over `/`-separated paths, as in `.gitignore`: `*` and `?` match within a folder, `**` in place of a folder
 * name matches across folders, `[a-z]` and `[!a-z]` match one character, and a backslash escapes the next character. In
 * addition, `{a,b}` matches either part and may be nested. A pattern without a slash (other than a final one) matches at
 * any depth.
 * The pattern is compiled to an NFA that reads the path once, so the time is at most the length of the pattern times the
 * length of the path.
 */
export type Glob = {
  /** True if the path itself matches. Always false for a pattern that ends in a slash, which matches only folders. */
  readonly matches: (path: string) => boolean;
  /** True if the path or a folder above it matches, as for an ignore pattern. */
  readonly covers: (path: string) => boolean;
};

export type GlobOptions = {
  /** Default: true. A `.gitattributes` pattern has no braces. */
  readonly braces?: boolean;
};

const MAX_PATTERN_LENGTH = 1024;

/** Returns null if the pattern is empty or too long, or has an unclosed bracket or brace. */
export const compileGlob = (pattern: string, options: GlobOptions = {}): Glob | null => {
  if (pattern.length > MAX_PATTERN_LENGTH) return null;
  const folderOnly = pattern.endsWith('/');
  const body = folderOnly ? pattern.slice(0, -1) : pattern;
  const rooted = body.startsWith('/') ? body.slice(1) : body;
  if (rooted === '') return null;
  const nodes = parseGlob(rooted, options.braces ?? true);
  if (nodes === null) return null;
  const program = compile(body.includes('/') ? nodes : [{ kind: 'folders' }, ...nodes]);
  return {
    matches: (path) => !folderOnly && run(program, path).atEnd,
    covers: (path) => {
      const { atEnd, atFolder } = run(program, path);
      return atFolder || (atEnd && !folderOnly);
    },
  };
};

/** A state of the NFA: a character that passes `test` leads to `next`; the states in `free` are reached without a character. */
type Step = {
  readonly test: ((character: string) => boolean) | null;
  readonly next: readonly number[];
  readonly free: readonly number[];
};

type Program = { readonly steps: readonly Step[]; readonly start: number };

const ACCEPT = 0;

const compile = (nodes: readonly GlobNode[]): Program => {
  const steps: Step[] = [{ test: null, next: [], free: [] }];
  return { start: compileSequence(steps, nodes, ACCEPT), steps };
};

/** The pattern is compiled from its end, because each part needs the state after it. Returns the first state. */
const compileSequence = (steps: Step[], nodes: readonly GlobNode[], behind: number): number =>
  nodes.reduceRight((next, node) => compileNode(steps, node, next), behind);

const compileNode = (steps: Step[], node: GlobNode, behind: number): number => {
  switch (node.kind) {
    case 'one':
      return steps.push({ test: node.test, next: [behind], free: [] }) - 1;
    case 'many': {
      const test = node.crosses ? () => true : (one: string) => one !== '/';
      return steps.push({ test, next: [steps.length], free: [behind] }) - 1;
    }
    case 'folders':
      return compileFolders(steps, behind);
    case 'choice': {
      const free = node.options.map((option) => compileSequence(steps, option, behind));
      return steps.push({ test: null, next: [], free }) - 1;
    }
    default:
      return node satisfies never;
  }
};

/**
 * `entry` leads to `behind` or to the beginning of a folder name. `name` reads the characters of the name, and `slash`
 * returns to `entry`.
 */
const compileFolders = (steps: Step[], behind: number): number => {
  const [entry, name, slash] = [steps.length, steps.length + 1, steps.length + 2];
  steps.push({ test: null, next: [], free: [behind, name] });
  steps.push({ test: (one) => one !== '/', next: [name, slash], free: [] });
  steps.push({ test: (one) => one === '/', next: [entry], free: [] });
  return entry;
};

type Outcome = { readonly atEnd: boolean; readonly atFolder: boolean };

const run = ({ steps, start }: Program, path: string): Outcome => {
  let states = close(steps, [start]);
  let atFolder = false;
  for (const character of path) {
    atFolder ||= character === '/' && states.has(ACCEPT);
    const moved: number[] = [];
    for (const state of states) {
      const step = steps[state];
      if (step?.test?.(character) === true) moved.push(...step.next);
    }
    if (moved.length === 0) return { atEnd: false, atFolder };
    states = close(steps, moved);
  }
  return { atEnd: states.has(ACCEPT), atFolder };
};

/** Adds all states that can be reached without a character. */
const close = (steps: readonly Step[], from: readonly number[]): ReadonlySet<number> => {
  const states = new Set(from);
  // A `for` loop over a Set also visits elements that are added during the loop.
  for (const state of states) for (const free of steps[state]?.free ?? []) states.add(free);
  return states;
};
