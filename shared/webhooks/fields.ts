/** Fields of webhook payloads: strict where an id is used, lenient where a field only adds to the picture. */
import { z } from 'zod';
import { CommitSha } from '../vocabulary/ids.ts';

/** `int` takes safe integers only: a larger JSON number may have been rounded to somebody else's id while parsing. */
export const Id = z.number().int().positive();

/** Forges give ghosts and their own automation ids below 1, or none at all: both are null. */
export const AccountId = z
  .number()
  .int()
  .nullish()
  .transform((id) => (id !== null && id !== undefined && id > 0 ? id : null));

export const OptionalSha = CommitSha.nullish()
  .catch(null)
  .transform((sha) => sha ?? null);

/** For comparing only, such as a time of change. Never passed on. */
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

/** A missing field is a payload of another version or template; an impossible number is nothing a forge sends. */
export const unfit = (error: z.ZodError): Unfit =>
  error.issues.some((issue) => OUT_OF_RANGE.has(issue.code))
    ? { kind: 'refused', reason: 'the payload holds an impossible number' }
    : { kind: 'ignored', reason: 'the payload lacks fields that its event needs' };

export const ignored = (reason: string): { readonly kind: 'ignored'; readonly reason: string } => ({
  kind: 'ignored',
  reason,
});
