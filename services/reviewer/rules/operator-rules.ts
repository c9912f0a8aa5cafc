/**
 * Hashes the operator's settings on which the verdict about a change depends. A verdict is carried to another head only
 * if they are equal.
 *
 * Part of the hash: what is reviewed, who reviews it, which checks are on, and what passes. Not part of it: what guard
 * applies to every head itself (`rounds`, `gate`), the validation commands, which run again for a carried verdict, and
 * limits that prevent a verdict where they are reached.
 */
import { createHash } from 'node:crypto';
import { effortFor } from '../../../shared/agent/model/effort.ts';
import { type Analyzer, analyzersFor, isFromCi } from '../../../shared/config/analyzer-settings.ts';
import type { Config } from '../../../shared/config/load.ts';
import { chainOf, effortOf, findModel, type ModelRole } from '../../../shared/config/model-roles.ts';
import { type ReachedProject, reviewerFor } from '../../../shared/config/projects/message-reach.ts';
import type { RunnerChoice } from '../../../shared/config/schema.ts';

type Settings = Pick<Config, 'limits' | 'review' | 'rounds' | 'agent' | 'analyzer' | 'messages' | 'forges'> & {
  readonly secrets: Pick<Config['secrets'], 'model'>;
};

/** `project`: the one of the change, so that settings of other projects do not count. */
export const operatorRulesOf = (settings: Settings, project: ReachedProject): string => {
  const { review, limits, rounds, analyzer } = settings;
  const { includePaths, excludePaths, unknownLanguages, onlyExcluded, projectIgnores } = review;
  const { maxFiles, maxDiffBytes, maxFileBytes } = limits;
  const decisive = {
    review: { includePaths, excludePaths, unknownLanguages, onlyExcluded, projectIgnores },
    limits: { maxFiles, maxDiffBytes, maxFileBytes },
    duplicateThreshold: rounds.duplicateThreshold,
    analyzers: analyzersFor(analyzer, project.path).map(analyzerOf),
    reviewer: reviewerOf(settings, project),
  };
  return createHash('sha256').update(JSON.stringify(decisive)).digest('hex');
};

/** An analyzer that exceeds its time has failed, which gives no verdict. Its other projects do not matter here. */
const analyzerOf = (analyzer: Analyzer) => {
  if (isFromCi(analyzer)) return { ...analyzer, projects: [] };
  const { timeoutS: _, ...decisive } = analyzer;
  return { ...decisive, projects: [] };
};

type Runs = Exclude<RunnerChoice, 'auto'>;

/** The runner that `auto` chooses depends on the environment. */
const runnerOf = ({ review, secrets }: Pick<Settings, 'review' | 'secrets'>): Runs => {
  if (review.runner !== 'auto') return review.runner;
  return secrets.model === null ? 'rules' : 'agent';
};

const reviewerOf = (settings: Settings, project: ReachedProject): readonly unknown[] => {
  const runner = runnerOf(settings);
  switch (runner) {
    case 'rules':
      return [runner];
    case 'agent':
      return [runner, ...agentOf(settings)];
    case 'claude-code':
      return [runner, settings.agent.reviewer.model];
    case 'messages':
      return [runner, reviewerFor(settings, project)];
    default:
      return runner satisfies never;
  }
};

/** Of limits that disable a part of the review at 0, only this counts. */
const agentOf = ({ agent, review }: Pick<Settings, 'agent' | 'review'>): readonly unknown[] => {
  const verifies = review.verify && agent.verifyMax > 0;
  const explores = agent.maxExplorers > 0;
  return [
    modelsOf(agent, 'reviewer'),
    explores,
    review.finders,
    explores || review.finders ? modelsOf(agent, 'explorer') : [],
    verifies ? modelsOf(agent, 'verifier') : [],
  ];
};

const modelsOf = (agent: Settings['agent'], role: ModelRole): readonly unknown[] =>
  chainOf(agent, role).map((reference) => {
    const { provider, model } = findModel(agent, reference);
    return [reference, effortFor(model, { own: effortOf(agent, role), declared: provider?.effort })];
  });
