import { FinderEye } from '../../shared/vocabulary/question.ts';
import { FINDER_TURNS, VERIFIER_TURNS } from '../../shared/config/agent-settings.ts';
import { maxModelCalls } from '../../shared/agent/model/budget.ts';
import { longestSourcesS } from '../../shared/config/rule-settings.ts';
import { longestAnalysisS } from '../../shared/config/analyzer-settings.ts';
import { longestValidationS } from '../../shared/config/validation-settings.ts';
import { DEFAULT_MODEL_RETRY } from '../../shared/agent/model/retrying-model.ts';
import { maxCliTurns } from '../../shared/claude-code/run-session.ts';
import { CLI_TRIES } from '../../shared/claude-code/invocation.ts';
import { type Config, findConfigPath } from '../../shared/config/load.ts';
import { effectiveSettings } from '../../shared/config/project-settings.ts';
import { hasAuthorModel, needsModel } from '../../shared/config/model-needs.ts';
import { QUEUES } from '../../shared/queue/contracts.ts';
import {
  type BoundInput,
  boundOf,
  type ConversationLimits,
  type ModelLimits,
} from '../../shared/rounds/bound/bound.ts';
import { MAX_OUTAGE_RETRIES } from '../../shared/rounds/decide/decide-outage.ts';
import { boundText } from '../../shared/rounds/bound/bound-text.ts';
import { type TypicalCost, typicalCost, typicalText } from '../../shared/rounds/bound/typical.ts';
import { RememberedSummary } from '../../shared/rounds/memory/own-markers.ts';
import type { SummaryMarker } from '../../shared/rounds/model/marker-payload.ts';
import { createDocumentStore } from '../../shared/store/documents.ts';
import { createKeys } from '../../shared/store/keys.ts';
import { listKnown } from '../../shared/store/list-known.ts';
import { redisTargetOf } from '../../shared/runtime/redis-target.ts';
import { awaitRedis, connectRedis } from '../../shared/store/redis.ts';
import { timeLimit } from '../../shared/time-limit.ts';
import { policyOf } from '../guard/policy.ts';
import { findServed } from './config/find-served.ts';
import { loadWithRedis } from './redis/own-redis.ts';
import { printJson } from './terminal/print-json.ts';
import { loadOrThrow } from './terminal/load-or-throw.ts';
import { UsageError } from './terminal/usage-error.ts';

export type BoundOptions = { readonly config?: string; readonly format: string; readonly typical?: boolean };

/**
 * `fixpoint bound`: the maximum cost of one change request with this configuration. Needs no secrets; with `--typical` it
 * needs Redis.
 *
 * @param reference a project, whose `[[project]]` sections then count; null for the settings of the installation.
 */
export const bound = async (
  reference: string | null,
  { config, format, typical = false }: BoundOptions,
): Promise<number> => {
  if (format !== 'text' && format !== 'json') throw new UsageError('--format: expected text or json');
  const path = findConfigPath(config, process.env);
  const loaded = loadOrThrow({ path, env: process.env, needs: [] });
  const settings = reference === null ? loaded : effectiveSettings(loaded, findServed(loaded, reference)).settings;
  const input = boundInputOf(settings);
  const numbers = boundOf(input);
  const measured = typical ? await measure(path) : null;
  if (format === 'json') process.stdout.write(printJson(typical ? { ...numbers, typical: measured } : numbers));
  else {
    if (typical) process.stdout.write(`${typicalText(measured)}\n`);
    process.stdout.write(
      boundText(numbers, input, { notes: [...notesOn(settings), ...sectionNotes(loaded, reference)] }),
    );
  }
  return 0;
};

const REDIS_TIMEOUT_MS = 5_000;
const LIMIT_MS = 60_000;

/** Measures the costs in the summaries that guard has stored within the last week. */
const measure = async (path: string): Promise<TypicalCost | null> => {
  const settings = loadWithRedis({ path, env: process.env, needs: ['redis'] });
  const redis = connectRedis(redisTargetOf(settings), 'worker');
  const keys = createKeys(settings.redis.prefix);
  try {
    await awaitRedis(redis, REDIS_TIMEOUT_MS, timeLimit(REDIS_TIMEOUT_MS));
    const summaries = createDocumentStore(redis, RememberedSummary);
    const found: SummaryMarker[] = [];
    for (const of of await listKnown(redis, keys, timeLimit(LIMIT_MS))) {
      const summary = await summaries.load(keys.ofChangeRequest(of, 'summary'));
      if (summary !== null) found.push(summary.marker);
    }
    return typicalCost(found);
  } finally {
    redis.disconnect();
  }
};

export const boundInputOf = (config: Config): BoundInput => ({
  policy: policyOf(config),
  reviewerSeconds:
    config.agent.reviewer.maxRuntimeS +
    longestValidationS(config.validation) +
    longestAnalysisS(config.analyzer) +
    longestSourcesS(config.rules),
  authorSeconds: config.author.maxRuntimeS + 2 * longestValidationS(config.validation),
  model: modelLimits(config),
});

/** Secrets are not read, so the runner `auto` counts as a model, which has the larger bound. */
const modelLimits = (config: Config): ModelLimits | null => {
  const { agent, author, budgets, review } = config;
  const writes = hasAuthorModel(author);
  if (!needsModel(review.runner) && !writes) return null;
  const { runTokens, runUsd, changeRequestTokens, changeRequestUsd } = budgets.model;
  const usesOurLoop = needsModel(review.runner) && review.runner !== 'claude-code';
  return {
    reviewer: reviewerLimits(config),
    maxParts: usesOurLoop ? agent.maxParts : 1,
    explorer: conversation(config, agent.explorer.maxTurns, 'explore'),
    maxExplorers: usesOurLoop ? agent.maxExplorers : 0,
    finder: conversation(config, FINDER_TURNS, 'explore'),
    maxFinders: usesOurLoop && review.finders ? FinderEye.options.length : 0,
    verifier: conversation(config, VERIFIER_TURNS, 'explore'),
    maxVerifiers: usesOurLoop && review.verify ? agent.verifyMax : 0,
    author: writes ? authorLimits(config) : null,
    maxOutputTokens: agent.maxOutputTokens,
    budgets: { runTokens, runUsd, changeRequestTokens, changeRequestUsd },
  };
};

/**
 * Limits for the CLI. The CLI makes up to `maxTurns` calls, tries each up to three times, and starts over in every
 * execution.
 */
const reviewerLimits = (config: Config): ConversationLimits => {
  const { agent, review } = config;
  if (!needsModel(review.runner)) return NO_CONVERSATION;
  const own = conversation(config, agent.reviewer.maxTurns, 'review');
  if (review.runner !== 'claude-code') return own;
  return { ...own, ...ofCli(config, { maxTurns: agent.reviewer.maxTurns, hasLastCall: true }) };
};

const authorLimits = (config: Config): ConversationLimits => {
  const { author } = config;
  const own = conversation(config, author.maxTurns, 'fix');
  if (author.agent !== 'claude-code') return own;
  return { ...own, ...ofCli(config, { maxTurns: author.maxTurns, hasLastCall: false }) };
};

type CliTurns = { readonly maxTurns: number; readonly hasLastCall: boolean };

const ofCli = ({ agent: { maxCorrections } }: Config, turns: CliTurns) => ({
  calls: maxCliTurns({ ...turns, maxCorrections }),
  tries: CLI_TRIES,
  resumes: false,
});

const NO_CONVERSATION: ConversationLimits = { calls: 0, tries: 0, executions: 0, resumes: false };

/** Stored transcripts let reviewers and explorers resume. An author's conversation starts over when its process restarts. */
const conversation = (
  { agent }: Config,
  maxTurns: number,
  queue: 'review' | 'explore' | 'fix',
): ConversationLimits => ({
  calls: maxModelCalls({ maxTurns, maxCorrections: agent.maxCorrections }),
  tries: DEFAULT_MODEL_RETRY.attempts,
  executions: QUEUES[queue].attempts,
  resumes: queue !== 'fix',
});

const sectionNotes = ({ project }: Config, reference: string | null): readonly string[] =>
  reference !== null || project.length === 0
    ? []
    : ['', 'The [[project]] sections do not count here; `fixpoint bound PROJECT` prints the limits of a project.'];

const notesOn = ({ author, review, agent }: Config): readonly string[] => [
  '',
  `While a model, a forge or a disk is unavailable, each job waits for up to ${agent.outagePatienceS} s more (agent.outage_patience_s). If no call`,
  `was answered by then, the head is retried at most ${MAX_OUTAGE_RETRIES} times; such a retry does not count as a run.`,
  ...(review.runner === 'auto' ? ['', 'review.runner is "auto": without a model key no model is called.'] : []),
  ...(author.enabled && !hasAuthorModel(author)
    ? ['', 'The spending of your own program (author.command) is not included.']
    : []),
];
