/** Sources of settings, by precedence: flags, the project's `.fixpoint/loop.toml`, `~/.config/fixpoint/loop.toml`, defaults. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, TomlError } from 'smol-toml';
import type { z } from 'zod';
import { nearestWord } from '../../../shared/config/text/suggest.ts';
import { describeTomlError } from '../../../shared/config/text/toml-error.ts';
import { LoopError } from './errors.ts';
import { LoopSettingsPart, type LoopSettings, mergeSettings } from './settings.ts';

export type SettingsSources = {
  readonly flags: Readonly<Record<string, unknown>>;
  readonly project: string;
  /** The folder `XDG_CONFIG_HOME`, or `~/.config`. */
  readonly configHome: string;
};

type Part = { readonly part: LoopSettingsPart; readonly problems: readonly string[] };

const NOTHING: Part = { part: {}, problems: [] };

const KEYS = Object.keys(LoopSettingsPart.shape);

/** Says where the mistake is and what is expected, but never the value found, because that may be a secret. */
const describe = (issue: z.core.$ZodIssue): readonly string[] => {
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => {
      const nearest = nearestWord(key, KEYS);
      return `${key}: is not a setting${nearest === null ? '' : `; did you mean "${nearest}"?`}`;
    });
  }
  const said = issue.message.replace(/^(?:Invalid input|Too small|Too big): /, '');
  const expected = issue.code === 'invalid_value' ? `expected one of ${issue.values.join(', ')}` : said;
  return [`${issue.path.join('.')}: ${expected}`];
};

const checked = (raw: unknown, source: string): Part => {
  const parsed = LoopSettingsPart.safeParse(raw);
  if (parsed.success) return { part: parsed.data, problems: [] };
  return { part: {}, problems: parsed.error.issues.flatMap(describe).map((problem) => `${source}: ${problem}`) };
};

const isMissing = (cause: unknown): boolean =>
  cause instanceof Error && 'code' in cause && (cause.code === 'ENOENT' || cause.code === 'ENOTDIR');

const readFile = (path: string): Part => {
  try {
    return checked(parse(readFileSync(path, 'utf8')), path);
  } catch (cause) {
    if (isMissing(cause)) return NOTHING;
    if (cause instanceof TomlError) {
      return { part: {}, problems: [`${path}: ${describeTomlError(cause)}`] };
    }
    return { part: {}, problems: [`${path}: cannot be read`] };
  }
};

/** @throws LoopError with every mistake of every source */
export const loadSettings = ({ flags, project, configHome }: SettingsSources): LoopSettings => {
  const given = Object.fromEntries(Object.entries(flags).filter(([, value]) => value !== undefined));
  const sources = [
    readFile(join(configHome, 'fixpoint', 'loop.toml')),
    readFile(join(project, '.fixpoint', 'loop.toml')),
    checked(given, 'command line'),
  ];
  const problems = sources.flatMap((source) => source.problems);
  const merged = mergeSettings(sources.map(({ part }) => part));
  if (merged.ok && problems.length === 0) return merged.settings;
  throw new LoopError('LOOP_SETTINGS', [...problems, ...(merged.ok ? [] : merged.problems)].join('\n'));
};
