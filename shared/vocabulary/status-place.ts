import { z } from 'zod';
import { CommitSha, ForgeId } from './ids.ts';

export const Place = z.object({ forge: ForgeId, projectId: z.number().int(), head: CommitSha });
export type Place = z.output<typeof Place>;

export const placeKey = ({ forge, projectId, head }: Place): string => `${forge}.${projectId}.${head}`;

/** The name of the commit status. */
/** The context of the bot's own status. It never counts as CI: it would wait for itself. */
export const STATUS_CONTEXT = 'fixpoint';
