/** What the target branch's `.fixpoint.toml` has to say in decisions, as the reviewer read it. It only ever tightens. */
import { z } from 'zod';
import { isBlocking } from './blocking.ts';
import type { Policy } from './policy.ts';
import type { History } from './history.ts';
import type { DraftFinding } from '../../vocabulary/finding.ts';

export const RepositoryRules = z.object({
  /** Null: as many rounds as the operator allows. */
  maxRounds: z.number().int().positive().nullable(),
  /** What does not block and weighs less is not said. */
  minSeverity: z.enum(['P1', 'P2', 'P3']),
  /** For people who read the change request, also about instructions that the change edits. */
  notes: z.array(z.string().max(500)).max(60),
});
export type RepositoryRules = z.output<typeof RepositoryRules>;

type WithRounds = { readonly rounds: Policy['rounds'] };

/** More than the operator allows is never granted here. */
const capRounds = <Given extends WithRounds>(policy: Given, maxRounds: number | null | undefined): Given => {
  const max = Math.min(policy.rounds.max, maxRounds ?? policy.rounds.max);
  return max === policy.rounds.max ? policy : { ...policy, rounds: { ...policy.rounds, max } };
};

/** As the last posted round read it: every decision until the next one rests on the same number. */
export const withRepositoryCap = <Given extends WithRounds>(
  policy: Given,
  { summary }: Pick<History, 'summary'>,
): Given => capRounds(policy, summary?.marker.cap);

/** What has been read in this very round. Whoever is called after the last round is called in time. */
export const withDraftCap = <Given extends WithRounds>(policy: Given, rules: RepositoryRules | undefined): Given =>
  capRounds(policy, rules?.maxRounds);

/** Why a finding is not said. */
export const TOO_LIGHT = 'below the severity that the repository wants to hear of';

/** Whatever blocks is said. */
export const isTooLight = (claim: DraftFinding, rules: RepositoryRules | undefined): boolean =>
  rules !== undefined && claim.severity > rules.minSeverity && !isBlocking(claim);
