import type { ApiPath } from '../../../../shared/forge/path.ts';
import type { HookOwner } from '../../../../shared/forge/port-listing.ts';
import type { Account } from '../../../../shared/forge/port-facts.ts';
import type { ListedHooks, Standing } from '../plan/facts.ts';

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
