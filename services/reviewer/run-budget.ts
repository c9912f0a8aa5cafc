import { OWN_EXAMPLES_S, OWN_RULES_S } from '../../shared/config/rule-settings.ts';
import type { ReviewJob } from '../../shared/queue/contracts.ts';
import type { ReviewerDeps } from './deps.ts';

/** Time for fetching, reading, the built-in rules and checking, in addition to the runner's own time. */
const PREPARE_S = 180;

/** How long one execution of a review may take. Own rules of the project may exist in every run. */
export const runBudgetMs = (
  { budget }: Pick<ReviewJob, 'budget'>,
  {
    validationS,
    analyzers,
    ruleSources,
  }: Pick<ReviewerDeps, 'validationS'> & {
    readonly analyzers?: Pick<NonNullable<ReviewerDeps['analyzers']>, 'analysisS'>;
    readonly ruleSources?: Pick<NonNullable<ReviewerDeps['ruleSources']>, 'loadS'>;
  },
): number => {
  const rulesS = (ruleSources?.loadS ?? 0) + OWN_EXAMPLES_S + OWN_RULES_S;
  const commandsS = validationS + (analyzers?.analysisS ?? 0) + rulesS;
  return (budget.maxRuntimeS + commandsS + PREPARE_S) * 1000;
};
