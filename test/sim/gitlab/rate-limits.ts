/** GitLab's two independent rate limits (forges.md 3.1). */
import { GitlabRefusal } from './errors.ts';
import type { SimUser, World } from './world.ts';

const minuteMs = 60_000;

type Window = { readonly threshold: number; readonly ms: number };

const spend = (world: World, key: string, { threshold, ms }: Window) => {
  const now = world.clock();
  const window = Math.floor(now / ms);
  const recent = (world.spent.get(key) ?? []).filter((at) => Math.floor(at / ms) === window);
  world.spent.set(key, [...recent, now]);
  return { used: recent.length + 1, over: recent.length >= threshold };
};

/** An application limit reports the whole interval, not the remaining time (GL lib/api/helpers/rate_limiter.rb). */
const spendOf = (world: World, user: SimUser, key: string, window: Window): void => {
  if (!spend(world, `${key}/${user.id}`, window).over) return;
  const error = 'This endpoint has been requested too many times. Try again later.';
  throw new GitlabRefusal(429, { message: { error } }, { 'retry-after': String(window.ms / 1000) });
};

/** `notes_create`: for `POST …/notes`, not for discussions and drafts (GL lib/api/notes.rb). */
export const spendNote = (world: World, user: SimUser): void =>
  spendOf(world, user, 'notes', { threshold: world.notesPerMinute, ms: minuteMs });

/** `users_get_by_id`, not for admins (GL lib/api/users.rb, app/models/application_setting_implementation.rb). */
export const spendUser = (world: World, user: SimUser): void => {
  if (!user.isAdmin) spendOf(world, user, 'users', { threshold: 300, ms: 10 * minuteMs });
};

/** `project_api` (GL lib/api/projects.rb, `GET /projects/:id`). */
export const spendProject = (world: World, user: SimUser): void =>
  spendOf(world, user, 'project', { threshold: 400, ms: minuteMs });

export type Throttled = { readonly headers: Readonly<Record<string, string>>; readonly over: boolean };

/** Rack::Attack: rate headers on every response, and two more with 429. */
export const throttle = (world: World, user: SimUser | null): Throttled => {
  if (world.rateLimit === null) return { headers: {}, over: false };
  const { perMinute, name } = world.rateLimit;
  const { used, over } = spend(world, `api/${user?.id ?? 'nobody'}`, { threshold: perMinute, ms: minuteMs });
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
