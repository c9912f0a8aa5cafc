import type { Config } from '../../shared/config/load.ts';
import { longestValidationS } from '../../shared/config/validation-settings.ts';
import type { Policy } from '../../shared/rounds/model/policy.ts';

/** The part of the configuration that decisions rest on, in the units of `shared/rounds`. */
export const policyOf = ({ review, rounds, gate, budgets, agent, author, validation }: Config): Policy => ({
  triggers: review.triggers,
  reviewDrafts: review.drafts,
  quietMs: review.quietSeconds * 1000,
  forgeVerdict: review.forgeVerdict,
  filters: {
    labels: review.labels,
    ignoreLabels: review.ignoreLabels,
    authors: review.authors,
    ignoreAuthors: review.ignoreAuthors,
    targetBranches: review.targetBranches,
  },
  rounds: {
    max: rounds.max,
    maxRuns: rounds.maxRuns,
    maxSilent: rounds.maxSilent,
    maxCarried: rounds.maxCarried,
    maxComments: review.maxComments,
    attempts: rounds.attempts,
    threadCount: rounds.threadCount,
    duplicateThreshold: rounds.duplicateThreshold,
  },
  reviewOnBaseChange: rounds.reviewOnBaseChange,
  gate: {
    waitForCi: gate.waitForCi,
    ciDeadlineMs: gate.ciDeadlineSeconds * 1000,
    ciGraceMs: gate.ciGraceS * 1000,
    ignoreContexts: gate.ignoreContexts,
  },
  author: {
    // A push is the loudest way of posting.
    enabled: author.enabled && !review.dryRun,
    projects: author.projects,
    labels: author.labels,
    authors: author.authors,
    // What a fix fails is asked of its head too.
    timeoutMs: (author.maxRuntimeS + 2 * longestValidationS(validation) + budgets.maxWaitS) * 1000,
  },
  // Waiting in queues and for explorers is part of a run's time, not of its budget.
  runTimeoutMs: (agent.reviewer.maxRuntimeS + longestValidationS(validation) + budgets.maxWaitS) * 1000,
  outagePatienceMs: agent.outagePatienceS * 1000,
  postTimeoutMs: budgets.maxWaitS * 1000,
});
