/** All services in this process with a simulated Forgejo; a test may put a proxy in front of their Redis. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startOneProcess } from '../../services/cli/one-process.ts';
import { connectRedis } from '../../shared/store/redis.ts';
import { type ForgejoSim, startForgejoSim } from '../sim/forgejo/start.ts';
import { AUTHOR, BOT, OWNER } from '../support/fleet.ts';
import { commitBase } from '../support/fleet-story.ts';
import { makeSettings } from '../support/settings.ts';
import { failOnLeaks } from '../support/fail-on-leaks.ts';

export const REPO = `${OWNER}/shop`;

export type RedisStage = {
  readonly sim: ForgejoSim;
  /** To be called once. Fails on a leaked secret, and on a request outside the forge's API. */
  readonly finish: () => Promise<void>;
};

/**
 * Short locks and a sweep every few seconds, so that lost work is found soon. An announced run whose job is lost fails at
 * its deadline, which is also soon, and there are enough attempts.
 */
const MORE = `
[sweep]
interval_seconds = 5
[limits]
running_per_project = 50
[agent.reviewer]
max_runtime_s = 10
[budgets]
max_wait_s = 10
[rounds]
attempts = 5
max_runs = 30
[queues]
lock_ms = 2000
stalled_ms = 500
backoff_ms = 100
`;

/** Contract: the caller ends with `finish` while Redis is reachable, also when a test fails. The caller stops Redis. */
export const startRedisStage = async (redisPort: number): Promise<RedisStage> => {
  const folder = await mkdtemp(path.join(tmpdir(), 'fixpoint-stage-'));
  const sim = await startForgejoSim({ dataDir: path.join(folder, 'forge') });
  for (const login of [OWNER, AUTHOR]) sim.createUser({ login });
  const bot = sim.createUser({ login: BOT });
  await sim.createRepo(OWNER, 'shop');
  for (const login of [AUTHOR, BOT]) sim.addCollaborator(REPO, login, 'write');
  const settings = makeSettings({
    forgeUrl: sim.url,
    token: bot.token,
    projects: [REPO],
    dataDir: path.join(folder, 'data'),
    more: MORE,
  });
  const lines: string[] = [];
  const services = await startOneProcess({
    settings: settings.toml,
    folder,
    env: settings.env,
    connectRedis: () => connectRedis(`redis://127.0.0.1:${redisPort}`, 'worker'),
    logTo: { write: (line) => void lines.push(line) },
    logLevel: 'debug',
  });
  sim.addWebhook({ repo: REPO, url: `${services.ingressUrl}/webhooks/sim`, secret: settings.webhookSecret });
  await commitBase({ sim, repos: [REPO] });
  const secrets = [bot.token, settings.webhookSecret, settings.markerSecret];
  let finishing: Promise<void> | null = null;
  const finish = async (): Promise<void> => {
    await sim.settled();
    await services.close();
    try {
      await failOnLeaks({
        sim,
        lines,
        connect: () => connectRedis(`redis://127.0.0.1:${redisPort}`, 'worker'),
        secrets,
      });
    } finally {
      await sim.close();
      await rm(folder, { recursive: true, force: true, maxRetries: 3 });
    }
  };
  return { sim, finish: async () => (finishing ??= finish()) };
};
