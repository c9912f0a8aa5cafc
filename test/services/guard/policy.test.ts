import { expect, it } from 'vitest';
import { policyOf } from '../../../services/guard/policy.ts';
import { loadConfig } from '../../../shared/config/load.ts';

const FORGE = `
[[forge]]
id = "main"
kind = "gitea"
base_url = "https://gitea.example.com"
token_env = "TOKEN"
webhook_secret_envs = ["HOOK"]
projects = ["a/b"]`;

const policyFor = (settings: string) => {
  const loaded = loadConfig({ text: `${settings}\n${FORGE}`, env: {}, needs: [] });
  if (!loaded.ok) throw new Error(loaded.problems.join('\n'));
  return policyOf(loaded.config);
};
const authorOf = (settings: string) => policyFor(settings).author;

const ON = '[author]\nenabled = true\ncommand = ["/opt/fix"]\nlabels = ["autofix"]\nmax_runtime_s = 60';

it('orders fixes where the operator says so, and gives them their running and their waiting time', () => {
  expect(authorOf(`${ON}\n[budgets]\nmax_wait_s = 40`)).toEqual({
    enabled: true,
    projects: [],
    labels: ['autofix'],
    authors: [],
    timeoutMs: 100_000,
  });
});

it('gives a fix the time of the validation commands twice, for itself and for its head', () => {
  const commands = '{ name = "a", command = ["/a"], timeout_s = 7 }, { name = "b", command = ["/b"], timeout_s = 3 }';
  const settings = `${ON}\n[budgets]\nmax_wait_s = 40\n[validation]\ncommand = [${commands}]`;
  expect(authorOf(settings).timeoutMs).toBe(100_000 + 20_000);
});

it.each([
  ['by default', ''],
  ['in a dry run', `${ON}\n[review]\ndry_run = true`],
])('orders none %s', (_when, settings) => {
  expect(authorOf(settings).enabled).toBe(false);
});

it('takes each limit from its setting, and counts seconds in milliseconds', () => {
  const settings = `
[review]
quiet_seconds = 11
max_comments = 13
labels = ["go"]
ignore_labels = ["stop"]
authors = ["ann"]
ignore_authors = ["bob"]
target_branches = ["main"]
announce_skips = true
project_ignores = "all"
show_cost = false
[rounds]
max = 4
max_runs = 9
max_silent = 5
max_carried = 6
attempts = 3
[gate]
ci_deadline_seconds = 70
ci_grace_s = 17
ignore_contexts = ["nightly"]
[budgets]
max_wait_s = 40
[budgets.model]
change_request_usd = 7
[agent]
outage_patience_s = 19
[agent.reviewer]
max_runtime_s = 50
[validation]
command = [{ name = "a", command = ["/a"], timeout_s = 7 }]`;
  expect(policyFor(settings)).toMatchObject({
    quietMs: 11_000,
    announceSkips: true,
    projectIgnores: 'all',
    filters: {
      labels: ['go'],
      ignoreLabels: ['stop'],
      authors: ['ann'],
      ignoreAuthors: ['bob'],
      targetBranches: ['main'],
    },
    rounds: { max: 4, maxRuns: 9, maxSilent: 5, maxCarried: 6, maxComments: 13, attempts: 3 },
    gate: { ciDeadlineMs: 70_000, ciGraceMs: 17_000, ignoreContexts: ['nightly'] },
    runTimeoutMs: 50_000 + 7_000 + 40_000,
    outagePatienceMs: 19_000,
    postTimeoutMs: 40_000,
    costs: { shown: false, limitUsd: 7 },
  });
});
