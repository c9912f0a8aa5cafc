import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runCli } from '../run-cli.ts';

const forge = (id: string, projects: string): string => `
[[forge]]
id = "${id}"
kind = "forgejo"
base_url = "https://${id}.example"
token_env = "TOKEN"
webhook_secret_envs = ["HOOK"]
projects = [${projects}]
`;

const TOKEN = ['glpat', 'Zx9'.repeat(7)].join('-');

const SETTINGS = `${forge('main', '"acme/*", "both/one"')}${forge('other', '"both/*"')}
[rounds]
max = 4

[[rules.from]]
name = "acme"
forge = "main"
project = "acme/code-rules"
ref = "v3"
rules = "rules"
guidelines = "style.md"

[[rules.from]]
name = "elsewhere"
forge = "main"
project = "acme/code-rules"
ref = "v3"
rules = "rules"
projects = ["both/*"]

[[messages.client]]
name = "rex"
role = "reviewer"
match = ["acme/*"]
folder = "rex"

[[messages.client]]
name = "sue"
role = "reviewer"
match = ["acme/shop"]
folder = "sue"

[[messages.client]]
name = "ann"
role = "author"
forge = "main"
project_id = 7
folder = "ann"

[[messages.client]]
name = "amy"
role = "author"
match = ["both/*"]
folder = "amy"

[[project]]
match = ["acme/*"]
rounds.attempts = 1
agent.reviewer.models = ["local", "big"]

[[project]]
match = ["acme/shop"]
[project.review]
quiet_seconds = 7
runner = "messages"
[[project.validation.command]]
name = "types"
command = ["/usr/bin/check", "--token=${TOKEN}"]
timeout_s = 5
`;

let folder = '';
let file = '';
let broken = '';
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'fixpoint-config-'));
  file = path.join(folder, 'fixpoint.toml');
  broken = path.join(folder, 'broken.toml');
  await writeFile(file, SETTINGS);
  await writeFile(broken, `${SETTINGS}\n[[project]]\nmatch = ["acme/shop"]\nrounds.max = 99\nredis.prefix = "x"\n`);
});
afterAll(async () => rm(folder, { recursive: true, force: true }));

const show = async (project: string, ...more: readonly string[]) =>
  runCli(['config', 'show', project, '--config', file, ...more]);

type Shown = { readonly setting: string; readonly value: unknown; readonly source: string };

describe('fixpoint config show', () => {
  test('prints each value of a project and the place that set it', async () => {
    const { code, stdout } = await show('acme/shop', '--format', 'json');
    expect(code).toBe(0);
    const { settings, ...rest } = JSON.parse(stdout);
    expect(rest).toEqual({
      forge: 'main',
      path: 'acme/shop',
      sections: [0, 1],
      ruleSources: [
        { name: 'acme', from: 'main/acme/code-rules at v3', rules: 'rules', guidelines: 'style.md' },
        { name: 'project', from: 'the target branch', rules: '.fixpoint/rules', guidelines: null },
      ],
      programs: [
        { name: 'rex', role: 'reviewer', source: 'messages.client[0]', used: false, onlyProjectId: null },
        { name: 'sue', role: 'reviewer', source: 'messages.client[1]', used: true, onlyProjectId: null },
        { name: 'ann', role: 'author', source: 'messages.client[2]', used: true, onlyProjectId: 7 },
      ],
    });
    const rows = new Map((settings as readonly Shown[]).map((each) => [each.setting, each]));
    const line = (text: string): number => SETTINGS.split('\n').indexOf(text) + 1;
    expect([rows.get('rounds.max')?.value, rows.get('rounds.max')?.source]).toEqual([4, `${file}:${line('max = 4')}`]);
    expect([rows.get('rounds.attempts')?.value, rows.get('rounds.attempts')?.source]).toEqual([
      1,
      `${file}:${line('rounds.attempts = 1')} (project[0])`,
    ]);
    expect(rows.get('review.quiet_seconds')?.source).toBe(`${file}:${line('quiet_seconds = 7')} (project[1])`);
    expect([rows.get('rounds.thread_count')?.value, rows.get('rounds.thread_count')?.source]).toEqual([2, 'default']);
    expect(rows.get('agent.reviewer.models')?.value).toEqual(['local', 'big']);
    expect(rows.has('agent.reviewer.model')).toBe(false);
    expect(rows.get('analyzer')?.value).toEqual([]);
    expect(rows.get('validation.command')?.value).toMatchObject([{ name: 'types', timeout_s: 5 }]);
    expect([...rows.keys()].filter((setting) => /^(?:redis|forge|project|budgets\.model\.day)/.test(setting))).toEqual(
      [],
    );
  });

  test('prints the same as text, and never a secret', async () => {
    const { code, stdout } = await show('acme/shop');
    expect(code).toBe(0);
    expect(stdout).toMatch(/^main\/acme\/shop: matched by project\[0\], project\[1\]\n/);
    expect(stdout).toMatch(/^rounds\.max = 4 {2}# .*fixpoint\.toml:\d+; \.fixpoint\.toml may tighten it$/m);
    expect(stdout).toMatch(/^rounds\.thread_count = 2 {2}# default$/m);
    expect(stdout).toContain('acme/…: rules rules and guidelines style.md of main/acme/code-rules at v3\n');
    expect(stdout).toContain('project/…: rules .fixpoint/rules of the target branch\n');
    expect(stdout).toMatch(
      /^external programs:\nreviewer rex \(not asked\) {2}# messages\.client\[0\]\nreviewer sue {2}# messages\.client\[1\]\nauthor ann, if the id of the project is 7 {2}# messages\.client\[2\]\n/m,
    );
    expect(stdout).not.toContain('elsewhere');
    expect(stdout).not.toContain(TOKEN);
  });

  test.each([
    ['both/one', /several forges serve both\/one; expected main\/both\/one or other\/both\/one/],
    ['else/where', /no \[\[forge\]\] of the configuration serves else\/where/],
    ['main/else/where', /no \[\[forge\]\] of the configuration serves else\/where/],
    ['shop', /expected owner\/name or FORGE\/owner\/name/],
  ])('refuses %s with one sentence', async (project, sentence) => {
    const { code, stderr } = await show(project);
    expect(code).toBe(2);
    expect(stderr).toMatch(sentence);
  });

  test('takes the id of a forge before the path', async () => {
    const { code, stdout } = await show('other/both/one');
    expect([code, stdout.split('\n')[0]]).toEqual([0, 'other/both/one: no [[project]] section matches']);
  });
});

describe('fixpoint config check', () => {
  test('says that there is no mistake', async () => {
    expect(await runCli(['config', 'check', '--config', file])).toMatchObject({
      code: 0,
      stdout: `${file}: no mistakes; 2 [[forge]] and 2 [[project]] and 4 [[messages.client]]\n`,
    });
  });

  test('prints each mistake with its line', async () => {
    const { code, stderr } = await runCli(['config', 'check', '--config', broken]);
    expect(code).toBe(2);
    expect(stderr).toMatch(/broken\.toml:\d+: project\[2\]\.rounds\.max: expected number to be <=9/);
    expect(stderr).toMatch(/broken\.toml:\d+: project\[2\]\.redis: cannot differ per project/);
  });
});
