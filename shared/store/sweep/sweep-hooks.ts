import type { Redis } from 'ioredis';
import { z } from 'zod';
import type { Keys } from '../keys.ts';

/**
 * `hidden`: the account of the read token may not list all webhooks. `partial`: the webhook is enabled, but does not send every
 * event that Fixpoint needs. `unfit`: Fixpoint cannot accept the webhook's deliveries.
 */
export const HookHealth = z.enum(['working', 'partial', 'unfit', 'disabled', 'missing', 'hidden']);
export type HookHealth = z.output<typeof HookHealth>;

export const HookReport = z.object({
  v: z.literal(1),
  projectId: z.number().int().positive(),
  path: z.string(),
  health: HookHealth,
  /** Epoch ms at which the forge enables the webhook again. Null if the forge will not enable it. */
  untilMs: z.number().int().nullable(),
  /** Missing events, or the reason why the webhook is unfit. */
  lacks: z.array(z.string()),
  atMs: z.number().int(),
});
export type HookReport = z.output<typeof HookReport>;

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
