import type { HookOwner } from '../../../../shared/forge/port-listing.ts';

export type SetupAction =
  | { readonly kind: 'write_config'; readonly text: string }
  | { readonly kind: 'write_env'; readonly missing: readonly string[] }
  | { readonly kind: 'restrict_env' }
  | { readonly kind: 'add_member'; readonly owner: HookOwner }
  | { readonly kind: 'create_hook'; readonly owner: HookOwner; readonly secretEnv: string }
  | { readonly kind: 'repair_hook'; readonly owner: HookOwner; readonly id: number }
  | { readonly kind: 'remove_hook'; readonly owner: HookOwner; readonly id: number };

/**
 * `done`: nothing has to be changed. `todo`: its actions still have to be carried out, in this order. `blocked`: only a person
 * can do it, and `fix` says how.
 */
export type SetupStep = {
  readonly about: 'configuration' | 'variables' | 'member' | 'webhook';
  readonly state: 'done' | 'todo' | 'blocked';
  readonly text: string;
  readonly fix: string | null;
  readonly actions: readonly SetupAction[];
};

type About = SetupStep['about'];

export const done = (about: About, text: string): SetupStep => ({ about, state: 'done', text, fix: null, actions: [] });

export const todo = (about: About, text: string, actions: readonly SetupAction[]): SetupStep => ({
  about,
  state: 'todo',
  text,
  fix: null,
  actions,
});

export const blocked = (about: About, text: string, fix: string): SetupStep => ({
  about,
  state: 'blocked',
  text,
  fix,
  actions: [],
});
