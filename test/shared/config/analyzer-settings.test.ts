import { describe, expect, it } from 'vitest';
import { longestAnalysisS } from '../../../shared/config/analyzer-settings.ts';
import { loadConfig } from '../../../shared/config/load.ts';
import { operatorRulesOf } from '../../../services/reviewer/rules/operator-rules.ts';

const FORGE = `[[forge]]
id = "main"
kind = "gitea"
base_url = "https://gitea.example.com"
token_env = "TOKEN"
webhook_secret_envs = ["HOOK"]
projects = ["shop/web"]
`;

const load = (toml: string) => loadConfig({ text: `${FORGE}${toml}`, env: {}, needs: [] });
const configOf = (toml: string) => {
  const loaded = load(toml);
  if (!loaded.ok) throw new Error(loaded.problems.join('\n'));
  return loaded.config;
};

const ONE = '[[analyzer]]\nname = "eslint"\ncommand = ["/usr/bin/eslint", "."]\nformat = "sarif"\n';

it('needs a name, a command and a format, and has a default for everything else', () => {
  expect(configOf(ONE).analyzer).toEqual([
    {
      name: 'eslint',
      command: ['/usr/bin/eslint', '.'],
      format: 'sarif',
      paths: [],
      projects: [],
      severity: { error: 'P1', warning: 'P2', info: 'P3' },
      exitCodes: [0, 1],
      timeoutS: 120,
      writable: false,
    },
  ]);
});

const OF_CI = `[[analyzer]]
name = "sast"
from = "ci-artifact"
job = "semgrep-sast"
artifact = "reports/semgrep.sarif"
`;
const GITLAB = FORGE.replace('"gitea"', '"gitlab"').replace('"main"', '"lab"');

it('is a report of a CI job, with the format SARIF unless another is named', () => {
  const loaded = loadConfig({ text: `${GITLAB}${OF_CI}`, env: {}, needs: [] });
  expect(loaded.ok ? loaded.config.analyzer : loaded.problems).toEqual([
    {
      name: 'sast',
      from: 'ci-artifact',
      job: 'semgrep-sast',
      artifact: 'reports/semgrep.sarif',
      format: 'sarif',
      paths: [],
      projects: [],
      severity: { error: 'P1', warning: 'P2', info: 'P3' },
    },
  ]);
});

it('is refused as a report of CI if no forge serves such reports', () => {
  const loaded = load(OF_CI);
  expect(loaded.ok ? [] : loaded.problems).toEqual([
    'analyzer[0].from: "ci-artifact" needs a project on GitLab, because other forges serve no reports of CI jobs',
  ]);
  expect(loadConfig({ text: `${GITLAB}${FORGE}${OF_CI}`, env: {}, needs: [] }).ok).toBe(true);
});

describe('with GitLab and another forge, a report of CI is refused if it is only for projects of the other one', () => {
  const BOTH = `${GITLAB.replace('"shop/web"', '"team/*"')}${FORGE}`;
  const refused = (setting: string): string =>
    `${setting}: "ci-artifact" needs a project on GitLab, because other forges serve no reports of CI jobs`;
  const section = (match: string): string => `[[project]]\nmatch = ["${match}"]\n`;
  const inSection = OF_CI.replace('[[analyzer]]', '[[project.analyzer]]');

  it.each<[what: string, toml: string, problems: readonly string[]]>([
    ['by its own patterns', OF_CI.replace('from', 'projects = ["shop/web"]\nfrom'), [refused('analyzer[0].from')]],
    ['by the patterns of its section', section('shop/web') + inSection, [refused('project[0].analyzer[0].from')]],
    [
      'by the forge of its section',
      section('*').replace('\n', '\nforge = "main"\n') + inSection,
      [refused('project[0].analyzer[0].from')],
    ],
    [
      'because a section replaces it on GitLab',
      `${OF_CI}${section('team/*')}analyzer = []\n`,
      [refused('analyzer[0].from')],
    ],
    ['not for all projects', OF_CI, []],
    [
      'not if one project of GitLab is among its own',
      OF_CI.replace('from', 'projects = ["shop/web", "team/shop"]\nfrom'),
      [],
    ],
    ['not in a section for GitLab', section('team/shop') + inSection, []],
  ])('%s', (_, toml, problems) => {
    const loaded = loadConfig({ text: `${BOTH}${toml}`, env: {}, needs: [] });
    expect(loaded.ok ? [] : loaded.problems).toEqual(problems);
  });
});

describe('a mistake is named', () => {
  it.each<[what: string, toml: string, problem: RegExp]>([
    [
      'an unknown source',
      OF_CI.replace('ci-artifact', 'ci'),
      /analyzer\[0\]\.from: expected "command" or "ci-artifact"/,
    ],
    ['a command for a report of CI', `${OF_CI}command = ["/bin/true"]\n`, /analyzer\[0\]\.command: is not a setting/],
    ['no job', OF_CI.replace('job = "semgrep-sast"\n', ''), /analyzer\[0\]\.job: is missing/],
    ['an absolute artifact', OF_CI.replace('"reports', '"/reports'), /without a leading "\/"/],
    ['an artifact outside', OF_CI.replace('"reports', '"../reports'), /without a leading "\/"/],
    ['a job without from', ONE.replace('format', 'job = "x"\nformat'), /analyzer\[0\]\.job: is not a setting/],
  ])('%s', (_, toml, problem) => {
    const loaded = loadConfig({ text: `${GITLAB}${toml}`, env: {}, needs: [] });
    expect(loaded.ok ? [] : loaded.problems).toEqual([expect.stringMatching(problem)]);
  });

  it.each<[what: string, toml: string, problem: RegExp]>([
    ['a program without its path', ONE.replace('/usr/bin/eslint', 'eslint'), /expected an absolute path/],
    ['an unknown format', ONE.replace('"sarif"', '"xml"'), /analyzer\[0\]\.format/],
    ['a name with a slash', ONE.replace('"eslint"', '"es/lint"'), /expected 1 to 32 lower-case letters/],
    ['two analyzers of one name', ONE + ONE, /names must be unique/],
    ['an unknown severity', `${ONE}severity = { error = "high" }\n`, /analyzer\[0\]\.severity\.error/],
    ['the files twice', ONE.replace('"."', '"{files}", "{files}"'), /expected \{files\} at most once/],
    ['an exit code that means a crash', `${ONE}exit_codes = [139]\n`, /analyzer\[0\]\.exit_codes\[0\]/],
    ['a pattern that matches nothing', `${ONE}paths = ["/abs"]\n`, /analyzer\[0\]\.paths\[0\]/],
  ])('%s', (_, toml, problem) => {
    const loaded = load(toml);
    expect(loaded.ok ? [] : loaded.problems).toEqual([expect.stringMatching(problem)]);
  });
});

it('takes as long as all commands one after the other', () => {
  const two = configOf(`${ONE}timeout_s = 7\n${ONE.replace('"eslint"', '"other"')}timeout_s = 5\n`);
  expect(longestAnalysisS(two.analyzer)).toBe(12);
});

it('is part of what a verdict depends on, so that a verdict is not carried over to other analyzers', () => {
  const project = { forge: 'main', projectId: 1, path: 'shop/web' };
  const rulesOf = (toml: string): string => operatorRulesOf(configOf(toml), project);
  expect(rulesOf(ONE)).not.toBe(rulesOf(''));
  expect(rulesOf(ONE)).not.toBe(rulesOf(`${ONE}paths = ["*.js"]\n`));
});
