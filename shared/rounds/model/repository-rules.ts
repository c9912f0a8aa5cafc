/** Settings of the target branch's `.fixpoint.toml`, as the reviewer read them. They can only tighten the operator's settings. */
import { z } from 'zod';
import { isBlocking } from './blocking.ts';
import type { Policy } from './policy.ts';
import type { History } from './history.ts';
import type { DraftFinding } from '../../vocabulary/finding.ts';
import { Ignores } from '../../vocabulary/ignores.ts';

export const RepositoryRules = z.object({
  /** Null means that the operator's limit applies. */
  maxRounds: z.number().int().positive().nullable(),
  /** Non-blocking findings below this severity are not posted. */
  minSeverity: z.enum(['P1', 'P2', 'P3']),
  /** Notes for readers of the change request, for example that the change edits the bot's instructions. */
  notes: z.array(z.string().max(500)).max(60),
  /** The effective `[[ignore]]` entries; absent if there are none. */
  ignores: Ignores.optional(),
});
export type RepositoryRules = z.output<typeof RepositoryRules>;

type WithRounds = { readonly rounds: Policy['rounds'] };

const capRounds = <Given extends WithRounds>(policy: Given, maxRounds: number | null | undefined): Given => {
  const max = Math.min(policy.rounds.max, maxRounds ?? policy.rounds.max);
  return max === policy.rounds.max ? policy : { ...policy, rounds: { ...policy.rounds, max } };
};

/** Applies the cap that the last posted review read. All decisions until the next review use it. */
export const withRepositoryCap = <Given extends WithRounds>(
  policy: Given,
  { summary }: Pick<History, 'summary'>,
): Given => capRounds(policy, summary?.marker.cap);

/** Applies the cap that this review has read, so that the hand-off after the last round is posted with its review. */
export const withDraftCap = <Given extends WithRounds>(policy: Given, rules: RepositoryRules | undefined): Given =>
  capRounds(policy, rules?.maxRounds);

/** The reason if an `[[ignore]]` entry silences the finding. */
export const IGNORED = 'ignored by the repository';

export const TOO_LIGHT = 'below the minimum severity of the repository';

export const isTooLight = (claim: DraftFinding, rules: RepositoryRules | undefined): boolean =>
  rules !== undefined && claim.severity > rules.minSeverity && !isBlocking(claim);
