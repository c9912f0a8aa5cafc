import type { MarksBots } from './port.ts';

/** Who on a forge is no person, apart from Fixpoint itself. Known by id: a name proves nothing. */
export type OtherBots = {
  /** Named by the operator: their words cause nothing. */
  readonly ignored: ReadonlySet<number>;
  /** Named by the operator: may command within their permission, also where the forge marks them. */
  readonly allowed: ReadonlySet<number>;
  /** Null where the forge tells no bot from a person. */
  readonly marks: MarksBots | null;
};

export const isIgnoredBot = async (bots: OtherBots, id: number, signal: AbortSignal): Promise<boolean> => {
  if (bots.ignored.has(id)) return true;
  if (bots.allowed.has(id) || bots.marks === null) return false;
  return bots.marks.isMarkedBot(id, signal);
};
