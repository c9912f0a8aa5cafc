/** What `readyz` of the author says, and that nothing starts where it is off. */
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { startAuthor } from '../../../services/author/start.ts';
import { loadConfig } from '../../../shared/config/load.ts';
import { createLogger } from '../../../shared/logger.ts';
import { createMetrics } from '../../../shared/metrics.ts';
import { connectRedis } from '../../../shared/store/redis.ts';
import { openFolder } from '../../support/cage.ts';
import { startRedis, type TestRedis } from '../../support/redis.ts';

let redis: TestRedis;
beforeAll(async () => {
  redis = await startRedis();
});
afterAll(async () => redis.stop());

let folder = openFolder();
beforeEach(() => {
  folder = openFolder();
});
afterEach(() => folder.dispose());

/** Started, asked and ended again. */
const noticesWith = async (settings: string): Promise<readonly string[]> => {
  const forge = 'id = "sim"\nkind = "forgejo"\nbase_url = "http://127.0.0.1:9"\ntoken_env = "TOKEN"\nprojects = ["*"]';
  const text = `data_dir = "${folder.path}/data"\n[[forge]]\n${forge}\nwebhook_secret_envs = ["HOOK"]\n${settings}`;
  const env = { REDIS_URL: redis.url, TOKEN: 't'.repeat(20) };
  const loaded = loadConfig({ text, env, needs: ['redis', 'read_token', 'push_token'] });
  if (!loaded.ok) throw new Error(loaded.problems.join('\n'));
  const connection = connectRedis(redis.url, 'worker');
  try {
    const service = await startAuthor({
      config: loaded.config,
      redis: connection,
      log: createLogger({ service: 'author', level: 'silent', to: 'stderr', secrets: [] }),
      metrics: createMetrics({ service: 'author', processMetrics: false }),
      forges: new Map(),
      signal: new AbortController().signal,
      nowMs: () => Date.now(),
    });
    await service.close(1000);
    return service.notices ?? [];
  } finally {
    connection.disconnect();
  }
};

const ON = '[author]\nenabled = true\ncommand = ["/opt/fix"]\n';

it.each([
  ['that has no cage', 'read_only_paths = ["/nowhere"]', /^no cage is available \([^]+\): the author is disabled/],
  ['that needs none', 'backend = "none"', /^sandbox\.backend is "none": the author works without a cage$/],
])('an author %s says so as long as it runs', async (_what, sandbox, notice) => {
  expect(await noticesWith(`${ON}[sandbox]\n${sandbox}`)).toEqual([expect.stringMatching(notice)]);
});

it('an author that nobody has switched on does not start', async () => {
  await expect(noticesWith('')).rejects.toMatchObject({ code: 'AUTHOR_OFF' });
});
