/** What commanders have allowed beyond the operator's caps: one round per order, with its attempts. */
import type { Policy } from './facts.ts';

/** More orders than this on one change request are nobody's review. */
export const MAX_GRANTS = 50;

export const withGrants = <Given extends Pick<Policy, 'rounds'>>(policy: Given, granted: number): Given => {
  const { rounds } = policy;
  return granted === 0
    ? policy
    : {
        ...policy,
        rounds: { ...rounds, max: rounds.max + granted, maxRuns: rounds.maxRuns + granted * rounds.attempts },
      };
};
