import { z } from 'zod';
import { eventsOf } from './hook-events.ts';
import { unprocessable } from './reply.ts';
import { nextId, type SimHook, type World } from './world.ts';

export type NewHook = {
  readonly url: string;
  readonly secret: string;
  readonly events: readonly string[];
  readonly contentType: 'json' | 'form';
};

type HookOwner = { readonly hooks: SimHook[] };

export const createHook = (world: World, owner: HookOwner, wish: NewHook): SimHook => {
  const hook: SimHook = {
    id: nextId(world, 'hook'),
    url: wish.url,
    secret: wish.secret,
    events: eventsOf(wish.events, world.traits.product),
    contentType: wish.contentType,
    kind: world.traits.product,
    createdAt: world.clock(),
    active: true,
  };
  owner.hooks.push(hook);
  return hook;
};

export const HookWish = z.object({
  type: z.string(),
  config: z.record(z.string(), z.string()),
  events: z.array(z.string()).nullish(),
  active: z.boolean().nullish(),
});
type HookWish = z.output<typeof HookWish>;

export const addHook = (world: World, owner: HookOwner, { config, events, type, active }: HookWish): SimHook => {
  const url = config['url'];
  const contentType = config['content_type'];
  if (type !== 'gitea' && type !== 'forgejo') throw unprocessable(`Invalid hook type: ${type}`);
  if (url === undefined) throw unprocessable('Missing config option: url');
  if (contentType === undefined) throw unprocessable('Missing config option: content_type');
  if (contentType !== 'json' && contentType !== 'form') throw unprocessable('Invalid content type');
  const hook = createHook(world, owner, {
    url,
    contentType,
    events: events ?? ['push'],
    secret: config['secret'] ?? '',
  });
  // In Go, an absent `active` is false: the hook exists but is never called.
  hook.active = active ?? false;
  return hook;
};

/** Without events, the hook is reset to pushes only. The secret stays, whatever is sent (routers/api/v1/utils/hook.go editHook). */
export const changeHook = (
  world: World,
  hook: SimHook,
  { events, active }: Pick<HookWish, 'events' | 'active'>,
): void => {
  const wanted = events ?? [];
  hook.events = eventsOf(wanted.length === 0 ? ['push'] : wanted, world.traits.product);
  if (active !== undefined && active !== null) hook.active = active;
};
