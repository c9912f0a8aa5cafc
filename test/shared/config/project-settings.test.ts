import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Config, loadConfig } from '../../../shared/config/load.ts';
import {
  effectiveSettings,
  everySettings,
  ProjectPathMissingError,
  settingsOf,
} from '../../../shared/config/project-settings.ts';
import { secretVariables, SERVICE_NEEDS, servicesOf } from '../../../shared/config/service-needs.ts';

const RUNS = process.env['FIXPOINT_DEEP'] === '1' ? 2_000 : 100;

const FORGE = `
[[forge]]
id = "main"
kind = "gitlab"
base_url = "https://gitlab.example"
token_env = "TOKEN"
webhook_secret_envs = ["HOOK"]
projects = ["acme/*", "solo/one"]
`;

const OTHER = `
[[forge]]
id = "other"
kind = "forgejo"
base_url = "https://forgejo.example"
token_env = "OTHER"
webhook_secret_envs = ["OTHER_HOOK"]
projects = ["*"]
`;

const read = (text: string, env: Readonly<Record<string, string>> = {}) =>
  loadConfig({ text: `${FORGE}${text}`, env, needs: [], folder: '/' });

const load = (text: string): Config => {
  const loaded = read(text);
  if (!loaded.ok) throw new Error(loaded.problems.join('\n'));
  return loaded.config;
};

const problemsOf = (text: string): readonly string[] => {
  const loaded = read(text);
  return loaded.ok ? [] : loaded.problems;
};

const roundsOf = (config: Config, path: string, forge = 'main'): number =>
  settingsOf(config, { forge, path }).rounds.max;

describe('the settings of a project', () => {
  test.each<[what: string, text: string, path: string, max: number]>([
    ['are those of the installation without a section', '[rounds]\nmax = 4', 'acme/shop', 4],
    ['come from a section that matches', '[[project]]\nmatch = ["acme/*"]\nrounds.max = 2', 'acme/shop', 2],
    ['ignore a section that does not match', '[[project]]\nmatch = ["solo/one"]\nrounds.max = 2', 'acme/shop', 3],
    ['match in any case', '[[project]]\nmatch = ["Acme/SHOP"]\nrounds.max = 2', 'aCme/shop', 2],
    ['match projects of subgroups', '[[project]]\nmatch = ["acme/*"]\nrounds.max = 2', 'acme/team/shop', 2],
    [
      'come from the last section that matches',
      '[[project]]\nmatch = ["*"]\nrounds.max = 2\n[[project]]\nmatch = ["acme/*"]\nrounds.max = 4',
      'acme/shop',
      4,
    ],
    [
      'keep the value of an earlier section that the last one does not set',
      '[[project]]\nmatch = ["*"]\nrounds.max = 2\n[[project]]\nmatch = ["acme/*"]\nrounds.attempts = 1',
      'acme/shop',
      2,
    ],
    [
      'do not take a section of another forge',
      `${OTHER}\n[[project]]\nmatch = ["acme/*"]\nforge = "other"\nrounds.max = 2`,
      'acme/shop',
      3,
    ],
  ])('%s', (_, text, path, max) => {
    expect(roundsOf(load(text), path)).toBe(max);
  });

  test('replace a list as a whole', () => {
    const config = load('[review]\nlabels = ["a", "b"]\n[[project]]\nmatch = ["acme/*"]\nreview.labels = ["c"]');
    expect(settingsOf(config, { forge: 'main', path: 'acme/shop' }).review.labels).toEqual(['c']);
  });

  test('take the model of a section even if the installation lists several', () => {
    const config = load(
      '[agent.reviewer]\nmodels = ["one", "two"]\n[[project]]\nmatch = ["acme/*"]\nagent.reviewer.model = "three"',
    );
    const { reviewer } = settingsOf(config, { forge: 'main', path: 'acme/shop' }).agent;
    expect(reviewer).toMatchObject({ model: 'three', models: [] });
    expect(config.agent.reviewer).toMatchObject({ model: 'one', models: ['one', 'two'] });
  });

  test('name the first of the models of a section as the model', () => {
    const config = load('[[project]]\nmatch = ["acme/*"]\nagent.reviewer.models = ["local", "big"]');
    expect(settingsOf(config, { forge: 'main', path: 'acme/shop' }).agent.reviewer.model).toBe('local');
  });

  test('can replace every group of settings that a section may have', () => {
    const config = load(`
[[project]]
match = ["solo/one"]
[project.review]
runner = "rules"
[project.gate]
ci_grace_s = 0
[project.limits]
running_per_project = 3
[project.budgets.model]
run_usd = 1.5
[project.author]
enabled = true
command = ["/usr/bin/fix"]
[project.operators]
logins = ["ann"]
[[project.validation.command]]
name = "types"
command = ["/usr/bin/true"]
[[project.analyzer]]
name = "shellcheck"
command = ["/usr/bin/shellcheck"]
format = "checkstyle"
`);
    const own = settingsOf(config, { forge: 'main', path: 'solo/one' });
    expect([own.review.runner, own.gate.ciGraceS, own.limits.runningPerProject]).toEqual(['rules', 0, 3]);
    expect([own.budgets.model.runUsd, own.budgets.model.dayUsd, own.author.enabled]).toEqual([1.5, 500, true]);
    expect([own.operators.logins, own.validation.command.length, own.analyzer.length]).toEqual([['ann'], 1, 1]);
    // Keys that the section leaves out are those of the installation.
    expect([own.review.quietSeconds, own.author.maxFiles, own.rounds]).toEqual([30, 50, config.rounds]);
  });

  test('say which section set each value', () => {
    const config = load(
      '[[project]]\nmatch = ["*"]\nrounds.max = 2\nrounds.attempts = 1\n[[project]]\nmatch = ["acme/*"]\nrounds.max = 4',
    );
    const { origins } = effectiveSettings(config, { forge: 'main', path: 'acme/shop' });
    expect([...origins]).toEqual([
      ['rounds.max', 1],
      ['rounds.attempts', 0],
    ]);
  });

  test('are one object for projects with the same sections', () => {
    const config = load('[[project]]\nmatch = ["acme/*"]\nrounds.max = 2');
    const [one, two, none] = ['acme/shop', 'acme/desk', 'solo/one'].map((path) =>
      settingsOf(config, { forge: 'main', path }),
    );
    expect(one).toBe(two);
    expect(none).toBe(config);
  });

  test('are refused for a project without a known path, but only if a section could apply', () => {
    const config = load(`${OTHER}\n[[project]]\nmatch = ["acme/*"]\nforge = "main"\nrounds.max = 2`);
    expect(() => settingsOf(config, { forge: 'main', path: undefined })).toThrow(ProjectPathMissingError);
    expect(settingsOf(config, { forge: 'other', path: undefined })).toBe(config);
  });
});

describe('mistakes in sections are reported at start', () => {
  test.each<[what: string, text: string, problems: readonly string[]]>([
    ['no pattern', '[[project]]\nrounds.max = 2', ['project[0].match: is missing; expected array']],
    [
      'an unknown key',
      '[[project]]\nmatch = ["acme/*"]\nrounds.maxx = 2',
      ['project[0].rounds.maxx: is not a setting; did you mean "max"?'],
    ],
    [
      'a setting of the installation',
      '[[project]]\nmatch = ["acme/*"]\nagent.api_key_env = "A_KEY"',
      ['project[0].agent.api_key_env: cannot differ per project; it applies to the whole installation'],
    ],
    [
      'a table of the installation',
      '[[project]]\nmatch = ["acme/*"]\nredis.prefix = "other"',
      ['project[0].redis: cannot differ per project; it applies to the whole installation'],
    ],
    [
      'the budget of a day',
      '[[project]]\nmatch = ["acme/*"]\nbudgets.model.day_usd = 3',
      ['project[0].budgets.model.day_usd: cannot differ per project; it applies to the whole installation'],
    ],
    [
      'an unknown forge',
      '[[project]]\nmatch = ["acme/*"]\nforge = "nowhere"\nrounds.max = 2',
      [
        'project[0].forge: expected the id of a [[forge]]',
        'project[0].match[0]: matches no project in the projects of any [[forge]] that it is for',
      ],
    ],
    [
      'a pattern without a project',
      '[[project]]\nmatch = ["acme/shop", "solo/two"]\nrounds.max = 2',
      ['project[0].match[1]: matches no project in the projects of any [[forge]] that it is for'],
    ],
    [
      'two values for one pattern',
      '[[project]]\nmatch = ["acme/*", "solo/one"]\nrounds.max = 2\n[[project]]\nmatch = ["ACME/**"]\nrounds.max = 4',
      ['project[1].rounds.max: has another value in an earlier section with the same pattern (project[0].rounds.max)'],
    ],
    [
      'a value that later sections always replace',
      '[[project]]\nmatch = ["acme/shop"]\nrounds.max = 2\nrounds.attempts = 1\n[[project]]\nmatch = ["acme/*"]\nrounds.max = 4',
      [
        'project[0].rounds.max: has no effect, because later sections set it for the same projects; put the more general section first (project[1].rounds.max)',
      ],
    ],
    [
      'values that contradict each other only together',
      '[rounds]\nmax = 5\nmax_runs = 5\n[[project]]\nmatch = ["acme/*"]\nrounds.max_runs = 4',
      ['project[0].rounds.max_runs: expected at least rounds.max, because every round uses a run'],
    ],
    [
      'values of two sections that contradict each other only together',
      '[[project]]\nmatch = ["*"]\nrounds.max = 6\n[[project]]\nmatch = ["acme/shop"]\nrounds.max_runs = 4',
      ['project[1].rounds.max_runs: expected at least rounds.max, because every round uses a run'],
    ],
    [
      'a runner without its program',
      '[[project]]\nmatch = ["acme/*"]\nreview.runner = "claude-code"',
      [
        'project[0]: agent.claude_code.command: is missing; set the absolute path of the CLI, because review.runner is "claude-code"',
      ],
    ],
  ])('%s', (_, text, problems) => {
    expect(problemsOf(text)).toEqual(problems);
  });

  test.each<[what: string, text: string]>([
    [
      'the same value twice',
      '[[project]]\nmatch = ["acme/*"]\nrounds.max = 2\n[[project]]\nmatch = ["acme/*"]\nrounds.max = 2',
    ],
    [
      'the more general section first',
      '[[project]]\nmatch = ["acme/*"]\nrounds.max = 2\n[[project]]\nmatch = ["acme/shop"]\nrounds.max = 4',
    ],
    [
      'the same pattern for two forges',
      `${OTHER}\n[[project]]\nmatch = ["acme/*"]\nforge = "main"\nrounds.max = 2\n[[project]]\nmatch = ["acme/*"]\nforge = "other"\nrounds.max = 4`,
    ],
    [
      'a value that one of two later sections replaces',
      '[[project]]\nmatch = ["acme/*"]\nrounds.max = 2\n[[project]]\nmatch = ["acme/shop"]\nrounds.max = 4\n[[project]]\nmatch = ["acme/desk"]\nrounds.max = 5',
    ],
  ])('but not %s', (_, text) => {
    expect(problemsOf(text)).toEqual([]);
  });

  test('never quote a value that may be a secret', () => {
    const secret = ['glpat', 'x'.repeat(20)].join('-');
    const problems = problemsOf(
      `[[project]]\nmatch = ["acme/*"]\nagent.api_key_env = "${secret}"\nrounds.max = "${secret}"`,
    );
    expect(problems).toHaveLength(2);
    expect(problems.join(' ')).not.toContain(secret);
  });
});

describe('secrets and services', () => {
  test('the key of a model is needed as soon as one project uses a model', () => {
    const text = '[review]\nrunner = "rules"\n[[project]]\nmatch = ["acme/shop"]\nreview.runner = "agent"';
    expect(secretVariables(load(text), SERVICE_NEEDS.reviewer)).toContain('ANTHROPIC_API_KEY');
    const loaded = loadConfig({
      text: `${FORGE}${text}`,
      env: { TOKEN: 'token-of-the-bot', REDIS_URL: 'redis://r' },
      needs: SERVICE_NEEDS.reviewer,
      folder: '/',
    });
    expect(loaded.ok ? [] : loaded.problems).toEqual([
      'agent.api_key_env: the environment variable ANTHROPIC_API_KEY is not set',
    ]);
  });

  test('the keys of every provider that a project uses are read', () => {
    const text = `
[agent]
provider = [{ name = "local", kind = "openai", base_url = "http://127.0.0.1:1/v1", key_env = "LOCAL_KEY", input_usd = 0, output_usd = 0 }]
[review]
runner = "agent"
[[project]]
match = ["acme/shop"]
agent.reviewer.model = "local/coder"
agent.explorer.model = "local/coder"`;
    const env = {
      TOKEN: 'token-of-the-bot',
      REDIS_URL: 'redis://r',
      ANTHROPIC_API_KEY: 'a-model-key',
      LOCAL_KEY: 'a-local-key',
    };
    const loaded = loadConfig({ text: `${FORGE}${text}`, env, needs: SERVICE_NEEDS.reviewer, folder: '/' });
    if (!loaded.ok) throw new Error(loaded.problems.join('\n'));
    expect(loaded.config.secrets.model).toMatchObject({
      key: 'a-model-key',
      providers: new Map([['local', 'a-local-key']]),
    });
    expect(secretVariables(loaded.config, SERVICE_NEEDS.reviewer)).toEqual(
      expect.arrayContaining(['ANTHROPIC_API_KEY', 'LOCAL_KEY']),
    );
  });

  test('the author runs as soon as one project has it', () => {
    const config = load('[[project]]\nmatch = ["acme/shop"]\nauthor = { enabled = true, command = ["/usr/bin/fix"] }');
    expect(servicesOf(config)).toContain('author');
    expect(secretVariables(config, SERVICE_NEEDS.author)).toContain('TOKEN');
    expect(everySettings(config).map(({ author }) => author.enabled)).toEqual([false, true]);
  });
});

type Given = { readonly match: string; readonly max: number };

const PATTERNS = ['*', 'acme/*', 'acme/team/*', 'acme/team/shop', 'acme/desk', 'solo/one'] as const;
const PATHS = ['acme/desk', 'acme/team/shop', 'acme/team/other', 'acme/x', 'solo/one'] as const;

const given = fc.record({ match: fc.constantFrom(...PATTERNS), max: fc.integer({ min: 1, max: 9 }) });
const toml = (sections: readonly Given[]): string =>
  sections.map(({ match, max }) => `[[project]]\nmatch = ["${match}"]\nrounds.max = ${max}\n`).join('');
const matches = (pattern: string, path: string): boolean =>
  pattern === path || (pattern.endsWith('*') && path.startsWith(pattern.slice(0, -1)));

describe('laws', () => {
  test('the last section that matches wins', () => {
    fc.assert(
      fc.property(fc.array(given, { maxLength: 6 }), fc.constantFrom(...PATHS), (sections, path) => {
        const loaded = read(toml(sections));
        fc.pre(loaded.ok);
        const expected = sections.findLast(({ match }) => matches(match, path))?.max ?? 3;
        expect(loaded.ok ? roundsOf(loaded.config, path) : expected).toBe(expected);
      }),
      { numRuns: RUNS },
    );
  });

  test('a section that does not match a project changes nothing for it', () => {
    fc.assert(
      fc.property(
        fc.array(given, { maxLength: 4 }),
        given,
        fc.nat(4),
        fc.constantFrom(...PATHS),
        (sections, more, at, path) => {
          fc.pre(!matches(more.match, path));
          const [without, withMore] = [sections, sections.toSpliced(at, 0, more)].map((each) => read(toml(each)));
          fc.pre(without?.ok === true && withMore?.ok === true);
          const of = { forge: 'main', path };
          const { project: _, ...before } = without?.ok ? settingsOf(without.config, of) : load('');
          const { project: __, ...after } = withMore?.ok ? settingsOf(withMore.config, of) : load('');
          expect(after).toEqual(before);
        },
      ),
      { numRuns: RUNS },
    );
  });

  test('the combinations that are checked at start hold those of every project', () => {
    fc.assert(
      fc.property(fc.array(given, { maxLength: 6 }), fc.constantFrom(...PATHS), (sections, path) => {
        const loaded = read(toml(sections));
        fc.pre(loaded.ok);
        if (loaded.ok)
          expect(everySettings(loaded.config)).toContain(settingsOf(loaded.config, { forge: 'main', path }));
      }),
      { numRuns: RUNS },
    );
  });
});
