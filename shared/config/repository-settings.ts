/**
 * `.fixpoint.toml` in the target branch: what a project asks for itself. It may only tighten what the operator allows:
 * there is no key for anything else, and of two limits the lower one counts. A key that cannot be used is ignored with a
 * note, a file that cannot be read as a whole; then the operator's settings hold as they are. No note repeats a value.
 */
import { parse, TomlError } from 'smol-toml';
import { z } from 'zod';
import { describeIssue } from './describe-issue.ts';
import { settingPath, spelling, toSnakeCase } from './key-case.ts';
import { SettingsFile } from './schema.ts';
import { keysAt } from './setting-tree.ts';
import { nearestWord } from './suggest.ts';
import { PathPattern } from './values.ts';

export const REPOSITORY_FILE = '.fixpoint.toml';
export const MAX_REPOSITORY_FILE_BYTES = 16 * 1024;

const Patterns = z.array(PathPattern).max(50);

const Limit = z.int().min(1);

const Review = z.object({
  /** Beside the operator's own: a file must lie within both. */
  includePaths: Patterns.default([]),
  excludePaths: Patterns.default([]),
  /** What does not block and weighs less is not said. */
  minSeverity: z.enum(['P1', 'P2', 'P3']).default('P3'),
  /** In which a model writes; a tag such as `de` or `pt-BR`. */
  language: z
    .string()
    .regex(/^[a-z]{2,3}(?:-[A-Za-z0-9]{2,8}){0,2}$/, 'expected a language tag such as "de" or "pt-BR"')
    .nullable()
    .default(null),
  /** One more guideline. */
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
});
export type RepositorySettings = z.output<typeof RepositorySettings>;

export const NO_REPOSITORY_SETTINGS: RepositorySettings = RepositorySettings.parse({});

export type RepositoryReading = {
  readonly settings: RepositorySettings;
  /** For people who read the change request: what is not used as it stands, and why. */
  readonly notes: readonly string[];
};

/** Of a file that is not used at all. `why` goes on behind the file's name. */
export const withoutRepositorySettings = (why: string): RepositoryReading => ({
  settings: NO_REPOSITORY_SETTINGS,
  notes: [`\`${REPOSITORY_FILE}\` ${why}; none of it is used`],
});

const SECTIONS: Readonly<Record<string, z.ZodObject>> = { review: Review, rounds: Rounds, limits: Limits };

const MAX_NOTES = 20;

/** @param text at most `MAX_REPOSITORY_FILE_BYTES`; that no secret stands in it has been looked at. */
export const parseRepositorySettings = (text: string): RepositoryReading => {
  const document = parseToml(text);
  if ('problem' in document) return withoutRepositorySettings(document.problem);
  const taken: Record<string, Record<string, unknown>> = {};
  const notes: Note[] = [];
  for (const [name, table] of Object.entries(document.value)) {
    const section = Object.hasOwn(SECTIONS, name) ? SECTIONS[name] : undefined;
    if (section === undefined) notes.push(() => noteOfUnknown([name]));
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

/** The parser's own message quotes the line, which may hold anything: only the place is kept. */
const parseToml = (
  text: string,
): { readonly value: Readonly<Record<string, unknown>> } | { readonly problem: string } => {
  try {
    return { value: parse(text) };
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    return { problem: `is not valid TOML at line ${error.line}, column ${error.column}` };
  }
};

/** Put into words only when it is shown: a file can hold thousands. */
type Note = () => string;

type Section = { readonly values: Record<string, unknown>; readonly notes: readonly Note[] };

/** Key by key, so that one mistake costs one key. No deeper level is walked: nesting has no depth that could hurt. */
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

/** Operators' keys are told apart from slips of the pen. */
const noteOfUnknown = (path: readonly string[], known: readonly string[] = Object.keys(SECTIONS)): string => {
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
