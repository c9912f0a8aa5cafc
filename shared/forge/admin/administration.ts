import type { ApiPath } from '../path.ts';
import type { Hook, HookOwner } from '../port-listing.ts';
import type { Account } from '../port-facts.ts';

export type AdminHook = Hook & { readonly id: number };

/**
 * `forbidden`: the token may not see webhooks there. `none`: this group cannot have webhooks, because it is a user or the
 * edition has none for groups.
 */
export type ListedHooks =
  | { readonly kind: 'hooks'; readonly hooks: readonly AdminHook[] }
  | { readonly kind: 'forbidden' }
  | { readonly kind: 'none' };

/** `less`: a member who may not write, which a person has decided. */
export type Standing = 'none' | 'less' | 'enough' | 'forbidden';

/** A write, before it is sent: it can be shown instead. `hides`: values of the body that are never shown. */
export type AdminRequest = {
  readonly method: 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: ApiPath;
  readonly body?: Readonly<Record<string, unknown>>;
  readonly hides?: readonly string[];
};

export type HookWish = { readonly url: string; readonly secret: string };

/** What setup needs of a forge. The reads obey the contract of `port.ts`; the rest computes requests. */
export type Administration = {
  readonly listHooks: (owner: HookOwner, signal: AbortSignal) => Promise<ListedHooks>;
  readonly fetchStanding: (owner: HookOwner, of: Account, signal: AbortSignal) => Promise<Standing>;
  /** Whether one membership of a group covers its projects. */
  readonly groupsHaveMembers: boolean;
  readonly createHook: (owner: HookOwner, wish: HookWish) => AdminRequest;
  /** Switches all events on, and the webhook itself. */
  readonly repairHook: (owner: HookOwner, id: number) => AdminRequest;
  readonly removeHook: (owner: HookOwner, id: number) => AdminRequest;
  /** Null when the forge has no way to test a webhook there. */
  readonly testHook: (owner: HookOwner, id: number) => AdminRequest | null;
  readonly addMember: (owner: HookOwner, of: Account) => AdminRequest;
  readonly removeMember: (owner: HookOwner, of: Account) => AdminRequest;
  /** Deletes a webhook that does not exist: 403 when the token may not write. Null: the forge tells the scopes itself. */
  readonly probe: ((owner: HookOwner) => AdminRequest) | null;
};
