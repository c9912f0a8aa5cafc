/** The page of the projects, and the page of one. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createHookReports, type HookReport } from '../../../shared/store/sweep/sweep-hooks.ts';
import { startRedis, type TestRedis } from '../../support/redis.ts';
import { type ConsoleStage, openConsole, storeScene, TOKENS } from './console-stage.ts';

let redis: TestRedis;
let stage: ConsoleStage;

const MORE = `
[[project]]
match = ["acme/shop"]
[project.rounds]
max = 2
`;

beforeAll(async () => {
  redis = await startRedis();
  stage = await openConsole({ redisUrl: redis.url, more: MORE });
});

beforeEach(async () => {
  await stage.source.redis.flushall();
  await storeScene(stage.source);
});

afterAll(async () => {
  await stage?.close();
  await redis?.stop();
});

const ask = async (url: string) => stage.app.inject({ url, headers: { authorization: `Bearer ${TOKENS.read}` } });

const plain = (markup: string): string => markup.replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ');

const saveHook = async (patch: Partial<HookReport> = {}): Promise<void> => {
  const { redis: connection, keys, nowMs } = stage.source;
  const report: HookReport = {
    v: 1,
    projectId: 4,
    path: 'acme/shop',
    health: 'partial',
    untilMs: null,
    lacks: ['comments <b>'],
    atMs: nowMs() - 60_000,
    ...patch,
  };
  await createHookReports(connection, keys).save('sim', report);
};

test('projects are listed with their webhook and their last verdicts', async () => {
  await saveHook();
  await saveHook({ projectId: 5, path: 'acme/quiet', health: 'working', lacks: [] });
  const { body } = await ask('/projects');
  const text = plain(body);
  expect(text).toContain('2 projects, the most recently active first.');
  expect(text).toMatch(/acme\/shop .*webhook partial.*5 change requests.*7 feedback/);
  expect(text).toMatch(/acme\/quiet .*webhook working.*0 change requests/);
  expect(text.indexOf('acme/shop')).toBeLessThan(text.indexOf('acme/quiet'));
});

test('a project shows what its webhook lacks, its verdicts, and each setting with the place that set it', async () => {
  await saveHook();
  const { body } = await ask('/projects/sim/4');
  const text = plain(body);
  expect(text).toContain('The webhook lacks: comments &lt;b&gt;.');
  expect(text).toContain('Charge the card only once');
  expect(text).toContain('Matched by project[0]; the last section wins.');
  expect(text).toMatch(/rounds\.max \* 2 fixpoint\.toml:\d+ \(project\[0\]\)/);
  expect(text).toMatch(/rounds\.max_runs 12 default/);
});

test('the name of a project that the sweep does not know is the one that guard stored', async () => {
  const { redis: connection, config } = stage.source;
  await connection.set(`{${config.redis.prefix}}:project:sim.4:name`, 'acme/<i>');
  expect((await ask('/projects/sim/4')).body).toContain('<h1>acme/&lt;i&gt;</h1>');
});

test('a project that nobody has seen has a page without settings, and one of another forge has none', async () => {
  const { statusCode, body } = await ask('/projects/sim/99');
  expect([statusCode, body.includes('<h1>sim/99</h1>'), body.includes('rounds.max')]).toEqual([200, true, false]);
  expect((await ask('/projects/other/4')).statusCode).toBe(404);
  expect((await ask('/projects/sim/4x')).statusCode).toBe(404);
});

test('many projects are listed in pages', async () => {
  for (let index = 0; index < 51; index += 1) await saveHook({ projectId: 100 + index, path: `acme/p${index}` });
  expect((await ask('/projects')).body).toContain('page 1 of 2');
  const second = await ask('/projects?page=2');
  expect(second.body).toContain('acme/p9');
  expect((await ask('/projects?page=9')).body).toBe(second.body);
});
