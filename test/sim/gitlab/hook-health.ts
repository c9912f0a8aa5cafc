/** Auto-disabling of hooks (GL app/models/concerns/web_hooks/auto_disabling.rb, forges.md 2.3). */
import type { SimHook, World } from './world.ts';

const toleratedFailures = 3;
const lastFailure = 39;
const firstBackOffMs = 60_000;
const longestBackOffMs = 86_400_000;

export type AlertStatus = 'executable' | 'temporarily_disabled' | 'disabled';

export const alertStatus = (world: World, hook: SimHook): AlertStatus => {
  // `ENABLED_HOOK_TYPES`: not for system hooks.
  if (!world.autoDisableHooks || hook.owner.kind === 'instance') return 'executable';
  if (hook.recentFailures > lastFailure) return 'disabled';
  const waiting = hook.disabledUntil !== null && hook.disabledUntil >= world.clock();
  return hook.recentFailures > toleratedFailures && waiting ? 'temporarily_disabled' : 'executable';
};

export const isExecutable = (world: World, hook: SimHook): boolean => alertStatus(world, hook) === 'executable';

/** The fourth failure in a row disables the hook for a minute; each further one doubles this, up to a day; 40 are final. */
export const noteFailure = (world: World, hook: SimHook): void => {
  if (!isExecutable(world, hook) || !world.autoDisableHooks) return;
  hook.recentFailures = Math.min(hook.recentFailures + 1, lastFailure + 1);
  if (hook.recentFailures <= toleratedFailures) return;
  const doublings = hook.recentFailures - toleratedFailures - 1;
  hook.disabledUntil = world.clock() + Math.min(firstBackOffMs * 2 ** doublings, longestBackOffMs);
};

export const noteSuccess = (hook: SimHook): void => {
  hook.recentFailures = 0;
  hook.disabledUntil = null;
};
