import { type Attributes, type AttributesFile, parseAttributes } from './attributes.ts';
import { compileGlob, type Glob } from './glob-match.ts';
import type { DiffFile } from './model.ts';
import { classifyName } from './well-known-files.ts';

export type ExclusionKind =
  | 'ignored'
  | 'binary'
  | 'too_large'
  | 'generated'
  | 'vendored'
  | 'lock'
  | 'minified'
  | 'no_diff';

export type Exclusion = {
  readonly file: DiffFile;
  readonly kind: ExclusionKind;
  /** In plain words, for the coverage table. */
  readonly reason: string;
};

export type ExclusionRules = {
  /** Globs with the meaning of `.gitignore`; every one must compile (`compileGlob`), the configuration checks that. */
  readonly ignore: readonly string[];
  /** From the target branch: the change's own edits to them do not count. */
  readonly attributes: readonly AttributesFile[];
  /** Bytes of diff of one file. */
  readonly maxFileBytes: number;
};

export type Sorted = { readonly reviewable: readonly DiffFile[]; readonly excluded: readonly Exclusion[] };

/**
 * Sorts the files of a change into those to review and those not, each of these with its reason. A pattern that does
 * not compile matches nothing: rather review too much.
 */
export const sortFiles = (files: readonly DiffFile[], rules: ExclusionRules): Sorted => {
  const decide = createDecision(rules);
  const reviewable: DiffFile[] = [];
  const excluded: Exclusion[] = [];
  for (const file of files) {
    const why = decide(file);
    if (why === null) reviewable.push(file);
    else excluded.push({ file, ...why });
  }
  return { reviewable, excluded };
};

type Why = { readonly kind: ExclusionKind; readonly reason: string };

const createDecision = (rules: ExclusionRules): ((file: DiffFile) => Why | null) => {
  const attributes = parseAttributes(rules.attributes);
  const ignore = rules.ignore.flatMap((pattern) => {
    const glob = compileGlob(pattern);
    return glob === null ? [] : [{ pattern, glob }];
  });
  return (file) => {
    const told = attributes.lookUp(file.newPath);
    return (
      byPattern(file, ignore) ??
      byAttributes(told) ??
      byBinary(file) ??
      byName(file, told) ??
      bySize(file, rules.maxFileBytes) ??
      byLineLength(file, told)
    );
  };
};

/** A renamed file is ignored only when both names are: moving a file out of an ignored folder is a change to review. */
const byPattern = (file: DiffFile, ignore: readonly { pattern: string; glob: Glob }[]): Why | null => {
  const paths = file.status === 'renamed' ? [file.newPath, file.oldPath] : [file.newPath];
  const hits = paths.map((path) => ignore.find(({ glob }) => glob.covers(path)));
  const [first] = hits;
  if (first === undefined || hits.includes(undefined)) return null;
  return { kind: 'ignored', reason: `ignored by the pattern ${first.pattern}` };
};

const isSet = (told: Attributes, name: string): boolean => {
  const value = told.get(name);
  return value === true || value === 'true';
};

const isUnset = (told: Attributes, name: string): boolean => {
  const value = told.get(name);
  return value === false || value === 'false';
};

const byAttributes = (told: Attributes): Why | null => {
  if (isSet(told, 'linguist-generated')) return because('generated', 'linguist-generated in .gitattributes');
  if (isSet(told, 'linguist-vendored')) return because('vendored', 'linguist-vendored in .gitattributes');
  return told.get('diff') === false ? because('no_diff', '-diff in .gitattributes') : null;
};

const because = (kind: ExclusionKind, reason: string): Why => ({ kind, reason });

const byBinary = (file: DiffFile): Why | null => (file.binary ? because('binary', 'binary file') : null);

const OVERRIDES: Readonly<Record<string, string>> = {
  generated: 'linguist-generated',
  minified: 'linguist-generated',
  lock: 'linguist-generated',
  vendored: 'linguist-vendored',
};

/** The target branch can say that a name misleads: `*.pb.go -linguist-generated`. */
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

const bySize = (file: DiffFile, maxFileBytes: number): Why | null => {
  if (!file.complete) return because('too_large', 'the diff does not hold its content');
  const bytes = bodyBytes(file);
  return bytes > maxFileBytes ? because('too_large', `${bytes} bytes of diff, the limit is ${maxFileBytes}`) : null;
};

const bodyBytes = (file: DiffFile): number => file.hunks.reduce((sum, hunk) => sum + hunk.bodyEnd - hunk.bodyStart, 0);

const CAN_BE_MINIFIED = /\.(?:js|mjs|cjs|css)$/i;
/** Twice what any formatter allows, on average: nobody wrote these lines. */
const MINIFIED_AVERAGE_BYTES = 400;
const MINIFIED_LEAST_BYTES = 2000;

const byLineLength = (file: DiffFile, told: Attributes): Why | null => {
  if (!CAN_BE_MINIFIED.test(file.newPath) || isUnset(told, 'linguist-generated')) return null;
  const bytes = bodyBytes(file);
  const rows = file.hunks.reduce((sum, hunk) => sum + Math.max(hunk.oldLines, hunk.newLines), 0);
  const minified = bytes >= MINIFIED_LEAST_BYTES && bytes / Math.max(rows, 1) > MINIFIED_AVERAGE_BYTES;
  return minified ? because('minified', `lines of ${Math.round(bytes / Math.max(rows, 1))} bytes on average`) : null;
};
