/** Two systems that know nothing of each other (forges.md 3.1). */
import { GitlabRefusal } from './errors.ts';
import type { SimUser, World } from './world.ts';

const minuteMs = 60_000;

const spend = (world: World, key: string, perMinute: number): { readonly used: number; readonly over: boolean } => {
  const now = world.clock();
  const window = Math.floor(now / minuteMs);
  const recent = (world.spent.get(key) ?? []).filter((at) => Math.floor(at / minuteMs) === window);
  world.spent.set(key, [...recent, now]);
  return { used: recent.length + 1, over: recent.length >= perMinute };
};

/**
 * The application limit `notes_create`: only for `POST …/notes`, not for discussions and drafts, and no header tells
 * of it (GL lib/api/notes.rb).
 */
export const spendNote = (world: World, user: SimUser): void => {
  if (!spend(world, `notes/${user.id}`, world.notesPerMinute).over) return;
  const error = 'This endpoint has been requested too many times. Try again later.';
  throw new GitlabRefusal(429, { message: { error } });
};

export type Throttled = { readonly headers: Readonly<Record<string, string>>; readonly over: boolean };

/** Rack::Attack: headers on every answer, and two more on a 429. */
export const throttle = (world: World, user: SimUser | null): Throttled => {
  if (world.rateLimit === null) return { headers: {}, over: false };
  const { perMinute, name } = world.rateLimit;
  const { used, over } = spend(world, `api/${user?.id ?? 'nobody'}`, perMinute);
  const now = world.clock();
  const resetAt = (Math.floor(now / minuteMs) + 1) * minuteMs;
  const headers = {
    'ratelimit-limit': String(perMinute),
    'ratelimit-name': name,
    'ratelimit-observed': String(used),
    'ratelimit-remaining': String(Math.max(0, perMinute - used)),
    'ratelimit-reset': String(resetAt / 1000),
  };
  const late = {
    'ratelimit-resettime': new Date(resetAt).toUTCString(),
    'retry-after': String(Math.ceil((resetAt - now) / 1000)),
  };
  return { headers: over ? { ...headers, ...late } : headers, over };
};
