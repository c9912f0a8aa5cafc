/** The command `fixpoint cost` on a real Redis. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createBudgetLedger } from '../../../../shared/store/budget-ledger.ts';
import { connectRedis } from '../../../../shared/store/redis.ts';
import { createProjectNames } from '../../../../shared/store/spending/project-names.ts';
import { temporaryFolder } from '../../../shared/workspace/repository.ts';
import { BUDGET_LIMITS } from '../../../support/budget-limits.ts';
import { startRedis, type TestRedis } from '../../../support/redis.ts';
import { makeSettings } from '../../../support/settings.ts';
import { runCli } from '../run-cli.ts';

const RUN_MS = 60_000;
const DAY = new Date().toISOString().slice(0, 10);

let folder: ReturnType<typeof temporaryFolder>;
let redis: TestRedis;
let configFile = '';

beforeAll(async () => {
  folder = temporaryFolder();
  redis = await startRedis();
  configFile = join(folder.path, 'fixpoint.toml');
  const wish = { forgeUrl: 'http://127.0.0.1:1', token: 'unused-token', projects: ['a/b'], dataDir: folder.path };
  await writeFile(configFile, makeSettings(wish).toml);
  const client = connectRedis(redis.url, 'worker');
  const ledger = createBudgetLedger(client, { prefix: 'fixpoint', limits: BUDGET_LIMITS });
  for (const [projectId, microUsd] of [
    [4, 1_500_000],
    [5, 250_000],
  ] as const) {
    const account = { runId: `run${projectId}`, changeRequest: { forge: 'sim', projectId, number: 1 }, day: DAY };
    const purpose = { role: 'reviewer', model: 'claude-sonnet-5-5' } as const;
    await ledger.reserve({
      callId: `call${projectId}`,
      account,
      purpose,
      worst: { tokens: 9_000, microUsd: 2_000_000 },
    });
    await ledger.settle(`call${projectId}`, account, { tokens: 1_000, microUsd, outputTokens: 100 });
  }
  await createProjectNames(client, 'fixpoint').save({ forge: 'sim', projectId: 4 }, 'shop/till');
  client.disconnect();
});

afterAll(async () => {
  await redis?.stop();
  folder?.dispose();
});

const cost = async (args: readonly string[], url = redis.url) =>
  runCli(['cost', ...args, '--config', configFile], { env: { REDIS_URL: url } });

test(
  'prints projects by their names, or by their ids, with a total',
  async () => {
    expect(await cost(['--since', '1d'])).toEqual({
      code: 0,
      stderr: '',
      stdout: `${DAY} to ${DAY} (UTC)
project        calls  input  cached  output     cost
sim/shop/till      1    900       0     100  $1.5000
sim/5              1    900       0     100  $0.2500
total              2  1,800       0     200  $1.7500
`,
    });
  },
  RUN_MS,
);

test.each([
  [['--by', 'people'], '--by: expected some of day, forge, project, role, model, with commas, not "people"'],
  [['--since', 'yesterday'], '--since: expected a number of days such as 30d, or a date such as 2026-11-01'],
  [['--until', '2020-01-01'], '--until: the period would end (2020-01-01) before it begins'],
])(
  'refuses %j in one sentence',
  async (args, message) => {
    const { code, stdout, stderr } = await cost(args);
    expect([code, stdout, stderr.trim().split('\n').length]).toEqual([2, '', 1]);
    expect(stderr).toContain(message);
  },
  RUN_MS,
);
