import { type Attributes, type AttributesFile, parseAttributes } from './attributes.ts';
import { compileGlob, type Glob } from './glob-match.ts';
import { eachRow } from '../hunk-lines.ts';
import type { DiffFile } from '../model.ts';
import { classifyName } from './well-known-files.ts';

/** Why a file is left out of a review. The review is still complete without it. */
export type ExclusionKind = 'ignored' | 'binary' | 'generated' | 'vendored' | 'lock' | 'minified';

export type Exclusion = {
  readonly file: DiffFile;
  readonly kind: ExclusionKind;
  readonly reason: string;
};

export type ExclusionRules = {
  /** The operator's globs, as in `.gitignore`. Contract: every glob compiles; the configuration checks this. */
  readonly ignore: readonly string[];
  /**
   * Attributes from the target branch. An attribute can exempt a file from an exclusion by name (`*.pb.go
   * -linguist-generated`) but never exclude a file, because a repository must not decide which of its files are reviewed.
   */
  readonly attributes: readonly AttributesFile[];
  /** Maximum bytes of diff per file. */
  readonly maxFileBytes: number;
};

export type Sorted = {
  readonly reviewable: readonly DiffFile[];
  readonly excluded: readonly Exclusion[];
  /** Files that should be reviewed but are too large; they make the review incomplete. */
  readonly oversized: readonly { readonly file: DiffFile; readonly reason: string }[];
};

/** Names and binary content are checked before sizes. A pattern that does not compile matches nothing, so its files are reviewed. */
export const sortFiles = (files: readonly DiffFile[], rules: ExclusionRules): Sorted => {
  const decide = createDecision(rules);
  const reviewable: DiffFile[] = [];
  const excluded: Exclusion[] = [];
  const oversized: { file: DiffFile; reason: string }[] = [];
  for (const file of files) {
    const why = decide(file);
    const size = why === null ? (bySize(file, rules.maxFileBytes) ?? byLineLength(file)) : null;
    if (why !== null) excluded.push({ file, ...why });
    else if (size !== null) oversized.push({ file, reason: size });
    else reviewable.push(file);
  }
  return { reviewable, excluded, oversized };
};

type Why = { readonly kind: ExclusionKind; readonly reason: string };

const createDecision = (rules: ExclusionRules): ((file: DiffFile) => Why | null) => {
  const attributes = parseAttributes(rules.attributes);
  const ignore = rules.ignore.flatMap((pattern) => {
    const glob = compileGlob(pattern);
    return glob === null ? [] : [{ pattern, glob }];
  });
  return (file) => byPattern(file, ignore) ?? byName(file, attributes.lookUp(file.newPath)) ?? byBinary(file);
};

/** A renamed file is ignored only if both names are ignored: moving a file out of an ignored folder needs a review. */
const byPattern = (file: DiffFile, ignore: readonly { pattern: string; glob: Glob }[]): Why | null => {
  const paths = file.status === 'renamed' ? [file.newPath, file.oldPath] : [file.newPath];
  const hits = paths.map((path) => ignore.find(({ glob }) => glob.covers(path)));
  const [first] = hits;
  if (first === undefined || hits.includes(undefined)) return null;
  return { kind: 'ignored', reason: `ignored by the pattern ${first.pattern}` };
};

const isUnset = (told: Attributes, name: string): boolean => {
  const value = told.get(name);
  return value === false || value === 'false';
};

const because = (kind: ExclusionKind, reason: string): Why => ({ kind, reason });

const byBinary = (file: DiffFile): Why | null => (file.binary ? because('binary', 'binary file') : null);

const OVERRIDES: Readonly<Record<string, string>> = {
  generated: 'linguist-generated',
  minified: 'linguist-generated',
  lock: 'linguist-generated',
  vendored: 'linguist-vendored',
};

const byName = (file: DiffFile, told: Attributes): Why | null => {
  const kind = classifyName(file.newPath);
  if (kind === null || isUnset(told, OVERRIDES[kind] ?? '')) return null;
  if (file.status === 'renamed' && classifyName(file.oldPath) === null) return null;
  return because(kind, NAME_REASONS[kind]);
};

const NAME_REASONS = {
  lock: 'lock file by its name',
  generated: 'generated file by its name',
  minified: 'minified file by its name',
  vendored: 'vendored file by its folder',
} as const;

const bySize = (file: DiffFile, maxFileBytes: number): string | null => {
  if (!file.complete) return 'the diff does not contain the content of the file';
  const bytes = bodyBytes(file);
  return bytes > maxFileBytes ? `too large: ${bytes} bytes of diff, the limit is ${maxFileBytes}` : null;
};

const bodyBytes = (file: DiffFile): number => file.hunks.reduce((sum, hunk) => sum + hunk.bodyEnd - hunk.bodyStart, 0);

const CAN_BE_MINIFIED = /\.(?:js|mjs|cjs|css)$/i;
/** Twice the longest line that any formatter allows. */
const LONG_LINE_BYTES = 400;
const MINIFIED_LEAST_BYTES = 2000;

const COMMENT_ROW = /^[ +-]\s*(?:\/?\*|\/\/|$)/;

/**
 * A file counts as minified only if most of its lines are long; a single long line is not enough. Comments and blank lines,
 * such as the licence above minified code, do not count.
 */
const byLineLength = (file: DiffFile): string | null => {
  if (!CAN_BE_MINIFIED.test(file.newPath) || bodyBytes(file) < MINIFIED_LEAST_BYTES) return null;
  let rows = 0;
  let long = 0;
  for (const hunk of file.hunks)
    eachRow(hunk, (start, end) => {
      const isLong = end - start > LONG_LINE_BYTES;
      if (!isLong && COMMENT_ROW.test(hunk.source.toString('latin1', start, end))) return;
      rows += 1;
      if (isLong) long += 1;
    });
  return long * 2 > rows ? `minified: ${long} of its ${rows} lines are longer than ${LONG_LINE_BYTES} bytes` : null;
};
