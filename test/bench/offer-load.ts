/** Load that is offered at a fixed rate, whatever the other side makes of it: a slow answer delays no later request. */
import { setTimeout as pause } from 'node:timers/promises';
import { Pool } from 'undici';
import type { StormDelivery } from './storm-deliveries.ts';

export type Offer = {
  readonly port: number;
  readonly perSecond: number;
  readonly count: number;
  /** Called once for each request, in order. */
  readonly make: (index: number) => StormDelivery;
};

export type Answers = {
  /** From the moment at which a request was due to the end of its answer, milliseconds. */
  readonly latencyMs: readonly number[];
  /** How often each status, or `error` for a request without an answer. */
  readonly statuses: ReadonlyMap<string, number>;
  readonly seconds: number;
};

const CONNECTIONS = 64;
const TICK_MS = 10;
/** Further behind than this nobody keeps up, and the rest would measure only our own memory. */
const MAX_BEHIND = 10_000;

/** Throws when the other side falls too far behind. */
export const offerLoad = async ({ port, perSecond, count, make }: Offer): Promise<Answers> => {
  const pool = new Pool(`http://127.0.0.1:${port}`, { connections: CONNECTIONS, pipelining: 1 });
  const latencyMs: number[] = [];
  const statuses = new Map<string, number>();
  const open = new Set<Promise<void>>();
  const startedMs = performance.now();
  const dueMs = (index: number): number => startedMs + (index * 1000) / perSecond;
  const send = async (index: number): Promise<void> => {
    const status = await sendOne(pool, make(index));
    latencyMs.push(performance.now() - dueMs(index));
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
  };
  try {
    for (let index = 0; index < count; ) {
      for (; index < count && dueMs(index) <= performance.now(); index += 1) {
        const sending = send(index).finally(() => open.delete(sending));
        open.add(sending);
      }
      if (open.size >= MAX_BEHIND) throw new Error(`the server is ${open.size} requests behind`);
      await pause(TICK_MS);
    }
    await Promise.all(open);
    return { latencyMs, statuses, seconds: (performance.now() - startedMs) / 1000 };
  } finally {
    await pool.destroy();
  }
};

const sendOne = async (pool: Pool, { path, body, headers }: StormDelivery): Promise<string> => {
  try {
    const answer = await pool.request({ method: 'POST', path, body, headers });
    await answer.body.dump();
    return String(answer.statusCode);
  } catch {
    return 'error';
  }
};
