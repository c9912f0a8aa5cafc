import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { loadConfig } from '../../../../shared/config/load.ts';
import { locateSetting } from '../../../../shared/config/text/locate-setting.ts';

const TEXT = `data_dir = "x"
rounds.max = 3

[[forge]] # the first
id = "a"
[[forge]]
id = "b"
  "base_url" = "https://x"
projects = [
  "a/b",
]

[budgets.model]
max_cost_usd = 1
[[agent.price]]
model = "m"
`;

describe('F-F12: locateSetting', () => {
  it.each([
    ['data_dir', 1],
    ['rounds.max', 2],
    ['forge[0]', 4],
    ['forge[0].id', 5],
    ['forge[1].id', 7],
    ['forge[1].base_url', 8],
    ['forge[1].projects[1]', 9],
    ['forge[1].token_env', 6],
    ['budgets.model.max_cost_usd', 14],
    ['agent.price[0].model', 16],
    ['agent.price[0].input_usd', 15],
    ['nothing', null],
    ['forge[7].id', null],
    ['', null],
  ])('%s is on line %j', (setting, line) => {
    expect(locateSetting(TEXT, setting)).toBe(line);
  });
});

describe('F-F12: a mistake in a file', () => {
  const folder = mkdtempSync(join(tmpdir(), 'fixpoint-config-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'fixpoint.toml');
  const problemsOf = (text: string): readonly string[] => {
    writeFileSync(file, text);
    const loaded = loadConfig({ path: file, env: {}, needs: [] });
    return loaded.ok ? [] : loaded.problems;
  };

  it('is told with file, line and what was given, and no syntax error without them', () => {
    expect(problemsOf('[review]\nrunner = = 1\n')).toEqual([`${file}: line 2, column 10: not valid TOML`]);
    const forge = '[[forge]]\nid = "main"\nkind = "github"\nbase_url = "https://forge.example"\n';
    const rest = 'token_env = "TOKEN"\nwebhook_secret_envs = ["W"]\nprojects = ["a/b"]\n[rounds]\nthread_count = 9\n';
    expect(problemsOf(forge + rest)).toEqual([
      `${file}:3: forge[0].kind: expected one of "forgejo", "gitea", "gitlab" (given: "github")`,
      `${file}:9: rounds.thread_count: expected number to be <=4 (given: 9)`,
    ]);
  });

  it('never shows what may be a secret, wherever it was put', () => {
    const secret = ['glpat', 'x7Kq92mNpLw4Zt81'].join('-');
    const settings = [
      'token_env',
      'kind',
      'id',
      'projects',
      'base_url',
      'mention',
      'webhook_secret_envs',
      'ca_file',
      secret,
    ];
    for (const key of settings) {
      const text = problemsOf(`[[forge]]\n${key} = "${secret}"\n[review]\nrunner = "${secret}"\n`).join('\n');
      expect(text).toContain(file);
      expect(text).not.toContain(secret);
    }
    expect(problemsOf('[[forge]]\ntoken_env = "correcthorse"\n').join()).not.toContain('correcthorse');
  });
});
