import { z } from 'zod';
import { CommitSha } from '../vocabulary/ids.ts';

/** `int` accepts only safe integers, because JSON parsing may round a larger number to another id. */
export const Id = z.number().int().positive();

/** Deleted accounts and automation have no id or an id below 1. Both become null. */
export const AccountId = z
  .number()
  .int()
  .nullish()
  .transform((id) => (id !== null && id !== undefined && id > 0 ? id : null));

export const OptionalSha = CommitSha.nullish()
  .catch(null)
  .transform((sha) => sha ?? null);

/** Text that is only compared, for example a time of change. */
export const OptionalText = z
  .string()
  .nullish()
  .catch(null)
  .transform((text) => text ?? '');

export const OptionalFlag = z
  .boolean()
  .nullish()
  .catch(null)
  .transform((flag) => flag ?? null);

const OUT_OF_RANGE: ReadonlySet<string> = new Set(['too_big', 'too_small']);

type Unfit = { readonly kind: 'ignored' | 'refused'; readonly reason: string };

/** A missing field means another version or template of the payload. No forge sends a number that is out of range. */
export const unfit = (error: z.ZodError): Unfit =>
  error.issues.some((issue) => OUT_OF_RANGE.has(issue.code))
    ? { kind: 'refused', reason: 'the payload has an invalid number' }
    : { kind: 'ignored', reason: 'the payload lacks fields that its event needs' };

export const ignored = (reason: string): { readonly kind: 'ignored'; readonly reason: string } => ({
  kind: 'ignored',
  reason,
});
