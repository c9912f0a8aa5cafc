import type { ApiPath } from '../path.ts';
import type { Hook, HookOwner } from '../port-listing.ts';
import type { Account } from '../port-facts.ts';

export type AdminHook = Hook & { readonly id: number };

/**
 * `forbidden`: the token may not list the webhooks of this owner. `none`: the owner cannot have webhooks, because it is a
 * user or the edition has no group webhooks.
 */
export type ListedHooks =
  | { readonly kind: 'hooks'; readonly hooks: readonly AdminHook[] }
  | { readonly kind: 'forbidden' }
  | { readonly kind: 'none' };

/** `less`: the account is a member without write access. A person decided this, so setup does not change it. */
export type Standing = 'none' | 'less' | 'enough' | 'forbidden';

/** A write request that is either sent or only shown. `hides`: values of the body that are never shown. */
export type AdminRequest = {
  readonly method: 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: ApiPath;
  readonly body?: Readonly<Record<string, unknown>>;
  readonly hides?: readonly string[];
};

export type HookWish = { readonly url: string; readonly secret: string };

/** What setup needs from a forge. Reads obey the contract of `port.ts`; the other methods only build requests. */
export type Administration = {
  readonly listHooks: (owner: HookOwner, signal: AbortSignal) => Promise<ListedHooks>;
  readonly fetchStanding: (owner: HookOwner, of: Account, signal: AbortSignal) => Promise<Standing>;
  /** Whether the members of a group are members of all its projects. */
  readonly groupsHaveMembers: boolean;
  readonly createHook: (owner: HookOwner, wish: HookWish) => AdminRequest;
  /** Enables the webhook and all its events. */
  readonly repairHook: (owner: HookOwner, id: number) => AdminRequest;
  readonly removeHook: (owner: HookOwner, id: number) => AdminRequest;
  /** Returns null when the forge cannot test webhooks of this owner. */
  readonly testHook: (owner: HookOwner, id: number) => AdminRequest | null;
  readonly addMember: (owner: HookOwner, of: Account) => AdminRequest;
  readonly removeMember: (owner: HookOwner, of: Account) => AdminRequest;
  /**
   * Tries to delete a webhook that does not exist; an answer of 403 means that the token may not write. Null when the
   * forge reports the scopes.
   */
  readonly probe: ((owner: HookOwner) => AdminRequest) | null;
};
