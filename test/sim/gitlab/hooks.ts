import { isBlocked } from './blocked-addresses.ts';
import { GitlabRefusal } from './errors.ts';
import { nextId } from './log.ts';
import type { HookFlag, SimHook, SystemHookFlag, World } from './world.ts';

export type NewHook = {
  readonly url: string;
  readonly token?: string | undefined;
  readonly signingToken?: string | undefined;
  readonly name?: string | undefined;
  readonly events?: readonly (HookFlag | SystemHookFlag)[] | undefined;
};

/** A blocked address fails the validation of the hook, with the same words (GL app/services/web_hooks/create_service.rb). */
const checkUrl = (world: World, url: string): void => {
  if (!/^https?:\/\//.test(url) || isBlocked(world, url)) throw new GitlabRefusal(422, { error: 'Invalid url given' });
};

/** The default is only `push_events`. */
export const createHook = (world: World, owner: SimHook['owner'], wish: NewHook): SimHook => {
  checkUrl(world, wish.url);
  const hook: SimHook = {
    id: nextId(world, 'hook'),
    owner,
    url: wish.url,
    name: wish.name ?? null,
    token: wish.token ?? '',
    signingToken: wish.signingToken ?? '',
    events: new Set(wish.events ?? ['push_events']),
    createdAt: world.clock(),
    recentFailures: 0,
    disabledUntil: null,
  };
  owner.hooks.push(hook);
  return hook;
};

export const changeHook = (
  world: World,
  hook: SimHook,
  wish: Omit<NewHook, 'url'> & { readonly url: string | undefined },
): void => {
  if (wish.url !== undefined) {
    checkUrl(world, wish.url);
    hook.url = wish.url;
  }
  if (wish.name !== undefined) hook.name = wish.name;
  if (wish.token !== undefined) hook.token = wish.token;
  if (wish.signingToken !== undefined) hook.signingToken = wish.signingToken;
  if (wish.events !== undefined) hook.events = new Set(wish.events);
};
