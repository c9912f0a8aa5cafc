/**
 * The final check of every stage that runs services: no secret in logs, Redis or requests to forge and model, no request
 * that the real forge would reject, no quick action in the bot's text. Each stage calls it on closing.
 */
import type { Redis } from 'ioredis';
import { awaitRedis } from '../../shared/store/redis.ts';
import type { QuickAction, RequestEntry } from '../sim/forgejo/world.ts';
import { findLeaks, readRedis } from './leaks.ts';

export type SearchedSim = {
  readonly requests: readonly Pick<RequestEntry, 'method' | 'path' | 'body'>[];
  readonly violations: readonly string[];
  readonly quickActions: readonly QuickAction[];
};

export type Evidence = {
  readonly sim: SearchedSim;
  readonly lines: readonly string[];
  /** Opens a connection to the stage's Redis. Null when the stage has none. */
  readonly connect: (() => Redis) | null;
  readonly secrets: readonly string[];
  /** Requests to the model, if there is one. The API key is in a header, which is not searched. */
  readonly modelRequests?: readonly Pick<RequestEntry, 'path' | 'body'>[];
};

/** Throws with everything found; also when there is nothing to search, or no secret to search for. */
export const failOnLeaks = async (evidence: Evidence): Promise<void> => {
  const { sim, lines, connect, secrets, modelRequests = [] } = evidence;
  if (lines.length === 0 || sim.requests.length === 0) throw new Error('there was nothing to search');
  if (secrets.length === 0) throw new Error('there was nothing to search for');
  const sent = sim.requests.map(({ method, path, body }) => ({ where: `${method} ${path}`, text: `${path}\n${body}` }));
  const asked = modelRequests.map(({ path, body }, index) => ({
    where: `request ${index + 1} to the model`,
    text: `${path}\n${body}`,
  }));
  const logged = lines.map((text, index) => ({ where: `log line ${index + 1}`, text }));
  const kept = connect === null ? [] : await readAll(connect());
  const leaks = findLeaks([...logged, ...kept, ...sent, ...asked], secrets);
  const bad = [...leaks, ...sim.violations, ...sim.quickActions.map(({ line }) => `quick action: ${line}`)];
  if (bad.length > 0) throw new Error(bad.join('\n'));
};

const REACH_MS = 20_000;

const readAll = async (redis: Redis): ReturnType<typeof readRedis> => {
  try {
    await awaitRedis(redis, REACH_MS, AbortSignal.timeout(REACH_MS));
    return await readRedis(redis);
  } finally {
    redis.disconnect();
  }
};
