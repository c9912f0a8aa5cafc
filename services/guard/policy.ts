import type { SettingsFile } from '../../shared/config/schema.ts';
import { longestAnalysisS } from '../../shared/config/analyzer-settings.ts';
import { longestSourcesS } from '../../shared/config/rule-settings.ts';
import { longestValidationS } from '../../shared/config/validation-settings.ts';
import type { Policy } from '../../shared/rounds/model/policy.ts';

type Decisive = Pick<
  SettingsFile,
  'review' | 'rounds' | 'gate' | 'budgets' | 'agent' | 'author' | 'validation' | 'analyzer' | 'rules'
>;

/** The timeout includes time spent waiting in queues and for explorers; the budget does not. */
const runTimeoutMs = ({ agent, validation, analyzer, rules, budgets }: Decisive): number => {
  const commandsS = longestValidationS(validation) + longestAnalysisS(analyzer) + longestSourcesS(rules);
  return (agent.reviewer.maxRuntimeS + commandsS + budgets.maxWaitS) * 1000;
};

export const roundsPolicy = (rounds: Decisive['rounds'], maxComments: number): Policy['rounds'] => ({
  max: rounds.max,
  maxRuns: rounds.maxRuns,
  maxSilent: rounds.maxSilent,
  maxCarried: rounds.maxCarried,
  maxComments,
  attempts: rounds.attempts,
  threadCount: rounds.threadCount,
  duplicateThreshold: rounds.duplicateThreshold,
});

export const policyOf = (settings: Decisive): Policy => {
  const { review, rounds, gate, budgets, agent, author, validation } = settings;
  return {
    triggers: review.triggers,
    reviewDrafts: review.drafts,
    announceSkips: review.announceSkips,
    quietMs: review.quietSeconds * 1000,
    forgeVerdict: review.forgeVerdict,
    filters: {
      labels: review.labels,
      ignoreLabels: review.ignoreLabels,
      authors: review.authors,
      ignoreAuthors: review.ignoreAuthors,
      targetBranches: review.targetBranches,
    },
    rounds: roundsPolicy(rounds, review.maxComments),
    reviewOnBaseChange: rounds.reviewOnBaseChange,
    gate: {
      waitForCi: gate.waitForCi,
      ciDeadlineMs: gate.ciDeadlineSeconds * 1000,
      ciGraceMs: gate.ciGraceS * 1000,
      ignoreContexts: gate.ignoreContexts,
    },
    author: {
      // A dry run must not push, so it disables the author.
      enabled: author.enabled && !review.dryRun,
      projects: author.projects,
      labels: author.labels,
      authors: author.authors,
      // If a fix fails a validation, the validation also runs on the head.
      timeoutMs: (author.maxRuntimeS + 2 * longestValidationS(validation) + budgets.maxWaitS) * 1000,
    },
    runTimeoutMs: runTimeoutMs(settings),
    outagePatienceMs: agent.outagePatienceS * 1000,
    postTimeoutMs: budgets.maxWaitS * 1000,
    projectIgnores: review.projectIgnores,
    costs: { shown: review.showCost, limitUsd: budgets.model.changeRequestUsd },
  };
};
