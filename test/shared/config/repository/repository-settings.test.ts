import { readFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { toSnakeCase } from '../../../../shared/config/text/key-case.ts';
import {
  MAX_REPOSITORY_FILE_BYTES,
  NO_REPOSITORY_SETTINGS,
  RepositorySettings,
  parseRepositorySettings,
} from '../../../../shared/config/repository/repository-settings.ts';
import { propertyRuns } from '../../../support/deep.ts';

/** Would be told if a note repeated a value. */
const CANARY = ['canary', 'value'].join('-');

const notesOf = (text: string): readonly string[] => parseRepositorySettings(text).notes;

describe('the settings of a repository', () => {
  test('are those of its file', () => {
    const text = `
[review]
include_paths = ["src/**", "lib/"]
exclude_paths = ["src/gen/**"]
min_severity = "P2"
language = "pt-BR"
instructions = """
Cents only.
\tNo floats."""

[rounds]
max = 2

[limits]
max_files = 10
max_diff_bytes = 2000
max_file_bytes = 1000
`;
    expect(parseRepositorySettings(text)).toEqual({
      settings: {
        review: {
          includePaths: ['src/**', 'lib/'],
          excludePaths: ['src/gen/**'],
          minSeverity: 'P2',
          language: 'pt-BR',
          instructions: 'Cents only.\n\tNo floats.',
        },
        rounds: { max: 2 },
        limits: { maxFiles: 10, maxDiffBytes: 2000, maxFileBytes: 1000 },
        ignore: [],
      },
      notes: [],
    });
  });

  test('are explained in the guide by an example that is read to the last key', () => {
    const guide = readFileSync(path.join(import.meta.dirname, '../../../../deploy/guide/settings.md'), 'utf8');
    const [, example = ''] =
      /## What a repository decides for itself\n[^]*?```toml [^\n]*\n([^]*?)```/.exec(guide) ?? [];
    const { settings, notes } = parseRepositorySettings(example);
    expect(notes).toEqual([]);
    expect(settings).toMatchObject({ review: { minSeverity: 'P2', language: 'de' }, rounds: { max: 2 } });
    const keys = Object.values(NO_REPOSITORY_SETTINGS).flatMap(Object.keys).map(toSnakeCase);
    for (const key of keys) expect(example).toContain(key);
  });

  test('are none in an empty file', () => {
    expect(parseRepositorySettings('')).toEqual({ settings: NO_REPOSITORY_SETTINGS, notes: [] });
  });

  /** C6: nothing of the operator's can be set, in whatever place it stands. */
  const operators: readonly (readonly [string, string])[] = [
    ['data_dir = "x"', '`data_dir`'],
    ['[sandbox]\nrequired = false', '`sandbox`'],
    ['[[forge]]\nid = "x"\nbase_url = "https://forge.example.org"', '`forge`'],
    ['[agent]\nbase_url = "https://forge.example.org"', '`agent`'],
    ['[author]\nenabled = true\nprotected_paths = []', '`author`'],
    ['[budgets.model]\nrun_usd = 1000', '`budgets`'],
    ['[gate]\nwait_for_ci = false', '`gate`'],
    ['[review]\nrunner = "rules"', '`review.runner`'],
    ['[review]\ndry_run = true', '`review.dry_run`'],
    ['[review]\nforge_verdict = "approve_and_request_changes"', '`review.forge_verdict`'],
    ['[review]\nauthors = ["x"]', '`review.authors`'],
    ['[rounds]\nmax_runs = 50', '`rounds.max_runs`'],
    ['[rounds]\nthread_count = 4', '`rounds.thread_count`'],
    ['[rounds]\nduplicate_threshold = 0', '`rounds.duplicate_threshold`'],
    ['[limits]\nrunning_per_project = 50', '`limits.running_per_project`'],
  ];
  test.each(operators)('C6: leave %j to the operator', (text, where) => {
    const { settings, notes } = parseRepositorySettings(text);
    expect(settings).toEqual(NO_REPOSITORY_SETTINGS);
    expect(notes).toEqual([expect.stringContaining(where)]);
    expect(notes[0]).toMatch(/only the operator can set it$|is not a setting/);
  });

  test('C6: know no key of their own that the operator does not have in the same place, but three', () => {
    const known = notesOf('[review]\nx = 1\n[rounds]\ny = 1\n[limits]\nz = 1');
    expect(known).toHaveLength(3);
    const own = Object.entries(NO_REPOSITORY_SETTINGS).flatMap(([section, keys]) =>
      Object.keys(keys).map((key) => `${section}.${key}`),
    );
    expect(own).toEqual([
      'review.includePaths',
      'review.excludePaths',
      'review.minSeverity',
      'review.language',
      'review.instructions',
      'rounds.max',
      'limits.maxFiles',
      'limits.maxDiffBytes',
      'limits.maxFileBytes',
    ]);
  });

  /** One mistake costs one key, and no note tells what stood there. */
  const mistakes: readonly (readonly [name: string, line: string, note: string])[] = [
    [
      'another severity',
      `min_severity = "${CANARY}"`,
      '`review.min_severity` is ignored (review.min_severity: expected one of "P1", "P2", "P3")',
    ],
    [
      'the severity that nobody may silence',
      'min_severity = "P0"',
      '`review.min_severity` is ignored (review.min_severity: expected one of "P1", "P2", "P3")',
    ],
    ['no language', `language = "${CANARY} and more"`, 'expected a language tag such as "de" or "pt-BR"'],
    [
      'a pattern that is no list',
      `include_paths = "${CANARY}"`,
      '`review.include_paths` is ignored (review.include_paths: expected array',
    ],
    [
      'a path that leaves the tree',
      `exclude_paths = ["ok", "../${CANARY}"]`,
      '`review.exclude_paths` is ignored (review.exclude_paths[1]: expected a pattern relative',
    ],
    ['a path from the root', `exclude_paths = ["/${CANARY}"]`, 'expected a pattern relative to the root'],
    ['an open bracket', `exclude_paths = ["[${CANARY}"]`, 'unclosed bracket'],
    ['a flood of stars', `exclude_paths = ["${'*a'.repeat(9)}"]`, 'expected at most 8 wildcards'],
    ['a long pattern', `exclude_paths = ["${'a'.repeat(201)}"]`, 'expected a path pattern of 1 to 200 characters'],
    ['many patterns', `exclude_paths = [${'"a",'.repeat(51)}]`, 'expected array to have <=50 items'],
    ['long instructions', `instructions = "${'x'.repeat(8001)}"`, 'expected string to have <=8000 characters'],
    ['a control character', `instructions = "${CANARY}\\u0007"`, 'expected text without control characters'],
    [
      'a slip of the pen',
      `includepaths = ["${CANARY}"]`,
      '`review.includepaths` is not a setting; did you mean `include_paths`?',
    ],
    ['a key that is none', `"${CANARY} ${CANARY}" = 1`, '`review.<not a key>` is not a setting'],
    ['a prototype', `__proto__ = { max = "${CANARY}" }`, '`review.__proto__` is not a setting'],
    ['a constructor', `constructor = "${CANARY}"`, '`review.constructor` is not a setting'],
  ];
  test.each(mistakes)('pass over %s with one note', (_, line, note) => {
    const { settings, notes } = parseRepositorySettings(`[review]\n${line}\n[rounds]\nmax = 2\n`);
    expect(settings).toEqual({ ...NO_REPOSITORY_SETTINGS, rounds: { max: 2 } });
    expect(notes).toHaveLength(1);
    expect(notes[0]).toContain(note);
    expect(notes[0]).not.toContain(CANARY);
    expect(notes[0]).toMatch(/^`\.fixpoint\.toml`/);
  });

  test.each([
    ['max = 0', 'rounds.max'],
    ['max = -1', 'rounds.max'],
    ['max = 1.5', 'rounds.max'],
    ['max = "2"', 'rounds.max'],
    ['max = 2024-01-01', 'rounds.max'],
    ['max = { a = 1 }', 'rounds.max'],
  ])('take no other number of rounds than a whole one: %s', (line, path) => {
    const { settings, notes } = parseRepositorySettings(`[rounds]\n${line}`);
    expect(settings).toEqual(NO_REPOSITORY_SETTINGS);
    expect(notes).toEqual([expect.stringContaining(`\`${path}\` is ignored`)]);
  });

  /** C4: what is broken as a whole is none. */
  const broken: readonly (readonly [string, string])[] = [
    ['an open string', `[review]\ninstructions = "${CANARY}`],
    ['YAML', `review:\n  instructions: ${CANARY}\n`],
    ['a key twice', `[review]\nlanguage = "de"\nlanguage = "${CANARY}"`],
    ['a table twice', `[review]\n[review]\ninstructions = "${CANARY}"`],
    ['tabs for nothing', `\t[review\t\n\t${CANARY}`],
    ['a flood of brackets', `a = ${'['.repeat(16_000)}`],
    ['a flood of inline tables', `a = ${'{a='.repeat(5_000)}`],
    ['a byte order mark in the middle', `[review]\n\ufeff${CANARY}`],
  ];
  test.each(broken)('C4: are none where the file has %s, and the note tells the place only', (name, text) => {
    const reason = name.endsWith('twice') ? 'the key or table is defined twice' : 'not valid TOML';
    const { settings, notes } = parseRepositorySettings(text);
    expect(settings).toEqual(NO_REPOSITORY_SETTINGS);
    expect(notes).toEqual([
      expect.stringMatching(
        new RegExp(`^\`\\.fixpoint\\.toml\` has an error at line \\d+, column \\d+: ${reason}; none of it is used$`),
      ),
    ]);
  });

  const floods: readonly (readonly [string, (size: number) => string])[] = [
    ['keys', (size) => Array.from({ length: size / 8 }, (_, index) => `k${index}=1`).join('\n')],
    ['a dotted key', (size) => `${'a.'.repeat(size / 2 - 2)}a=1`],
    ['a dotted table', (size) => `[${'a.'.repeat(size / 2 - 2)}a]`],
    ['tables in a list', (size) => '[[a]]\nb=1\n'.repeat(size / 10)],
    ['escapes', (size) => `[review]\ninstructions = "${'\\u0041'.repeat(size / 6 - 20)}"`],
    ['stars', (size) => `[review]\nexclude_paths = [${'"*a*a*a*a*a*a*a*b",'.repeat(size / 20)}]`],
  ];
  test.each(floods)('C4: are read within 100 ms of processor time from a file full of %s', (_, textOf) => {
    const text = textOf(MAX_REPOSITORY_FILE_BYTES).slice(0, MAX_REPOSITORY_FILE_BYTES);
    const fastest = Math.min(...[1, 2, 3].map(() => millisecondsOf(() => parseRepositorySettings(text))));
    expect(fastest).toBeLessThan(100);
    expect(notesOf(text).length).toBeLessThanOrEqual(21);
  });

  test('are read whole or not at all, and never throw, whatever the file holds', () => {
    const piece = fc.constantFrom(
      '[review]',
      '[rounds]',
      'max',
      '=',
      '9',
      '"',
      '\n',
      '[',
      ']',
      '{',
      '}',
      '.',
      CANARY,
      'a',
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.array(piece).map((pieces) => pieces.join('')),
        ),
        (text) => {
          const { settings, notes } = parseRepositorySettings(text);
          expect(RepositorySettings.parse(settings)).toEqual(settings);
          if (notes.some((note) => note.includes('has an error at'))) expect(settings).toEqual(NO_REPOSITORY_SETTINGS);
        },
      ),
      propertyRuns(300, 50_000),
    );
  });
});

const millisecondsOf = (work: () => unknown): number => {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
};
