import type { ForgeEvent, ForgeEventKind } from './events.ts';

/** A new head is a new head, whoever pushed it: what makes one reviewable counts within the same caps. */
const BRINGS_HEAD: ReadonlySet<ForgeEventKind> = new Set(['opened', 'pushed', 'reopened', 'ready']);

/** Comments, reviews, calls, reactions and statuses by bots cause nothing. */
export const isBotNoise = ({ actorId, kind }: ForgeEvent, bots: ReadonlySet<number>): boolean =>
  actorId !== null && bots.has(actorId) && !BRINGS_HEAD.has(kind);
