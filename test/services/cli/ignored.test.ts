import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parseRepositorySettings } from '../../../shared/config/repository/repository-settings.ts';
import { createIgnoredCounts } from '../../../shared/store/learning/ignored-counts.ts';
import { createKeys } from '../../../shared/store/keys.ts';
import { connectRedis } from '../../../shared/store/redis.ts';
import { runId } from '../../shared/rounds/builders.ts';
import { type ForgejoSim, startForgejoSim } from '../../sim/forgejo/start.ts';
import { startRedis, type TestRedis } from '../../support/redis.ts';
import { makeSettings } from '../../support/settings.ts';
import { runCli } from './run-cli.ts';

const RUN_MS = 60_000;
const REPO = 'shop-team/shop';
const FILE = `
[[ignore]]
rule = "js-debugger"
path = "gen/"
reason = "generated\\u202e"
thread = "THREAD"

[[ignore]]
rule = "js-eval"
path = "gen/**"
reason = "over"
until = "2020-01-31"

[[ignore]]
rule = "js-eval"
reason = "no path"
`;

let folder = '';
let forge: ForgejoSim;
let redis: TestRedis;
let projectId = 0;
let env: Readonly<Record<string, string>> = {};

const textWith = (thread: string): string => FILE.replace('THREAD', thread);

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'fixpoint-ignored-'));
  redis = await startRedis();
  forge = await startForgejoSim({ dataDir: path.join(folder, 'forge') });
  forge.createUser({ login: 'shop-team' });
  const { token } = forge.createUser({ login: 'fixpoint' });
  projectId = (await forge.createRepo('shop-team', 'shop')).id;
  forge.addCollaborator(REPO, 'fixpoint', 'admin');
  const text = textWith(`${forge.url}/shop-team/shop/pulls/1#issuecomment-2`);
  const message = 'Begin\n';
  await forge.commitFiles({
    repo: REPO,
    branch: 'main',
    message,
    author: 'shop-team',
    files: { '.fixpoint.toml': text },
  });
  await forge.createRepo('shop-team', 'empty');
  forge.addCollaborator('shop-team/empty', 'fixpoint', 'admin');
  await forge.commitFiles({
    repo: 'shop-team/empty',
    branch: 'main',
    message,
    author: 'shop-team',
    files: { 'README.md': '# x\n' },
  });
  const made = makeSettings({ forgeUrl: forge.url, token, projects: [REPO], dataDir: path.join(folder, 'data') });
  await writeFile(path.join(folder, 'fixpoint.toml'), made.toml);
  env = { ...made.env, REDIS_URL: redis.url };
  const client = connectRedis(redis.url, 'worker');
  const entry = parseRepositorySettings(text).settings.ignore[0]?.id;
  const counts = createIgnoredCounts(client, createKeys('fixpoint'));
  const dropped = [{ entry }, { entry }];
  await counts.add(
    { forge: 'sim', projectId },
    { runId: runId('one'), dropped, atMs: Date.parse('2026-05-04T03:02:01Z') },
  );
  client.disconnect();
}, RUN_MS);

afterAll(async () => {
  await forge?.close();
  await redis?.stop();
  await rm(folder, { recursive: true, force: true });
}, RUN_MS);

const ignored = async (project: string, ...more: readonly string[]) =>
  runCli(['ignored', project, '--config', path.join(folder, 'fixpoint.toml'), ...more], { env });

test(
  'lists each entry of the default branch with its use, and says what has no effect',
  async () => {
    const { code, stdout } = await ignored(`sim/${projectId}`);
    expect(code).toBe(0);
    const [used, over, mistake, ...others] = stdout.trimEnd().split('\n');
    expect(used).toMatch(/^js-debugger in gen\/: 2 times, last 2026-05-04 - generated.*\(http.*#issuecomment-2\)$/);
    expect(used).not.toContain('\u202e');
    expect(over).toBe('js-eval in gen/**: never [no effect: it expired on 2020-01-31] - over');
    expect(mistake).toMatch(/`ignore\[2\]` has no effect \(path: is missing/);
    expect(others).toEqual([]);
  },
  RUN_MS,
);

test(
  'prints the same as JSON, also for a project by name',
  async () => {
    const { code, stdout } = await ignored(`sim/${REPO}`, '--format', 'json');
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      project: REPO,
      branch: 'main',
      entries: [
        { rule: 'js-debugger', findings: 2, lastAt: '2026-05-04T03:02:01.000Z', withoutEffect: null },
        { rule: 'js-eval', findings: 0, lastAt: null, withoutEffect: 'it expired on 2020-01-31', until: '2020-01-31' },
      ],
      notes: [expect.stringContaining('`ignore[2]`')],
    });
  },
  RUN_MS,
);

test(
  'says that a project without the file ignores nothing',
  async () => {
    const { code, stdout } = await ignored('sim/shop-team/empty', '--branch', 'main');
    expect([code, stdout]).toEqual([0, 'shop-team/empty ignores nothing on main\n']);
  },
  RUN_MS,
);

test.each([
  ['shop', 'expected FORGE/PROJECT_ID or FORGE/owner/name'],
  ['other/4', 'the configuration has no forge "other"'],
  ['sim/999999', 'project not found'],
])(
  'refuses %s and says why',
  async (project, words) => {
    const { code, stderr } = await ignored(project);
    expect(code).toBe(2);
    expect(stderr).toContain(words);
  },
  RUN_MS,
);
