/** The end of every stage: no secret in logs, in Redis or in anything sent, and nothing that the forge would not take. */
import { connectRedis } from '../../shared/store/redis.ts';
import type { QuickAction, RequestEntry } from '../sim/forgejo/world.ts';
import { findLeaks, readRedis } from '../support/leaks.ts';

export type Evidence = {
  readonly sim: {
    readonly requests: readonly RequestEntry[];
    readonly violations: readonly string[];
    readonly quickActions: readonly QuickAction[];
  };
  readonly lines: readonly string[];
  /** On loopback; it must be reachable. */
  readonly redisPort: number;
  readonly secrets: readonly string[];
};

/** Throws with everything found. */
export const failOnLeaks = async ({ sim, lines, redisPort, secrets }: Evidence): Promise<void> => {
  if (lines.length === 0 || sim.requests.length === 0) throw new Error('there was nothing to search');
  const redis = connectRedis(`redis://127.0.0.1:${redisPort}`, 'worker');
  try {
    const sent = sim.requests.map(({ method, path, body }) => ({
      where: `${method} ${path}`,
      text: `${path}\n${body}`,
    }));
    const logged = lines.map((text, index) => ({ where: `log line ${index + 1}`, text }));
    const leaks = findLeaks([...logged, ...sent, ...(await readRedis(redis))], secrets);
    const bad = [...leaks, ...sim.violations, ...sim.quickActions.map(({ line }) => `quick action: ${line}`)];
    if (bad.length > 0) throw new Error(bad.join('\n'));
  } finally {
    redis.disconnect();
  }
};
