import type { Redis } from 'ioredis';
import { z } from 'zod';
import type { Keys } from '../keys.ts';

/**
 * `hidden`: the reading account may not ask, or may not ask everywhere that a hook can be. `partial`: it is switched on,
 * and does not send every event that is listened to. `unfit`: what it sends cannot be taken.
 */
export const HookHealth = z.enum(['working', 'partial', 'unfit', 'disabled', 'missing', 'hidden']);
export type HookHealth = z.output<typeof HookHealth>;

export const HookReport = z.object({
  v: z.literal(1),
  projectId: z.number().int().positive(),
  path: z.string(),
  health: HookHealth,
  /** Epoch ms at which the forge tries again by itself; null when it will not. */
  untilMs: z.number().int().nullable(),
  /** The events that are missing, or why it is unfit. */
  lacks: z.array(z.string()),
  /** When the forge was asked, epoch ms. */
  atMs: z.number().int(),
});
export type HookReport = z.output<typeof HookReport>;

/** What is known of the webhooks that should lead here, per forge: for the sweep, and for whoever shows it. */
export type HookReports = {
  load(forge: string, projectId: number): Promise<HookReport | null>;
  save(forge: string, report: HookReport): Promise<void>;
  all(forge: string): Promise<readonly HookReport[]>;
};

export const createHookReports = (redis: Redis, keys: Keys): HookReports => ({
  load: async (forge, projectId) => {
    const text = await redis.hget(keys.ofForge(forge, 'hooks'), String(projectId));
    return text === null ? null : (parse(text)[0] ?? null);
  },
  save: async (forge, report) => {
    await redis.hset(keys.ofForge(forge, 'hooks'), String(report.projectId), JSON.stringify(report));
  },
  all: async (forge) => (await redis.hvals(keys.ofForge(forge, 'hooks'))).flatMap(parse),
});

const parse = (text: string): readonly HookReport[] => {
  const parsed = HookReport.safeParse(JSON.parse(text));
  return parsed.success ? [parsed.data] : [];
};

export const isAmiss = ({ health }: Pick<HookReport, 'health'>): boolean => health !== 'working' && health !== 'hidden';
