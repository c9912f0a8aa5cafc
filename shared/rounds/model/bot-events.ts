import type { ForgeEvent, ForgeEventKind } from './events.ts';

/** A new input is a new input, no matter who made it: what makes one reviewable counts within the same caps. */
const BRINGS_INPUT: ReadonlySet<ForgeEventKind> = new Set(['opened', 'pushed', 'reopened', 'ready', 'retargeted']);

/** Comments, reviews, calls, reactions and statuses by bots cause nothing. */
export const isBotNoise = ({ actorId, kind }: ForgeEvent, bots: ReadonlySet<number>): boolean =>
  actorId !== null && bots.has(actorId) && !BRINGS_INPUT.has(kind);
