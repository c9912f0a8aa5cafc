/** Checks a message's requests against the limits of the operator and the forge. */
import type { CommitSha } from '../vocabulary/ids.ts';
import type { ReviewRequestBody } from './bodies.ts';

export type ReviewerBudget = { readonly maxTurns: number; readonly maxRuntimeS: number };

type AskedBudget = Pick<ReviewRequestBody, 'max_turns_reviewer' | 'max_runtime_s_reviewer'>;

/** A request may lower the operator's limits but not raise them. */
export const clampBudget = (asked: AskedBudget, operators: ReviewerBudget): ReviewerBudget => ({
  maxTurns: Math.min(asked.max_turns_reviewer ?? operators.maxTurns, operators.maxTurns),
  maxRuntimeS: Math.min(asked.max_runtime_s_reviewer ?? operators.maxRuntimeS, operators.maxRuntimeS),
});

export type ShaResolution =
  | { readonly kind: 'resolved'; readonly sha: CommitSha }
  | { readonly kind: 'refused'; readonly reason: string };

export const resolveSha = (prefix: string, known: readonly CommitSha[]): ShaResolution => {
  const [sha, ...others] = new Set(known.filter((each) => each.startsWith(prefix)));
  if (sha === undefined) return { kind: 'refused', reason: 'is not a head of this change request' };
  if (others.length > 0)
    return { kind: 'refused', reason: `matches ${others.length + 1} commits; expected more digits` };
  return { kind: 'resolved', sha };
};
