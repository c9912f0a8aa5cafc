import { describe, expect, it, test } from 'vitest';
import { operatorRulesOf } from '../../../../services/reviewer/rules/operator-rules.ts';
import { loadConfig } from '../../../../shared/config/load.ts';
import type { Config } from '../../../../shared/config/load.ts';
import { SettingsFile } from '../../../../shared/config/schema.ts';
import { listSettings } from '../../../../shared/config/text/setting-tree.ts';

const FORGE = `[[forge]]
id = "main"
kind = "gitlab"
base_url = "https://git.example.com"
token_env = "TOKEN"
webhook_secret_envs = ["HOOK"]
projects = ["shop/*"]
`;

const configOf = (toml: string): Config => {
  const loaded = loadConfig({ text: `${toml}\n${FORGE}`, env: {}, needs: [], folder: '/' });
  if (!loaded.ok) throw new Error(loaded.problems.join('\n'));
  return loaded.config;
};

const PROJECT = { forge: 'main', projectId: 1, path: 'shop/web' };
const rulesOf = (config: Config, project = PROJECT): string => operatorRulesOf(config, project);

const AGENT = 'review.runner = "agent"\n';
const COMMAND =
  '[[analyzer]]\nname = "one"\ncommand = ["/usr/bin/one"]\nformat = "sarif"\nexit_codes = [0]\ntimeout_s = 9\n';
const REPORT = '[[analyzer]]\nname = "two"\nfrom = "ci-artifact"\njob = "scan"\nartifact = "a.sarif"\n';
const CLIENT = 'review.runner = "messages"\n[[messages.client]]\nrole = "reviewer"\ntoken_env = "REX"\n';
const OF_ONE = `${CLIENT}name = "rex"\nforge = "main"\nproject_id = 1\n`;
const OF_MANY = `${CLIENT}name = "rex"\nmatch = ["shop/*"]\n`;
/** The last client that matches reviews. */
const LAST = '[[messages.client]]\nrole = "reviewer"\ntoken_env = "LAST"\nname = "last"\nmatch = ["shop/*"]\n';
const OTHER_FORGE = FORGE.replaceAll('"main"', '"other"').replace('git.example', 'code.example');
const SECOND = '[[messages.client]]\nname = "ann"\nrole = "author"\nmatch = ["shop/web"]\ntoken_env = "ANN"\n';
const LOCAL = `${AGENT}agent.reviewer.model = "local/m"
[[agent.provider]]
name = "local"
kind = "openai"
base_url = "http://127.0.0.1:1/v1"
input_usd = 0
output_usd = 0
effort = "low"
`;

type Pair = readonly [before: string, after: string];

const swap = (toml: string, from: string, to: string): Pair => [toml, toml.replace(from, to)];
const add = (toml: string, line: string): Pair => [toml, `${toml}${line}\n`];

/** Each setting on which a verdict depends, and two configurations that differ in it alone. */
const DECISIVE: Readonly<Record<string, Pair>> = {
  'review.include_paths': add('', 'review.include_paths = ["src/**"]'),
  'review.exclude_paths': add('', 'review.exclude_paths = ["vendor/**"]'),
  'review.unknown_languages': add('', 'review.unknown_languages = "pass"'),
  'review.only_excluded': add('', 'review.only_excluded = "pass"'),
  'review.project_ignores': add('', 'review.project_ignores = "all"'),
  'review.verify': add(AGENT, 'review.verify = false'),
  'review.finders': add(AGENT, 'review.finders = false'),
  'review.runner': add('', AGENT),
  'rounds.duplicate_threshold': add('', 'rounds.duplicate_threshold = 0.9'),
  'limits.max_files': add('', 'limits.max_files = 7'),
  'limits.max_diff_bytes': add('', 'limits.max_diff_bytes = 2048'),
  'limits.max_file_bytes': add('', 'limits.max_file_bytes = 2048'),
  'agent.max_explorers': add(AGENT, 'agent.max_explorers = 0'),
  'agent.verify_max': add(AGENT, 'agent.verify_max = 0'),
  'agent.reviewer.model': add(AGENT, 'agent.reviewer.model = "other"'),
  'agent.reviewer.models': add(AGENT, 'agent.reviewer.models = ["claude-sonnet-5-5", "other"]'),
  'agent.reviewer.effort': add(AGENT, 'agent.reviewer.effort = "high"'),
  'agent.explorer.model': add(AGENT, 'agent.explorer.model = "other"'),
  'agent.explorer.models': add(AGENT, 'agent.explorer.models = ["claude-haiku-5-5", "other"]'),
  'agent.explorer.effort': add(AGENT, 'agent.explorer.effort = "high"'),
  'agent.verifier.models': add(AGENT, 'agent.verifier.models = ["other"]'),
  'agent.verifier.effort': add(AGENT, 'agent.verifier.effort = "high"'),
  'agent.provider[].name': [LOCAL, LOCAL.replaceAll('local', 'other')],
  'agent.provider[].effort': swap(LOCAL, 'effort = "low"', 'effort = "high"'),
  'analyzer[].name': swap(COMMAND, '"one"', '"other"'),
  'analyzer[].paths': add(COMMAND, 'paths = ["*.js"]'),
  'analyzer[].projects': add(COMMAND, 'projects = ["shop/api"]'),
  'analyzer[].severity.error': add(COMMAND, 'severity = { error = "P0" }'),
  'analyzer[].severity.warning': add(COMMAND, 'severity = { warning = "P1" }'),
  'analyzer[].severity.info': add(COMMAND, 'severity = { info = "P2" }'),
  'analyzer[].from': [COMMAND, REPORT.replace('"two"', '"one"')],
  'analyzer[].command': swap(COMMAND, '/usr/bin/one', '/usr/bin/other'),
  'analyzer[].format': swap(COMMAND, 'sarif', 'checkstyle'),
  'analyzer[].exit_codes': swap(COMMAND, '[0]', '[0, 1]'),
  'analyzer[].writable': add(COMMAND, 'writable = true'),
  'analyzer[].job': swap(REPORT, '"scan"', '"other"'),
  'analyzer[].artifact': swap(REPORT, 'a.sarif', 'b.sarif'),
  'messages.client[].name': swap(OF_ONE, '"rex"', '"tom"'),
  'messages.client[].role': swap(`${OF_MANY}${SECOND}`, '"author"', '"reviewer"'),
  'messages.client[].forge': swap(
    `${OF_MANY}${LAST}forge = "main"
${OTHER_FORGE}`,
    'forge = "main"',
    'forge = "other"',
  ),
  'messages.client[].project_id': swap(OF_ONE, '= 1', '= 2'),
  'messages.client[].match': [
    `${OF_MANY}${LAST.replace('shop/*', 'shop/web')}`,
    `${OF_MANY}${LAST.replace('shop/*', 'shop/api')}`,
  ],
};

/** Every other setting, by the reason why no verdict depends on it. A name that ends in "." stands for a whole table. */
const OTHER: Readonly<Record<string, string>> = {
  'merged into the other tables before': 'project[].',
  'the content that was loaded is part of the hash (`withSources`)': 'rules.from[].',
  'where the service runs, and with what it is connected': `
    data_dir redis. marker. forge[]. ingress. queues. sweep. mirrors. health. console. metrics. log.
    transcripts. notify[]. messages.name messages.folder_seconds messages.client[].token_env
    messages.client[].folder limits.running_per_project`,
  'guard decides with it whether and when a head is reviewed': `
    review.triggers review.drafts review.quiet_seconds review.labels review.ignore_labels review.authors
    review.ignore_authors review.target_branches review.announce_skips rounds.max rounds.max_runs
    rounds.max_silent rounds.max_carried rounds.attempts rounds.review_on_base_change rounds.thread_count`,
  'guard applies it to every head, also to one with a carried verdict': 'gate. review.forge_verdict',
  'only for what is posted': 'review.max_comments review.show_cost review.dry_run operators.',
  'runs again for a carried verdict': 'validation.command[].',
  'not of the reviewer': 'author. agent.author.',
  'a review that reaches this limit, or has no cage, gives no pass': `
    budgets. sandbox. analyzer[].timeout_s agent.max_output_tokens agent.compact_at_tokens agent.max_parts
    agent.max_corrections agent.idle_timeout_s agent.call_timeout_s agent.outage_patience_s
    agent.reviewer.max_turns agent.reviewer.max_runtime_s agent.reviewer.context_tokens agent.explorer.max_turns
    agent.explorer.max_runtime_s agent.explorer.context_tokens`,
  'how the model of a name is reached and paid': `
    agent.api_key_env agent.base_url agent.ca_file agent.proxy agent.stream agent.long_cache agent.claude_code.
    agent.price[]. agent.provider[].kind agent.provider[].base_url agent.provider[].key_env
    agent.provider[].key_header agent.provider[].headers agent.provider[].ca_file agent.provider[].proxy
    agent.provider[].input_usd agent.provider[].output_usd agent.provider[].cached_input_usd
    agent.provider[].context_tokens agent.provider[].parallel_tools agent.provider[].forced_tool
    agent.provider[].cache_breakpoints agent.provider[].json_schema agent.provider[].output_limit`,
};

const others = Object.values(OTHER).flatMap((names) => names.trim().split(/\s+/));
const isOther = (setting: string): boolean =>
  others.some((name) => (name.endsWith('.') ? setting.startsWith(name) : setting === name));

test('a verdict depends on every setting, or there is a reason why it does not', () => {
  const all = listSettings(SettingsFile);
  expect(all.filter((setting) => Object.hasOwn(DECISIVE, setting) === isOther(setting))).toEqual([]);
  expect(Object.keys(DECISIVE).filter((setting) => !all.includes(setting))).toEqual([]);
});

test.each(Object.entries(DECISIVE))('a verdict is not carried after a change of %s', (_, [before, after]) => {
  expect(rulesOf(configOf(after))).not.toBe(rulesOf(configOf(before)));
});

const MORE = `[[agent.price]]
model = "other"
input_usd = 1
output_usd = 1
[[notify]]
name = "on-call"
kind = "json"
url_env = "URL"
secret_env = "SECRET"
[[rules.from]]
name = "acme"
forge = "main"
project = "acme/rules"
ref = "v1"
rules = "rules"
[[validation.command]]
name = "types"
command = ["/usr/bin/types"]
`;

/** Every list has an entry, so that every setting has a place. */
const FULL = configOf(`${LOCAL}${COMMAND}${REPORT}${MORE}`);
const FULL_OF_MESSAGES = configOf(OF_ONE);

const camel = (name: string): string => name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());

/** The same settings with another value in one place; undefined if the place does not exist. */
const changed = (value: unknown, [first, ...rest]: readonly string[]): unknown => {
  if (first === undefined) return 'another value';
  if (first === '[]') return Array.isArray(value) ? value.map((each) => changed(each, rest)) : value;
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, first)) return value;
  return { ...value, [first]: changed(Reflect.get(value, first), rest) };
};

const placeOf = (setting: string): readonly string[] =>
  camel(setting)
    .replaceAll('[]', '.[]')
    .split('.')
    .filter((part) => part !== '');

test.each(listSettings(SettingsFile).filter((setting) => isOther(setting) && !setting.startsWith('project[].')))(
  'a verdict is still carried after a change of %s',
  (setting) => {
    for (const config of [FULL, FULL_OF_MESSAGES]) {
      // The cast is safe because nothing here reads the changed value.
      const other = changed(config, placeOf(setting)) as Config;
      expect(rulesOf(other)).toBe(rulesOf(config));
    }
  },
);

it('differs when a model key makes `auto` review with a model', () => {
  const config = configOf('');
  const withKey = { ...config, secrets: { ...config.secrets, model: { key: 'key', baseUrl: null } } };
  expect(rulesOf(withKey)).not.toBe(rulesOf(config));
  expect(rulesOf(withKey)).toBe(rulesOf(configOf(AGENT)));
});

it.each<[string, string, string]>([
  ['a model, because only the rules review', 'review.runner = "rules"\n', 'agent.reviewer.model = "other"\n'],
  [
    'the models of verifiers, because none verifies',
    `${AGENT}review.verify = false\n`,
    'agent.verifier.models = ["b"]\n',
  ],
  ['a limit that does not switch off explorers', AGENT, 'agent.max_explorers = 2\n'],
  [
    'an effort that the model does not accept',
    `${AGENT}agent.reviewer.model = "a"\n`,
    'agent.reviewer.effort = "low"\n',
  ],
  ['a reviewer who does not review', 'review.runner = "rules"\n', OF_ONE.replace('review.runner = "messages"\n', '')],
])('is the same after a change of %s', (_, before, change) => {
  expect(rulesOf(configOf(`${before}${change}`))).toBe(rulesOf(configOf(before)));
});

describe('a change for another project', () => {
  const OTHER = { forge: 'main', projectId: 2, path: 'shop/api' };
  const analyzer = COMMAND.replace('name', 'projects = ["shop/api"]\nname');
  const report = REPORT.replace('name', 'projects = ["shop/api"]\nname');
  const last = LAST.replace('shop/*', 'shop/api');

  it.each<[string, string, string]>([
    ['a new analyzer', '', analyzer],
    ['a new report of CI', '', report],
    ['another command', analyzer, analyzer.replace('/usr/bin/one', '/usr/bin/two')],
    [
      'another project beside its own',
      COMMAND.replace('name', 'projects = ["shop/web"]\nname'),
      COMMAND.replace('name', 'projects = ["shop/web", "shop/api"]\nname'),
    ],
    ['a new external reviewer', OF_MANY, `${OF_MANY}${last}`],
    ['another external reviewer', `${OF_MANY}${last}`, `${OF_MANY}${last.replace('"last"', '"tom"')}`],
  ])('%s is no other verdict for this one', (_what, before, after) => {
    expect(rulesOf(configOf(after))).toBe(rulesOf(configOf(before)));
    expect(rulesOf(configOf(after), OTHER)).not.toBe(rulesOf(configOf(before), OTHER));
  });
});
