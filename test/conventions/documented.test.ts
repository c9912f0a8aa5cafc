/** Everything that an operator or developer looks up is documented: settings, variables, error codes, commands. */
import { parse } from 'smol-toml';
import { expect, test } from 'vitest';
import { loadConfig } from '../../shared/config/load.ts';
import type { Config } from '../../shared/config/load.ts';
import { SettingsFile } from '../../shared/config/schema.ts';
import { REDIS_PASSWORD } from '../../services/cli/setup/plan/container-env.ts';
import { SUBSCRIPTION_TOKEN } from '../../shared/config/secrets.ts';
import { SERVICE_NEEDS, secretVariables } from '../../shared/config/service-needs.ts';
import { ERROR_CODES, readmeRows } from '../../shared/error-codes/explain.ts';
import { listSettings } from '../../shared/config/text/setting-tree.ts';
import { trackedFiles } from '../support/tracked-files.ts';
import { production, readProjectFile, withoutComments } from './source.ts';

const example = readProjectFile('fixpoint.example.toml');

/** Uncomments the settings that are off by default. */
const switchOn = (text: string): string => text.replaceAll(/^# (?=[a-z_]+ = |\[\[)/gm, '');
const switchedOn = switchOn(example);

function keysOf(value: unknown, prefix = ''): readonly string[] {
  if (Array.isArray(value) && value.every((item) => typeof item === 'object') && value.length > 0) {
    return value.flatMap((item) => keysOf(item, `${prefix}[]`));
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [prefix];
  const dot = prefix === '' ? '' : `${prefix}.`;
  return Object.entries(value).flatMap(([key, inner]) => keysOf(inner, `${dot}${key}`));
}

function load(text: string): Config {
  const result = loadConfig({ text, env: {}, needs: [], folder: '/' });
  if (!result.ok) throw new Error(result.problems.join('\n'));
  return result.config;
}

/** Most keys of a section are those of the tables that the example already shows. */
const isShownAbove = (setting: string, all: readonly string[]): boolean =>
  setting.startsWith('project[].') && all.includes(setting.slice('project[].'.length));

test('the example configuration holds every setting and no other', () => {
  const all = listSettings(SettingsFile);
  const shown = [...new Set(keysOf(parse(switchedOn)))].filter(
    (setting) => !(isShownAbove(setting, all) && all.includes(setting)),
  );
  expect(shown.toSorted()).toEqual(all.filter((setting) => !isShownAbove(setting, all)).toSorted());
});

test('the example configuration shows the defaults', () => {
  const forge = `
    [[forge]]
    id = "x"
    kind = "gitea"
    base_url = "https://x"
    token_env = "X"
    webhook_secret_envs = ["Y"]
    projects = ["a/b"]`;
  const { forges: _, ...defaults } = load(forge);
  const { forges: __, ...shown } = load(example);
  expect({ ...shown, secrets: null }).toEqual({ ...defaults, secrets: null });
});

test('the example clients are valid when they are switched on: one of each form', () => {
  const [section = ''] = /^\[messages\]$.*?(?=^\[)/ms.exec(example) ?? [];
  const { client } = load(example.replace(section, switchOn(section))).messages;
  expect(client.map(({ projectId, match }) => [projectId, match])).toEqual([
    [42, null],
    [null, ['owner/*']],
  ]);
});

/** All files that may read settings, except the schemas that define them. */
const readers = production.filter(({ path }) => !/^shared\/config\/(?:schema|forge-settings)\.ts$/.test(path));

test('every setting is read somewhere: none does nothing', () => {
  const names = listSettings(SettingsFile).map((setting) => setting.split('.').at(-1) ?? '');
  const camel = names.map((name) => name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()));
  const text = readers.map((file) => withoutComments(file.text)).join('\n');
  expect(camel.filter((name) => !new RegExp(`\\b${name}\\b`).test(text))).toEqual([]);
});

const envExample = readProjectFile('.env.example');
const offered = [...envExample.matchAll(/^(?:# )?(?<name>[A-Z_]+)=/gm)].map((match) => match.groups?.['name'] ?? '');

const withConsole = load(example.replace('[console]\nenabled = false', '[console]\nenabled = true'));
const secretNames = secretVariables(withConsole, Object.values(SERVICE_NEEDS).flat());
const codeNames = production.flatMap(({ text }) =>
  [...withoutComments(text).matchAll(/env(?:\.|\[')(?<name>FIXPOINT_[A-Z_]+)/g)].map((match) => match[1]),
);

/** Lets a test kill a process at a named step; not for operators. */
const FOR_TESTS_ONLY = 'FIXPOINT_CRASH_AT';

test('the example environment offers every variable that is read, and no other', () => {
  const read = new Set([...secretNames, REDIS_PASSWORD, SUBSCRIPTION_TOKEN, ...codeNames].map(String));
  read.delete(FOR_TESTS_ONLY);
  expect(offered.toSorted()).toEqual([...read].toSorted());
});

test('the example environment holds no value', () => {
  expect(envExample.match(/^[A-Z_]+=.+$/gm)).toBeNull();
});

/** Words in capitals that are not error codes: variables, and terms of other systems. */
const OTHER_WORDS = new Set([
  'NO_COLOR',
  'HTTP_PROXY',
  'HTTPS_PROXY',
  'NO_PROXY',
  ...secretNames,
  ...codeNames,
  'REQUEST_CHANGES',
  'REQUEST_REVIEW',
  'REQUESTED_CHANGES',
  'MERGE_HEAD',
  'BISECT_LOG',
  'CHERRY_PICK_HEAD',
  'REVERT_HEAD',
  'XDG_CONFIG_HOME',
  // Where the command line looks for a token.
  'GITLAB_TOKEN',
  'FORGEJO_TOKEN',
  'GITEA_TOKEN',
  'FIXPOINT_NO_WEBHOOK',
  // Where keys of models are.
  'OPENAI_API_KEY',
  'CLAUDE_CODE_OAUTH_TOKEN',
  'FIXPOINT_SETUP_TOKEN',
  'REDIS_PASSWORD',
  'WEBHOOK_SECRET',
  'FIXPOINT_TOKEN',
  'NO_COLOR',
]);
/** Variables of Node.js, of OpenTelemetry and of the runners of CI systems. */
const isOtherWord = (word: string): boolean =>
  OTHER_WORDS.has(word) || /^(?:NODE|OTEL|CI|GITLAB|GITHUB|FORGEJO|GITEA)_/.test(word);

/** Rules quote foreign code, which may contain any word. */
const quotesForeignCode = (path: string): boolean => /^shared\/rules\/(?!model\/errors)/.test(path);

const codes = production
  .filter(({ path }) => !quotesForeignCode(path))
  .flatMap(({ text }) => {
    const body = withoutComments(text);
    const capitals = [...body.matchAll(/'(?<code>[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)'/g)];
    const named = [...body.matchAll(/\bcode: '(?<code>[A-Z]+|[a-z]+(?:_[a-z]+)+)'/g)];
    return [...capitals, ...named].map((match) => match.groups?.['code'] ?? '');
  })
  .filter((code) => !isOtherWord(code));

const rowsOf = (readme: string): readonly string[] => readme.split('\n').filter((line) => /^\| `\w+` \|/.test(line));

test('every error code is explained in the table, and none that is gone', () => {
  expect(Object.keys(ERROR_CODES).toSorted()).toEqual([...new Set(codes)].toSorted());
});

test('shared/README.md shows the table of error codes as it is in the code', () => {
  expect(rowsOf(readProjectFile('shared/README.md'))).toEqual(readmeRows());
});

test('every script of package.json that a person runs is named in README.md or CONTRIBUTING.md', () => {
  const { scripts } = JSON.parse(readProjectFile('package.json'));
  const text = readProjectFile('README.md') + readProjectFile('CONTRIBUTING.md');
  const silent = Object.keys(scripts).filter((name) => !name.startsWith('pre') && !mentions(text, name));
  expect(silent).toEqual([]);
});

const mentions = (text: string, script: string): boolean =>
  text.includes(`npm run ${script}`) || text.includes(`npm ${script}`) || text.includes(`\`${script}\``);

test('every relative link in a document leads to a file', () => {
  const files = trackedFiles();
  const documents = files.filter((path) => path.endsWith('.md') && !path.startsWith('test/fixtures/'));
  const broken = documents.flatMap((path) => {
    const folder = path.includes('/') ? path.slice(0, path.lastIndexOf('/') + 1) : '';
    const links = [...readProjectFile(path).matchAll(/\]\((?!https?:|#|mailto:)(?<to>[^)#]+)/g)];
    const targets = links.map((match) => new URL(match.groups?.['to'] ?? '', `file:///${folder}`).pathname.slice(1));
    return targets.filter((to) => !files.some((file) => file === to || file.startsWith(to.replace(/\/?$/, '/'))));
  });
  expect(broken).toEqual([]);
});
