import { isIgnoredBot, type OtherBots } from './other-bots.ts';
import type { Account, Permission } from './port-facts.ts';
import type { ReadsPermission } from './port.ts';

/** What somebody can ask the bot for. */
export type TriggerAction = 'review' | 'fix';

export type TriggerQuestion = {
  readonly actor: Account;
  readonly action: TriggerAction;
  readonly projectId: number;
};

/** One forge as far as the question who may command needs it. */
export type AskedForge = { readonly read: ReadsPermission; readonly otherBots: OtherBots };

/** `undetermined` is no permission: a token that may not ask must not open the door. */
const ENOUGH: Readonly<Record<TriggerAction, ReadonlySet<Permission>>> = {
  review: new Set(['write', 'admin']),
  fix: new Set(['write', 'admin']),
};

/**
 * The one place that says who may command the bot. It asks the forge each time, because the answer may have changed
 * since the comment was written. A bot may not, whatever its permission, unless the operator named it.
 */
export const mayTrigger = async (
  { read, otherBots }: AskedForge,
  { actor, action, projectId }: TriggerQuestion,
  signal: AbortSignal,
): Promise<boolean> => {
  if (await isIgnoredBot(otherBots, actor.id, signal)) return false;
  return ENOUGH[action].has(await read.fetchPermission(projectId, actor, signal));
};
