/** Own rules as files: what is accepted, and what people are told about a mistake. */
import { describe, expect, it, vi } from 'vitest';
import { readProjectFile } from '../../../conventions/source.ts';
import { loadRules } from '../../../../shared/rules/own/load-rules.ts';
import { OWN_RULE_LIMITS } from '../../../../shared/rules/own/own-rule.ts';

const signal = new AbortController().signal;

const lines = (...all: readonly string[]): string => `${all.join('\n')}\n`;

const NO_EVAL = lines(
  'id: no-eval',
  'language: JavaScript',
  'severity: error',
  'message: Do not call eval',
  'note: Use a table of functions.',
  'url: https://example.com/eval',
  'rule: { pattern: eval($CODE) }',
  'invalid: ["eval(code)"]',
  'valid: ["table[code]()"]',
);

const load = async (...texts: readonly string[]) =>
  loadRules(
    'project',
    texts.map((text, index) => ({ path: `rules/${index}.yml`, text })),
    signal,
  );

const mistakeIn = async (text: string): Promise<string | undefined> => (await load(text)).problems[0]?.why;

const edited = (from: string, to: string): string => {
  expect(NO_EVAL).toContain(from);
  return NO_EVAL.replace(from, to);
};

it('accepts the example of the guide', async () => {
  const [, example = ''] = readProjectFile('deploy/guide/rules.md').split(/^```(?:yaml)?$/m);
  const { rules, problems } = await load(example);
  expect({ ids: rules.map(({ id }) => id), problems }).toEqual({ ids: ['project/no-fetch'], problems: [] });
});

describe('a file of rules', () => {
  it('gives a rule with the name of its source before its id', async () => {
    const { rules, problems } = await load(NO_EVAL);
    expect(problems).toEqual([]);
    expect(rules).toMatchObject([
      {
        id: 'project/no-eval',
        severity: 'P1',
        blocking: false,
        title: 'Do not call eval',
        explanation: 'Use a table of functions.\n\nhttps://example.com/eval',
        languages: ['JavaScript'],
        file: 'rules/0.yml',
      },
    ]);
  });

  it.each([
    ['error', 'P1'],
    ['warning', 'P2'],
    ['info', 'P3'],
    ['hint', 'P3'],
  ])('maps the severity %s to %s', async (severity, expected) => {
    const { rules } = await load(edited('severity: error', `severity: ${severity}`));
    expect(rules.map((rule) => rule.severity)).toEqual([expected]);
  });

  it('leaves out a rule that its own file switches off, without a mistake', async () => {
    expect(await load(edited('severity: error', 'severity: off'))).toEqual({
      name: 'project',
      rules: [],
      problems: [],
    });
  });

  it('may hold several documents, each with its line in mistakes', async () => {
    const { rules, problems } = await load(`${NO_EVAL}---\n# another\nid: second\nlanguage: Klingon\n`);
    expect(rules.map(({ id }) => id)).toEqual(['project/no-eval']);
    expect(problems).toMatchObject([{ file: 'rules/0.yml', rule: 'project/second', language: null }]);
    expect(problems[0]?.why).toMatch(/^line (?:10|12): `message`: is missing/);
  });

  it('uses helper rules and constraints', async () => {
    const { rules, problems } = await load(
      lines(
        'id: log-secret',
        'language: ts',
        'message: $NAME is logged',
        'rule: { pattern: log($NAME), matches: call }',
        'constraints: { NAME: { regex: "(?i)token" } }',
        'utils: { call: { kind: call_expression } }',
        'invalid: ["log(apiToken)"]',
        'valid: ["log(price)"]',
      ),
    );
    expect({ ids: rules.map(({ id }) => id), problems }).toEqual({ ids: ['project/log-secret'], problems: [] });
  });

  it.each([
    ['is no YAML', '- [', 'line 1: the file is not plain YAML (bad indent)'],
    ['is empty', '', 'contains no rule'],
    ['is a list', '- a', 'line 1: expected a mapping with the keys of a rule'],
    ['has an alias', 'a: &x 1\nb: *x\n', 'line 2: `b` is an alias; aliases are not allowed'],
  ])('that %s is a mistake', async (_, text, why) => {
    expect(await mistakeIn(text)).toBe(why);
  });

  it.each([
    ['an unknown key', 'note:', 'notes:', 'line 1: unknown key `notes`'],
    ['an unknown language', 'JavaScript', 'Klingon', 'line 2: `language`: expected one of JavaScript, TypeScript'],
    ['an unknown severity', 'error', 'fatal', 'line 3: `severity`: expected error, warning, info, hint or off'],
    ['an id that is a path', 'no-eval', '../x', 'line 1: `id`: expected an id of letters'],
    ['no example', 'invalid: ["eval(code)"]', 'invalid: []', 'line 8: `invalid`: expected at least one example'],
    [
      'a kind that does not exist',
      'pattern: eval($CODE)',
      'kind: nope',
      '`project/no-eval` cannot be applied: Kind `nope` is invalid.',
    ],
    [
      'a regular expression that is none',
      'pattern: eval($CODE)',
      'regex: "("',
      '`project/no-eval` cannot be applied: unclosed group',
    ],
    [
      'a helper that does not exist',
      'pattern: eval($CODE)',
      'matches: x',
      '`project/no-eval` cannot be applied: Rule `x` is not defined.',
    ],
    [
      'an example that it does not match',
      'eval(code)',
      'f(code)',
      '`project/no-eval` does not match its example `invalid[0]`',
    ],
    [
      'an example that it must not match',
      'table[code]()',
      'eval(1)',
      '`project/no-eval` matches its example `valid[0]`',
    ],
  ])('with %s is a mistake', async (_, from, to, why) => {
    expect(await mistakeIn(edited(from, to))).toContain(why);
  });

  it('keeps a mistake in one rule from touching the others', async () => {
    const { rules, problems } = await load(
      edited('pattern: eval($CODE)', 'kind: nope'),
      NO_EVAL.replace('no-eval', 'other'),
    );
    expect(rules.map(({ id }) => id)).toEqual(['project/other']);
    expect(problems).toMatchObject([{ file: 'rules/0.yml', rule: 'project/no-eval', language: 'JavaScript' }]);
  });

  it('refuses the second rule of the same id', async () => {
    const { rules, problems } = await load(NO_EVAL, edited('severity: error', 'severity: hint'));
    expect(rules.map(({ severity }) => severity)).toEqual(['P1']);
    expect(problems.map(({ why }) => why)).toEqual([
      '`project/no-eval` is defined twice; the first is in `rules/0.yml`',
    ]);
  });

  it('uses a limited number of rules and names the others', async () => {
    const many = Array.from({ length: OWN_RULE_LIMITS.rules + 1 }, (_, index) =>
      NO_EVAL.replace('no-eval', `r${index}`),
    );
    const { rules, problems } = await load(many.join('---\n'));
    expect(rules).toHaveLength(OWN_RULE_LIMITS.rules);
    expect(problems.map(({ why }) => why)).toEqual(['`project/r100` is not used, because 100 rules are the limit']);
  });

  it('does not repeat a secret of the file in its mistake', async () => {
    const secret = ['ghp', 'a1B2'.repeat(9)].join('_');
    const why = await mistakeIn(edited('pattern: eval($CODE)', `kind: ${secret}`));
    expect(why).toContain('cannot be applied');
    expect(why).not.toContain(secret);
  });

  it('is checked once for each version', async () => {
    expect(await load(NO_EVAL)).toBe(await load(NO_EVAL));
    expect(await load(NO_EVAL)).not.toBe(await load(`${NO_EVAL}# later\n`));
  });

  it('is checked again if there was no time for its examples', async () => {
    const text = NO_EVAL.replace('no-eval', 'late');
    let nowMs = 0;
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => (nowMs += 60_000));
    try {
      const late = await load(text);
      expect(late.rules).toEqual([]);
      expect(late.problems).toEqual([
        {
          file: 'rules/0.yml',
          rule: 'project/late',
          language: 'JavaScript',
          passing: true,
          why: '`project/late` could not be checked in time',
        },
      ]);
    } finally {
      clock.mockRestore();
    }
    expect(await load(text)).toMatchObject({ rules: [{ id: 'project/late' }], problems: [] });
  });

  it('stops when the caller gives up', async () => {
    const abort = new AbortController();
    abort.abort(new Error('enough'));
    const file = { path: 'a.yml', text: NO_EVAL.replace('no-eval', 'aborted') };
    await expect(loadRules('project', [file], abort.signal)).rejects.toThrow('enough');
  });
});
