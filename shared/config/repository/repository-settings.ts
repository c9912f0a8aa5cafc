/**
 * `.fixpoint.toml` in the target branch has settings of a project. They can only restrict what the operator allows: no
 * other keys exist, and the lower of two limits applies. The exception is `[[ignore]]`, which can silence findings as
 * far as the operator allows. An invalid key or file is ignored with a note; the operator's settings then apply
 * unchanged. Notes never quote values.
 */
import { parse, TomlError } from 'smol-toml';
import { z } from 'zod';
import { describeIssue } from '../describe-issue.ts';
import { IgnoreEntry, readIgnores } from './ignore-entries.ts';
import { settingPath, spelling, toSnakeCase } from '../text/key-case.ts';
import { SettingsFile } from '../schema.ts';
import { keysAt } from '../text/setting-tree.ts';
import { nearestWord } from '../text/suggest.ts';
import { describeTomlError } from '../text/toml-error.ts';
import { PathPattern } from '../values.ts';

export const REPOSITORY_FILE = '.fixpoint.toml';
export const MAX_REPOSITORY_FILE_BYTES = 16 * 1024;

const Patterns = z.array(PathPattern).max(50);

const Limit = z.int().min(1);

const Review = z.object({
  /** Patterns in addition to the operator's: a file must match both lists. */
  includePaths: Patterns.default([]),
  excludePaths: Patterns.default([]),
  /** Non-blocking findings below this severity are not posted. */
  minSeverity: z.enum(['P1', 'P2', 'P3']).default('P3'),
  /** Language in which the model writes, as a tag such as `de` or `pt-BR`. */
  language: z
    .string()
    .regex(/^[a-z]{2,3}(?:-[A-Za-z0-9]{2,8}){0,2}$/, 'expected a language tag such as "de" or "pt-BR"')
    .nullable()
    .default(null),
  /** Text that is added to the guidelines of the review. */
  instructions: z
    .string()
    .regex(/^(?:[^\p{Cc}]|[\t\r\n])*$/u, 'expected text without control characters')
    .max(8000)
    .default(''),
});
const Rounds = z.object({ max: Limit.nullable().default(null) });
const Limits = z.object({
  maxFiles: Limit.nullable().default(null),
  maxDiffBytes: Limit.nullable().default(null),
  maxFileBytes: Limit.nullable().default(null),
});

export const RepositorySettings = z.object({
  review: Review.prefault({}),
  rounds: Rounds.prefault({}),
  limits: Limits.prefault({}),
  ignore: z.array(IgnoreEntry).default([]),
});
export type RepositorySettings = z.output<typeof RepositorySettings>;

export const NO_REPOSITORY_SETTINGS: RepositorySettings = RepositorySettings.parse({});

export type RepositoryReading = {
  readonly settings: RepositorySettings;
  /** Notes on the change request that say which settings are ignored, and why. */
  readonly notes: readonly string[];
};

/** The result for a file that is ignored completely. `why` is worded to follow the file name in the note. */
export const withoutRepositorySettings = (why: string): RepositoryReading => ({
  settings: NO_REPOSITORY_SETTINGS,
  notes: [`\`${REPOSITORY_FILE}\` ${why}; none of it is used`],
});

const SECTIONS: Readonly<Record<string, z.ZodObject>> = { review: Review, rounds: Rounds, limits: Limits };

const MAX_NOTES = 20;

/** @param text has at most `MAX_REPOSITORY_FILE_BYTES`. Contract: the caller has checked it for secrets. */
export const parseRepositorySettings = (text: string): RepositoryReading => {
  const document = parseToml(text);
  if ('problem' in document) return withoutRepositorySettings(document.problem);
  const taken: Record<string, unknown> = {};
  const notes: Note[] = [];
  for (const [name, table] of Object.entries(document.value)) {
    const section = Object.hasOwn(SECTIONS, name) ? SECTIONS[name] : undefined;
    if (name === 'ignore') {
      const read = readIgnores(table);
      taken[name] = read.entries;
      notes.push(...read.notes);
    } else if (section === undefined) notes.push(() => noteOfUnknown([name]));
    else if (!isTable(table)) notes.push(() => `\`${name}\` is not a table`);
    else {
      const read = readSection(name, section, table);
      taken[name] = read.values;
      notes.push(...read.notes);
    }
  }
  return { settings: RepositorySettings.parse(taken), notes: cutNotes(notes) };
};

const isTable = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date);

const parseToml = (
  text: string,
): { readonly value: Readonly<Record<string, unknown>> } | { readonly problem: string } => {
  try {
    return { value: parse(text) };
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    return { problem: `has an error at ${describeTomlError(error)}` };
  }
};

/** A note is rendered only when it is shown, because a file can cause thousands of notes. */
type Note = () => string;

type Section = { readonly values: Record<string, unknown>; readonly notes: readonly Note[] };

/** Keys are parsed one by one, so that an invalid key does not affect others. There is no recursion, so deep nesting is harmless. */
const readSection = (name: string, section: z.ZodObject, table: Readonly<Record<string, unknown>>): Section => {
  const keys = new Map(Object.keys(section.shape).map((key) => [toSnakeCase(key), key]));
  const values: Record<string, unknown> = {};
  const notes: Note[] = [];
  for (const [spelt, value] of Object.entries(table)) {
    const key = keys.get(spelt);
    const shape = key === undefined ? undefined : section.shape[key];
    if (key === undefined || shape === undefined) {
      notes.push(() => noteOfUnknown([name, spelt], [...keys.keys()]));
      continue;
    }
    const parsed = z.safeParse(shape, value);
    if (parsed.success) values[key] = parsed.data;
    else notes.push(() => noteOfMistake([name, key], parsed.error));
  }
  return { values, notes };
};

const noteOfMistake = (path: readonly string[], { issues }: z.core.$ZodError): string => {
  const [first] = issues.slice(0, 1).flatMap((issue) => describeIssue({ ...issue, path: [...path, ...issue.path] }));
  return `\`${settingPath(path)}\` is ignored (${first ?? 'it has an unexpected form'})`;
};

const noteOfUnknown = (
  path: readonly string[],
  known: readonly string[] = [...Object.keys(SECTIONS), 'ignore'],
): string => {
  const where = path.map(spelling).join('.');
  const last = spelling(path.at(-1) ?? '');
  if (keysAt(SettingsFile, path.slice(0, -1)).includes(last))
    return `\`${where}\` is ignored: only the operator can set it`;
  const nearest = nearestWord(last, known);
  return `\`${where}\` is not a setting${nearest === null ? '' : `; did you mean \`${nearest}\`?`}`;
};

const cutNotes = (notes: readonly Note[]): readonly string[] => {
  const shown = notes.slice(0, MAX_NOTES).map((note) => `\`${REPOSITORY_FILE}\`: ${note()}`);
  return notes.length > shown.length
    ? [...shown, `\`${REPOSITORY_FILE}\`: ${notes.length - shown.length} more`]
    : shown;
};
