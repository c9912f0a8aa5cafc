/** Checking a claim of a model before it is posted. */
import { z } from 'zod';
import { MAX_QUOTES, Place, Quote, Severity } from './finding.ts';
import { FindingId } from './ids.ts';

export const MAX_CLAIM_CODE = 20_000;

/**
 * - `finding`: the finding with this index in the submission.
 * - `fix`: the claim that the quoted change, which is not on the lines of the thread, fixes the thread's finding.
 */
export const ClaimSubject = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('finding'), index: z.number().int().nonnegative() }),
  z.object({ kind: z.literal('fix'), findingId: FindingId, evidence: z.string().max(4000) }),
]);
export type ClaimSubject = z.output<typeof ClaimSubject>;

/** What a verifier is told: the claim and the code, but not the reasons of the reviewer. All of it is untrusted data. */
export const ClaimToVerify = Place.extend({
  about: ClaimSubject,
  severity: Severity,
  title: z.string().min(1).max(500),
  quotes: z.array(Quote).max(MAX_QUOTES + 1),
  /** The lines around the place, numbered, with secrets removed. Empty if they are unknown. */
  code: z.string().max(MAX_CLAIM_CODE),
});
export type ClaimToVerify = z.output<typeof ClaimToVerify>;

/**
 * - `confirmed`: the verifier followed the claim through the code.
 * - `refuted`: the quoted code shows that the claim is wrong.
 * - `unsure`: neither, or the claim could not be verified.
 */
export const VerifierAnswer = z.object({
  outcome: z.enum(['confirmed', 'refuted', 'unsure']),
  /** The code that refutes the claim; null unless the claim is refuted. */
  evidence: Quote.nullable(),
  reason: z.string().max(1000),
});
export type VerifierAnswer = z.output<typeof VerifierAnswer>;

export const UNSURE: VerifierAnswer = { outcome: 'unsure', evidence: null, reason: '' };

export const VerifiedClaim = z.object({ about: ClaimSubject, verification: VerifierAnswer });
export type VerifiedClaim = z.output<typeof VerifiedClaim>;
