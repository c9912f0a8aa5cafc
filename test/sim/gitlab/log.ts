import type { Effect } from '../forgejo/world.ts';
import { projectPath } from './paths.ts';
import type { Counter, SimMergeRequest, SimUser, World } from './world.ts';

export const nextId = (world: World, counter: Counter): number => {
  const id = (world.counters.get(counter) ?? 0) + 1;
  world.counters.set(counter, id);
  return id;
};

export const touched = (world: World): void => {
  for (const watcher of world.watchers) watcher();
};

export const record = (world: World, effect: Omit<Effect, 'atMs'>): void => {
  world.effects.push({ atMs: world.clock(), ...effect });
  touched(world);
};

/** A version 4 UUID from the seeded generator: not secret. */
export const nextUuid = (world: World): string => {
  const hex = (count: number): string =>
    Array.from({ length: count }, () => Math.floor(world.random() * 16).toString(16)).join('');
  return `${hex(8)}-${hex(4)}-4${hex(3)}-a${hex(3)}-${hex(12)}`;
};

export const logOn = (world: World, mr: SimMergeRequest, actor: SimUser, what: EffectWords): void =>
  record(world, {
    actor: actor.username,
    kind: what.kind,
    repo: projectPath(mr.project),
    number: mr.iid,
    detail: what.detail ?? {},
  });

export type EffectWords = { readonly kind: string; readonly detail?: Readonly<Record<string, unknown>> };
