import { eventsOf } from './hook-events.ts';
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
