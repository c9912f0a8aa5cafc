import type { Account, Permission, ReadsPermission } from './port.ts';

/** What somebody can ask the bot for. */
export type TriggerAction = 'review';

export type TriggerQuestion = {
  readonly actor: Account;
  readonly action: TriggerAction;
  readonly projectId: number;
};

/** `undetermined` is no permission: a token that may not ask must not open the door. */
const ENOUGH: Readonly<Record<TriggerAction, ReadonlySet<Permission>>> = { review: new Set(['write', 'admin']) };

/**
 * The one place that says who may command the bot. It asks the forge each time, because the answer may have changed
 * since the comment was written.
 */
export const mayTrigger = async (
  forge: ReadsPermission,
  { actor, action, projectId }: TriggerQuestion,
  signal: AbortSignal,
): Promise<boolean> => ENOUGH[action].has(await forge.fetchPermission(projectId, actor, signal));
