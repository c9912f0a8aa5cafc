import { describe, expect, test } from 'vitest';
import { ignoresInForce, type IgnoreTerms, MAX_IGNORES } from '../../../../shared/config/repository/ignore-entries.ts';
import {
  NO_REPOSITORY_SETTINGS,
  parseRepositorySettings,
} from '../../../../shared/config/repository/repository-settings.ts';

/** Would be told if a note repeated a value. */
const CANARY = ['canary', 'value'].join('-');
const PRINT = 'ab12'.repeat(8);

const entry = (...lines: readonly string[]): string => ['[[ignore]]', ...lines, ''].join('\n');
const OK = ['rule = "js-eval"', 'path = "gen/**"', 'reason = "generated"'] as const;

const terms = (patch: Partial<IgnoreTerms> = {}): IgnoreTerms => ({
  which: 'non_blocking',
  nowMs: Date.parse('2026-06-15T12:00:00Z'),
  forgeUrls: ['https://git.example/base', 'http://forgejo:3000/x'],
  isRule: (id) => id !== 'no-such-rule',
  ...patch,
});

const inForce = (text: string, patch: Partial<IgnoreTerms> = {}) =>
  ignoresInForce(parseRepositorySettings(text).settings.ignore, terms(patch));

describe('the [[ignore]] entries of a repository', () => {
  test('are read whole', () => {
    const text =
      entry(...OK, 'thread = "https://git.example/a/b/pulls/7#issuecomment-5"', 'until = "2026-12-31"') +
      entry(`fingerprint = "${PRINT}"`, 'path = "src/run.js"', 'reason = "by design"');
    const { settings, notes } = parseRepositorySettings(text);
    expect(notes).toEqual([]);
    expect(settings.ignore).toEqual([
      {
        id: expect.stringMatching(/^[0-9a-f]{16}$/),
        index: 0,
        rule: 'js-eval',
        fingerprint: null,
        path: 'gen/**',
        reason: 'generated',
        thread: 'https://git.example/a/b/pulls/7#issuecomment-5',
        until: '2026-12-31',
      },
      {
        id: expect.stringMatching(/^[0-9a-f]{16}$/),
        index: 1,
        rule: null,
        fingerprint: PRINT,
        path: 'src/run.js',
        reason: 'by design',
        thread: null,
        until: null,
      },
    ]);
  });

  test('keep their identity when reason, link and end change, and only then', () => {
    const idOf = (...lines: readonly string[]) => parseRepositorySettings(entry(...lines)).settings.ignore[0]?.id;
    const [rule, path] = OK;
    expect(idOf(rule, path, 'reason = "another"', 'until = "2026-01-01"')).toBe(idOf(...OK));
    expect(idOf(rule, 'path = "gen/*"', OK[2])).not.toBe(idOf(...OK));
    expect(idOf('rule = "js-debugger"', path, OK[2])).not.toBe(idOf(...OK));
    expect(idOf('rule = "ab12ab12"', path, OK[2])).not.toBe(idOf('fingerprint = "ab12ab12"', path, OK[2]));
  });

  const mistakes: readonly (readonly [name: string, lines: readonly string[], note: string])[] = [
    ['no subject', OK.slice(1), 'expected either `rule` or `fingerprint`'],
    ['two subjects', [...OK, `fingerprint = "${PRINT}"`], 'expected either `rule` or `fingerprint`'],
    ['no path', [OK[0], OK[2]], 'path: is missing'],
    ['no reason', OK.slice(0, 2), 'reason: is missing'],
    ['an empty reason', [OK[0], OK[1], 'reason = " "'], 'reason: expected a reason'],
    ['a path that leaves the tree', [OK[0], `path = "../${CANARY}"`, OK[2]], 'path: expected a pattern relative'],
    ['an open bracket', [OK[0], `path = "[${CANARY}"`, OK[2]], 'unclosed bracket'],
    ['prose as a rule', [`rule = "${CANARY} is fine"`, OK[1], OK[2]], 'expected the id of a rule'],
    ['a path without an analyzer as a rule', ['rule = "/no-eval"', OK[1], OK[2]], 'expected the id of a rule'],
    ['an analyzer without a rule', ['rule = "eslint/"', OK[1], OK[2]], 'expected the id of a rule'],
    ['prose as a fingerprint', [`fingerprint = "${CANARY}"`, OK[1], OK[2]], 'expected the hexadecimal digits'],
    ['a day that does not exist', [...OK, 'until = "2026-02-30"'], 'expected a date such as "2026-12-31"'],
    ['a date without quotes', [...OK, 'until = 2026-12-31'], 'until: expected a date such as "2026-12-31"'],
    ['a time', [...OK, 'until = "2026-12-31T10:00:00Z"'], 'expected a date'],
    ['a link that is none', [...OK, `thread = "${CANARY}"`], 'expected the http(s) URL of a thread'],
    ['a link with a script', [...OK, 'thread = "javascript:alert(1)"'], 'expected the http(s) URL of a thread'],
    ['a slip of the pen', [...OK, 'untill = "2026-12-31"'], 'did you mean `until`?'],
    ['an unknown key', [...OK, `${CANARY.replace('-', '_')} = 1`], 'it has a key that is not a setting'],
  ];
  test.each(mistakes)('cost nothing but themselves where one has %s', (_, lines, note) => {
    const text = `${entry(...lines)}${entry(...OK)}[rounds]\nmax = 2\n`;
    const { settings, notes } = parseRepositorySettings(text);
    expect(settings).toMatchObject({ ignore: [{ index: 1 }], rounds: { max: 2 } });
    expect(settings.ignore).toHaveLength(1);
    expect(notes).toEqual([expect.stringContaining('`ignore[0]` has no effect (')]);
    expect(notes[0]).toContain(note);
    expect(notes[0]).not.toContain(CANARY);
    expect(notes[0]).not.toContain(CANARY.replace('-', '_'));
  });

  test.each(['[ignore]\nrule = "js-eval"', 'ignore = "js-eval"', 'ignore = 1'])('are a list: %j is none', (text) => {
    const { settings, notes } = parseRepositorySettings(text);
    expect(settings).toEqual(NO_REPOSITORY_SETTINGS);
    expect(notes).toEqual(['`.fixpoint.toml`: `ignore` is not a list: write `[[ignore]]`']);
  });

  test.each(['eslint/no-eval', 'eslint/@typescript-eslint/no-explicit-any', 'ruff/F401', 'semgrep/rules.python.x+y'])(
    'name the rule of an analyzer as findings show it: %s',
    (rule) => {
      const { claims, notes } = inForce(entry(`rule = "${rule}"`, OK[1], OK[2]));
      expect([claims.map((claim) => claim.rule), notes]).toEqual([[rule], []]);
    },
  );

  test('are at most 50, and it is said when there are more', () => {
    const many = (count: number): string =>
      Array.from({ length: count }, (_, index) => entry(OK[0], `path = "p${index}/"`, OK[2])).join('');
    expect(parseRepositorySettings(many(MAX_IGNORES)).notes).toEqual([]);
    const { settings, notes } = parseRepositorySettings(many(MAX_IGNORES + 2));
    expect(settings.ignore).toHaveLength(MAX_IGNORES);
    expect(notes).toEqual([expect.stringContaining('`ignore` has more than 50 entries')]);
  });

  test('hold to the end of their last day in UTC, and it is said afterwards', () => {
    const text = entry(...OK, 'until = "2026-06-15"');
    const at = (time: string) => inForce(text, { nowMs: Date.parse(time) });
    expect(at('2026-06-15T23:59:59.999Z').claims).toHaveLength(1);
    expect(at('2026-06-16T00:00:00.000Z')).toEqual({
      claims: [],
      notes: ['`ignore[0]` has no effect: it expired on 2026-06-15'],
    });
  });

  test('may name a rule of an analyzer whose name begins as the rules for secrets do', () => {
    expect(inForce(entry('rule = "secret-scan/aws"', OK[1], OK[2]))).toMatchObject({ claims: [{}], notes: [] });
  });

  test.each([
    ['secret-aws', 'secrets are always reported'],
    ['secret-credential', 'secrets are always reported'],
    ['no-such-rule', 'no rule has this id'],
  ])('have no effect for the rule %s: %s', (rule, why) => {
    expect(inForce(entry(`rule = "${rule}"`, OK[1], OK[2]))).toEqual({
      claims: [],
      notes: [`\`ignore[0]\` has no effect: ${why}`],
    });
  });

  test.each([
    ['https://git.example/other/place', true],
    ['http://forgejo:3000/a/b/pulls/1', true],
    ['https://git.example.org/a', false],
    ['https://other.example/git.example', false],
    ['http://forgejo:3001/a', false],
  ])('link only to a host of the forge: %s is one: %s', (thread, isOurs) => {
    const { claims, notes } = inForce(entry(...OK, `thread = "${thread}"`));
    expect(claims).toHaveLength(isOurs ? 1 : 0);
    expect(notes).toHaveLength(isOurs ? 0 : 1);
    expect(inForce(entry(...OK, `thread = "${thread}"`), { forgeUrls: null }).claims).toHaveLength(1);
  });

  test('have no effect where the operator allows none, and it is said', () => {
    expect(inForce(entry(...OK), { which: 'off' })).toEqual({
      claims: [],
      notes: ['`ignore[0]` has no effect: the operator does not allow this entry (`review.project_ignores`)'],
    });
    expect(inForce(entry(...OK), { which: 'all' }).claims).toHaveLength(1);
  });

  test('count once where one repeats another', () => {
    expect(inForce(entry(...OK) + entry(...OK)).claims).toHaveLength(1);
  });
});
