import { type Carried, carriedVerdict } from '../model/carried.ts';
import type { History, ReviewedInput } from '../model/history.ts';
import { type ValidationResult, validationReasons } from '../model/validations.ts';
import type { Verdict } from '../../vocabulary/finding.ts';

export type CarriedEntry = { readonly entry: ReviewedInput; readonly verdict: Verdict };

/** Returns null if no verdict can be carried (any more). */
export const findCarried = (
  { reviewed, threads }: Pick<History, 'reviewed' | 'threads'>,
  carried: Carried,
): CarriedEntry | null => {
  const entry = lastWordAbout(reviewed, carried);
  const verdict = entry === undefined ? null : carriedVerdict(entry, threads);
  return entry === undefined || verdict === null ? null : { entry, verdict };
};

const lastWordAbout = (
  reviewed: readonly ReviewedInput[],
  { reviewedHead, reviewedBase, reviewedTarget }: Carried,
): ReviewedInput | undefined =>
  reviewed.findLast(
    ({ head, base, target }) => head === reviewedHead && base === reviewedBase && target === reviewedTarget,
  );

/** If only validations prevented a pass, they have to run again. Until they have run, they count as `not_run`. */
export const validationsOf = (
  { onlyChecks }: Pick<ReviewedInput, 'onlyChecks'>,
  { validations }: Pick<Carried, 'validations'>,
): readonly ValidationResult[] =>
  validations ?? (onlyChecks === true ? [{ name: 'all', result: 'not_run', durationMs: 0, output: '' }] : []);

/** True if only CI can still prevent a pass. */
export const passesWithCi = ({ entry, verdict }: CarriedEntry, carried: Carried): boolean =>
  verdict === 'lgtm' && validationReasons(validationsOf(entry, carried)).length === 0;
