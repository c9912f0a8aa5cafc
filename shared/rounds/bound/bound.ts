/**
 * Computes the maximum cost of one change request from the configuration. `test/shared/rounds/explore.test.ts` walks all
 * states of the reducers: it reaches these numbers exactly, except that it never exceeds the number of comments. README.md
 * explains the formulas.
 */
import { maxFixes } from '../model/fixes.ts';
import { LEDGER_MAX_FINDINGS } from '../memory/merge-ledgers.ts';
import type { Policy } from '../model/policy.ts';

export type ConversationLimits = {
  /** Model calls that get an answer: turns, corrections and the fallback. */
  readonly calls: number;
  /** Requests per call, including retries. */
  readonly tries: number;
  readonly executions: number;
  /** True if a later execution continues where the earlier one ended; false if it starts over. */
  readonly resumes: boolean;
};

export type ModelLimits = {
  /** One conversation of the reviewer: about the whole change, or about one part of it. */
  readonly reviewer: ConversationLimits;
  /** Parts of a change that one run may review; 1 if it is never divided. */
  readonly maxParts: number;
  readonly explorer: ConversationLimits;
  readonly maxExplorers: number;
  readonly finder: ConversationLimits;
  readonly maxFinders: number;
  readonly verifier: ConversationLimits;
  readonly maxVerifiers: number;
  /** Null if none of our models makes fixes. */
  readonly author: ConversationLimits | null;
  readonly maxOutputTokens: number;
  readonly budgets: {
    readonly runTokens: number;
    readonly runUsd: number;
    readonly changeRequestTokens: number;
    readonly changeRequestUsd: number;
  };
};

export type BoundInput = {
  readonly policy: Pick<Policy, 'rounds' | 'runTimeoutMs' | 'postTimeoutMs' | 'forgeVerdict'> & {
    readonly author: Pick<Policy['author'], 'enabled' | 'timeoutMs'>;
  };
  /** Active time of one run and of one fix, including the operator's validation commands. */
  readonly reviewerSeconds: number;
  readonly authorSeconds: number;
  /** Null if no model is called. */
  readonly model: ModelLimits | null;
};

export type LimitedBy = 'arithmetic' | 'runs × run budget' | 'change request budget' | 'no model';

export type Bound = {
  readonly thread: { readonly cycles: number };
  readonly changeRequest: {
    readonly rounds: number;
    /** Completed reviews, including silent reviews. */
    readonly reviews: number;
    /** Runs that are started: reviews, failed and superseded runs, and carried heads. */
    readonly runs: number;
    readonly attempts: number;
    /** Reviews that are handed off because every attempt failed. */
    readonly giveUps: number;
    readonly fixes: number;
    readonly modelCalls: number;
    readonly inputTokens: number;
    readonly outputTokens: number;
    readonly costUsd: number;
    readonly wallSeconds: number;
    /** Active time plus waiting time, until guard ends a run that never reports. */
    readonly deadlineSeconds: number;
    readonly comments: number;
  };
  readonly limitedBy: Readonly<Record<'inputTokens' | 'outputTokens' | 'costUsd', LimitedBy>>;
};

/** The opening cycle and one cycle per count: at count K, `reply` is illegal. */
export const maxCycles = ({ rounds }: Pick<Policy, 'rounds'>): number => rounds.threadCount + 1;

/**
 * In the last round no reply is legal. Before the last round, each further cycle takes a run, except the cycle that hands a
 * reply to a human because no run is left.
 */
export const maxCyclesFrom = ({ rounds }: Pick<Policy, 'rounds'>, raisedIn: number): number =>
  raisedIn >= rounds.max ? 2 : Math.min(maxCycles({ rounds }), rounds.maxRuns - raisedIn + 2);

export const maxAttempts = ({ rounds }: Pick<Policy, 'rounds'>): number => Math.min(rounds.attempts, rounds.maxRuns);

/** Each give-up uses up all attempts of a review, and each attempt is a run. */
export const maxGiveUps = ({ rounds }: Pick<Policy, 'rounds'>): number => Math.floor(rounds.maxRuns / rounds.attempts);

const fixesOf = ({ author, rounds }: BoundInput['policy']): number => (author.enabled ? maxFixes({ rounds }) : 0);

/** An interrupted execution wastes the requests of one call, or of all calls if it cannot resume. */
export const maxRequests = ({ calls, tries, executions, resumes }: ConversationLimits): number =>
  resumes ? tries * (calls + executions - 1) : tries * calls * executions;

/** What a run sends, besides the reviewer itself. */
export const helpersOf = (limits: ModelLimits): readonly (readonly [name: string, count: number, each: number])[] => [
  ['explorers', limits.maxExplorers, maxRequests(limits.explorer)],
  ['finders', limits.maxFinders, maxRequests(limits.finder)],
  ['verifiers', limits.maxVerifiers, maxRequests(limits.verifier)],
];

/**
 * A run in parts starts no explorers and no finders, so no run makes as many requests as this sum. The sum keeps the
 * bound affine.
 */
export const maxRequestsPerRun = (limits: ModelLimits): number =>
  limits.maxParts * maxRequests(limits.reviewer) +
  helpersOf(limits).reduce((sum, [, count, each]) => sum + count * each, 0);

/** Runs that may call a model. After the last silent review no run may start, so that review is counted only once. */
export const maxReviews = ({ rounds: { maxRuns, maxSilent } }: Pick<Policy, 'rounds'>): number =>
  maxRuns + maxSilent - 1;

export const maxStartedRuns = (policy: Pick<Policy, 'rounds'>): number => maxReviews(policy) + policy.rounds.maxCarried;

/** The largest number of findings that the ledger holds. In the worst case, the first review opens all threads. */
const EVERY_THREAD = [LEDGER_MAX_FINDINGS];

/**
 * Counts one summary, then for each run one result, one change of CI and one hand-off, and finally the threads, answers
 * and fixes. `raised`: how many threads each review opens, in order.
 */
export const maxComments = (policy: BoundInput['policy'], raised: readonly number[] = EVERY_THREAD): number => {
  const { rounds } = policy;
  const inThreads = raised.reduce((sum, threads, index) => sum + threads * maxCyclesFrom({ rounds }, index + 1), 0);
  const runs = maxStartedRuns(policy);
  const verdicts = policy.forgeVerdict === 'off' ? 0 : runs;
  const declines = raised.reduce((sum, threads) => sum + threads, 0);
  return 1 + inThreads + 3 * runs + verdicts + fixesOf(policy) * (1 + declines);
};

/** Each phase of a run has a deadline: announcing, reviewing, posting, and giving up, which each give-up adds once. */
const deadlineMs = (policy: BoundInput['policy']): number => {
  const { runTimeoutMs, postTimeoutMs, author } = policy;
  const runs = maxStartedRuns(policy) * (2 * postTimeoutMs + runTimeoutMs) + maxGiveUps(policy) * postTimeoutMs;
  return runs + fixesOf(policy) * (2 * postTimeoutMs + author.timeoutMs);
};

type Limit = { readonly value: number; readonly by: LimitedBy };

const smallest = (...limits: readonly [Limit, ...Limit[]]): Limit =>
  limits.reduce((best, each) => (each.value < best.value ? each : best));

const NOTHING: Limit = { value: 0, by: 'no model' };

type Spending = { readonly calls: number; readonly input: Limit; readonly output: Limit; readonly cost: Limit };

const spendingOf = (model: ModelLimits | null, runs: number, fixes: number): Spending => {
  if (model === null) return { calls: 0, input: NOTHING, output: NOTHING, cost: NOTHING };
  const { author, budgets, maxOutputTokens } = model;
  const fixing = author === null ? 0 : fixes;
  const calls = runs * maxRequestsPerRun(model) + (author === null ? 0 : fixing * maxRequests(author));
  // A fix has the same budget as a run. Runs that use only rules have no budget.
  const payers = (maxRequestsPerRun(model) === 0 ? 0 : runs) + fixing;
  const tokens = smallest(
    { value: payers * budgets.runTokens, by: 'runs × run budget' },
    { value: budgets.changeRequestTokens, by: 'change request budget' },
  );
  const cost = smallest(
    { value: payers * budgets.runUsd, by: 'runs × run budget' },
    { value: budgets.changeRequestUsd, by: 'change request budget' },
  );
  const output = smallest({ value: calls * maxOutputTokens, by: 'arithmetic' }, tokens);
  return { calls, input: tokens, output, cost };
};

export const boundOf = (input: BoundInput): Bound => {
  const { policy, model, reviewerSeconds, authorSeconds } = input;
  const { max, maxRuns } = policy.rounds;
  const fixes = fixesOf(policy);
  const spending = spendingOf(model, maxReviews(policy), fixes);
  return {
    thread: { cycles: maxCyclesFrom(policy, 1) },
    changeRequest: {
      rounds: Math.min(max, maxRuns),
      reviews: maxReviews(policy),
      runs: maxStartedRuns(policy),
      attempts: maxAttempts(policy),
      giveUps: maxGiveUps(policy),
      fixes,
      modelCalls: spending.calls,
      inputTokens: spending.input.value,
      outputTokens: spending.output.value,
      costUsd: spending.cost.value,
      wallSeconds: maxStartedRuns(policy) * reviewerSeconds + fixes * authorSeconds,
      deadlineSeconds: Math.ceil(deadlineMs(policy) / 1000),
      comments: maxComments(policy),
    },
    limitedBy: {
      inputTokens: spending.input.by,
      outputTokens: spending.output.by,
      costUsd: spending.cost.by,
    },
  };
};
