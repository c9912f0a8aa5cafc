import { z } from 'zod';
import { CommitSha, ForgeId } from './ids.ts';

export const StatusPlace = z.object({ forge: ForgeId, projectId: z.number().int(), head: CommitSha });
export type StatusPlace = z.output<typeof StatusPlace>;

export const placeKey = ({ forge, projectId, head }: StatusPlace): string => `${forge}.${projectId}.${head}`;

/**
 * The context of the bot's commit status. This status never counts as CI; otherwise the bot would wait for its own
 * status.
 */
export const STATUS_CONTEXT = 'fixpoint';
