import { isIgnoredBot, type OtherBots } from './other-bots.ts';
import type { Account, Permission } from './port-facts.ts';
import type { ReadsPermission } from './port.ts';

export type TriggerAction = 'review' | 'fix';

export type TriggerQuestion = {
  readonly actor: Account;
  readonly action: TriggerAction;
  readonly projectId: number;
};

export type AskedForge = { readonly read: ReadsPermission; readonly otherBots: OtherBots };

/** `undetermined` is not enough: a token that cannot read permissions must not let everyone trigger the bot. */
const ENOUGH: Readonly<Record<TriggerAction, ReadonlySet<Permission>>> = {
  review: new Set(['write', 'admin']),
  fix: new Set(['write', 'admin']),
};

/** Reads the permission on each call, because it may have changed since the comment was written. */
export const mayTrigger = async (
  { read, otherBots }: AskedForge,
  { actor, action, projectId }: TriggerQuestion,
  signal: AbortSignal,
): Promise<boolean> => {
  if (await isIgnoredBot(otherBots, actor.id, signal)) return false;
  return ENOUGH[action].has(await read.fetchPermission(projectId, actor, signal));
};
