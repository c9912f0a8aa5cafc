/** `[[rules.from]]`: mistakes at start, and for which projects a source holds. */
import { describe, expect, test } from 'vitest';
import { loadConfig } from '../../../shared/config/load.ts';
import { longestSourcesS, sourcesFor } from '../../../shared/config/rule-settings.ts';

const FORGE =
  '[[forge]]\nid = "main"\nkind = "forgejo"\nbase_url = "https://forge.example"\ntoken_env = "TOKEN"\n' +
  'webhook_secret_envs = ["HOOK"]\nprojects = ["*"]\n';

const source = (more: Readonly<Record<string, string | null>> = {}): string => {
  const keys = { name: '"acme"', forge: '"main"', project: '"acme/rules"', ref: '"main"', rules: '"rules"', ...more };
  const lines = Object.entries(keys).flatMap(([key, value]) => (value === null ? [] : [`${key} = ${value}`]));
  return ['[[rules.from]]', ...lines, ''].join('\n');
};

const load = (text: string) => loadConfig({ text: `${FORGE}${text}`, env: {}, needs: [], folder: '/' });

const problemsOf = (text: string): readonly string[] => {
  const result = load(text);
  return result.ok ? [] : result.problems;
};

const ANALYZER = '[[analyzer]]\nname = "acme"\ncommand = ["/bin/true"]\nformat = "sarif"\n';

describe('a source of rules', () => {
  test('needs rules or guidelines', () => {
    expect(problemsOf(source())).toEqual([]);
    expect(problemsOf(source({ rules: null, guidelines: '"style.md"' }))).toEqual([]);
    expect(problemsOf(source({ rules: null }))).toEqual([expect.stringContaining('set rules, guidelines or both')]);
  });

  test.each([
    ['project', '"acme"', 'expected "owner/name"'],
    ['project', '"acme/../other"', 'without ".."'],
    ['project', '"acme/-x"', 'without a leading "-"'],
    ['project', '"acme/*"', 'expected "owner/name"'],
    ['ref', '"a..b"', 'branch or a tag'],
    ['ref', '"-x"', 'branch or a tag'],
    ['ref', '"a b"', 'branch or a tag'],
    ['ref', '"a.lock"', 'branch or a tag'],
    ['rules', '"/etc"', 'relative to the root'],
    ['rules', '"a/../../b"', 'relative to the root'],
    ['guidelines', '"a//b"', 'relative to the root'],
    ['name', '"Acme Rules"', 'lower-case letters'],
    ['forge', '"other"', 'expected the id of a [[forge]]'],
    ['name', '"project"', 'which the rules of projects have'],
    ['secret', '"x"', 'secret'],
  ])('with %s = %s is a mistake', (key, value, message) => {
    const problems = problemsOf(source({ [key]: value }));
    expect(problems).toEqual([expect.stringContaining(message)]);
    expect(problems[0]).toContain('rules.from[0]');
  });

  test.each([
    ['the name of another source', source() + source(), 'another source has this name'],
    ['the name of an analyzer', source() + ANALYZER, 'an [[analyzer]] has this name'],
    [
      "the name of a project's analyzer",
      `${source()}[[project]]\nmatch = ["a/b"]\n${ANALYZER.replace('[[', '[[project.')}`,
      'an [[analyzer]] has this name',
    ],
  ])('may not have %s', (_, text, message) => {
    expect(problemsOf(text)).toEqual([expect.stringContaining(message)]);
  });

  test('leaves the name of the projects themselves to them, for analyzers too', () => {
    expect(problemsOf(ANALYZER.replace('acme', 'project'))).toEqual([
      expect.stringContaining('analyzer[0].name: expected another name than "project"'),
    ]);
  });

  test.each<readonly [string | null, readonly string[]]>([
    ['acme/shop', ['all', 'team']],
    ['ACME/shop', ['all', 'team']],
    ['other/shop', ['all']],
    [null, ['all']],
  ])('holds for %s as its patterns say', (project, expected) => {
    const result = load(source({ name: '"all"' }) + source({ name: '"team"', projects: '["acme/*"]' }));
    if (!result.ok) throw new Error(result.problems.join('\n'));
    expect(sourcesFor(result.config.rules, project).map(({ name }) => name)).toEqual(expected);
  });

  test('adds to the time of a run', () => {
    const result = load(source());
    expect(result.ok && longestSourcesS(result.config.rules)).toBe(90);
    const two = load(source({ name: '"all"' }) + source({ name: '"team"' }));
    expect(two.ok && longestSourcesS(two.config.rules)).toBe(90);
    expect(longestSourcesS({ from: [] })).toBe(0);
  });
});
