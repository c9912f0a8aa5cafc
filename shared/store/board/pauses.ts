/**
 * Projects that an operator has paused, and the change requests whose events wait because of that. Guard reads this
 * before it reads an inbox. A Redis wipe ends every pause.
 */
import type { Redis } from 'ioredis';
import { z } from 'zod';
import { type ChangeRequest, ForgeId } from '../../vocabulary/ids.ts';
import { jsonOrNull } from '../../json-or-null.ts';
import type { Keys } from '../keys.ts';
import { createScript } from '../server/script.ts';

export type ProjectOfForge = { readonly forge: string; readonly projectId: number };

export const Pause = z.object({
  atMs: z.number().int(),
  /** Who paused the project, such as the address from which the request came. */
  by: z.string().max(200),
});
export type Pause = z.output<typeof Pause>;

export type PausedProject = ProjectOfForge &
  Pause & {
    /** Number of change requests whose events wait. */
    readonly held: number;
  };

export type Pauses = {
  pause(project: ProjectOfForge, pause: Pause): Promise<'paused' | 'already_paused'>;
  /** Ends the pause. Contract: afterwards the caller wakes guard for everything in `held`. */
  end(project: ProjectOfForge): Promise<'continued' | 'not_paused'>;
  /** Marks that events of the change request wait. `free`: its project is not paused. Contract: one step with `end`. */
  hold(of: ChangeRequest, atMs: number): Promise<'free' | 'held' | 'held_before'>;
  isPaused(project: ProjectOfForge): Promise<boolean>;
  /** Ordered by name. */
  all(): Promise<readonly PausedProject[]>;
  /** Change requests whose events wait, the longest waiting first, at most `limit`. */
  held(project: ProjectOfForge, limit: number): Promise<readonly ChangeRequest[]>;
  /** Contract: called after guard was woken for the change request. Without effect if its project is paused again. */
  release(of: ChangeRequest): Promise<void>;
};

/** As long as an inbox is kept after its newest event. */
const KEEP_S = 30 * 24 * 3600;

/** KEYS: paused projects, held change requests. ARGV: project, number, time, time to live. Returns 0, 1 or 2. */
const hold = createScript(`
if redis.call('HEXISTS', KEYS[1], ARGV[1]) == 0 then return 0 end
local added = redis.call('ZADD', KEYS[2], 'NX', ARGV[3], ARGV[2])
redis.call('EXPIRE', KEYS[2], ARGV[4])
return 2 - added`);

/** KEYS: paused projects, held change requests. ARGV: project, number. Events of a project that is paused again still wait. */
const release = createScript(`
if redis.call('HEXISTS', KEYS[1], ARGV[1]) == 1 then return 0 end
return redis.call('ZREM', KEYS[2], ARGV[2])`);

const OUTCOMES = ['free', 'held', 'held_before'] as const;

export const isSameProject = (one: ProjectOfForge, other: ProjectOfForge): boolean =>
  one.forge === other.forge && one.projectId === other.projectId;

const fieldOf = ({ forge, projectId }: ProjectOfForge): string => `${forge}/${projectId}`;

const parseField = (field: string): readonly ProjectOfForge[] => {
  const [forge, id] = field.split('/');
  const [named, projectId] = [ForgeId.safeParse(forge), Number(id)];
  return named.success && Number.isSafeInteger(projectId) ? [{ forge: named.data, projectId }] : [];
};

export const createPauses = (redis: Redis, keys: Keys): Pauses => {
  const paused = keys.board('paused');
  const heldOf = ({ forge, projectId }: ProjectOfForge): string => keys.ofProject(forge, projectId, 'held');
  return {
    pause: async (project, pause) =>
      (await redis.hsetnx(paused, fieldOf(project), JSON.stringify(pause))) === 1 ? 'paused' : 'already_paused',
    end: async (project) => ((await redis.hdel(paused, fieldOf(project))) === 1 ? 'continued' : 'not_paused'),
    hold: async (of, atMs) => {
      const answer = await hold(redis, [paused, heldOf(of)], [fieldOf(of), of.number, atMs, KEEP_S]);
      return OUTCOMES[Number(answer)] ?? 'free';
    },
    isPaused: async (project) => (await redis.hexists(paused, fieldOf(project))) === 1,
    all: async () => {
      const entries = Object.entries(await redis.hgetall(paused)).flatMap(([field, text]) =>
        parseField(field).map((project) => ({ project, pause: Pause.safeParse(jsonOrNull(text)).data })),
      );
      const found = entries.map(async ({ project, pause }) => ({
        ...project,
        // An entry of another version still pauses the project.
        ...(pause ?? { atMs: 0, by: 'unknown' }),
        held: await redis.zcard(heldOf(project)),
      }));
      return (await Promise.all(found)).toSorted((one, other) => fieldOf(one).localeCompare(fieldOf(other), 'en'));
    },
    held: async (project, limit) =>
      (await redis.zrange(heldOf(project), '0', String(limit - 1))).map((number) => ({
        ...project,
        number: Number(number),
      })),
    release: async (of) => void (await release(redis, [paused, heldOf(of)], [fieldOf(of), of.number])),
  };
};
