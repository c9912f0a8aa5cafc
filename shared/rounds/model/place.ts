/**
 * Where a status stands, and what it says when several change requests read it there. The status of a place is the worst
 * of those that count.
 */
import { z } from 'zod';
import { CommitSha, ForgeId } from '../../vocabulary/ids.ts';

export const Place = z.object({ forge: ForgeId, projectId: z.number().int(), head: CommitSha });
export type Place = z.output<typeof Place>;

export const placeKey = ({ forge, projectId, head }: Place): string => `${forge}.${projectId}.${head}`;
