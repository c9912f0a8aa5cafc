import { z } from 'zod';

export const ForgeId = z.string().regex(/^[a-z0-9][a-z0-9-]{0,31}$/);
export type ForgeId = z.output<typeof ForgeId>;

/** A full object id in lower-case hex, SHA-1 or SHA-256. Short or symbolic names are refused. */
export const CommitSha = z
  .string()
  .regex(/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/)
  .brand<'CommitSha'>();
export type CommitSha = z.output<typeof CommitSha>;

/** A positive integer below 2^53, which JSON keeps exact. */
const ForgeNumber = z.number().int().positive().max(Number.MAX_SAFE_INTEGER);

export const ChangeRequest = z.object({ forge: ForgeId, projectId: ForgeNumber, number: ForgeNumber });
export type ChangeRequest = z.output<typeof ChangeRequest>;

/** Returns `forge.project.number`: a key for Redis and a part of job ids, which must not contain colons. */
export const changeRequestKey = (of: ChangeRequest): string => `${of.forge}.${of.projectId}.${of.number}`;

/**
 * The key without the id of the forge. It is the same in every process that works on the change request, whereas each
 * configuration chooses its own id for the forge, and the command line has none.
 */
export const keyOnForge = (key: string): string => key.slice(key.indexOf('.') + 1);

export const RunId = z
  .string()
  .regex(/^[0-9a-z]{12,40}$/)
  .brand<'RunId'>();
export type RunId = z.output<typeof RunId>;

/** A display number such as `F-001`, unique within one change request. Never used as a posting key. */
export const FindingId = z.string().regex(/^F-\d{3,6}$/);
export type FindingId = z.output<typeof FindingId>;

export const formatFindingId = (number: number): FindingId => `F-${String(number).padStart(3, '0')}`;

export const findingNumber = (id: FindingId): number => Number(id.slice(2));
