import type { MarksBots } from './port.ts';

/** Bot accounts other than Fixpoint itself, by id, because anyone can choose a name. */
export type OtherBots = {
  /** Accounts whose comments are ignored, as the operator configured. */
  readonly ignored: ReadonlySet<number>;
  /** Accounts that may give commands, as far as their permission allows, even if the forge marks them as bots. */
  readonly allowed: ReadonlySet<number>;
  /** Null when the forge does not mark bot accounts. */
  readonly marks: MarksBots | null;
};

export const isIgnoredBot = async (bots: OtherBots, id: number, signal: AbortSignal): Promise<boolean> => {
  if (bots.ignored.has(id)) return true;
  if (bots.allowed.has(id) || bots.marks === null) return false;
  return bots.marks.isMarkedBot(id, signal);
};
