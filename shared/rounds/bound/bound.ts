/**
 * How much one change request can cost, as arithmetic over the configuration. The formulas are those that the exhaustive
 * walk of the reducers in `test/shared/rounds/explore.test.ts` reaches exactly, and for comments never exceeds; README.md
 * has the proofs in words.
 */
import { maxFixes } from '../model/fixes.ts';
import { MAX_OWN_THREADS } from '../gate/gate.ts';
import type { Policy } from '../model/policy.ts';

/** One conversation with a model at its worst. */
export type ConversationLimits = {
  /** Answered calls: every turn, every correction, the fallback. */
  readonly calls: number;
  /** Requests per call until it is given up, the first included. */
  readonly tries: number;
  /** Executions of the job that holds it. */
  readonly executions: number;
  /** True: a later execution goes on where the earlier one ended. False: it begins anew. */
  readonly resumes: boolean;
};

export type ModelLimits = {
  readonly reviewer: ConversationLimits;
  readonly explorer: ConversationLimits;
  /** Of one run. */
  readonly maxExplorers: number;
  /** Null: no fix is made by a model of ours. */
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
  /** Active time of one run and of one fix, what the operator's commands take included. */
  readonly reviewerSeconds: number;
  readonly authorSeconds: number;
  /** Null: only rules review, and no model is called. */
  readonly model: ModelLimits | null;
};

/** Which of several limits is the smallest, in the words of the settings. */
export type LimitedBy = 'arithmetic' | 'runs × run budget' | 'change request budget' | 'no model';

export type Bound = {
  readonly thread: { readonly cycles: number };
  readonly changeRequest: {
    readonly rounds: number;
    readonly runs: number;
    /** Failed attempts of one round until the hand-off. */
    readonly attempts: number;
    /** Reviews that can be handed off because every attempt failed. */
    readonly giveUps: number;
    readonly fixes: number;
    /** Requests to the provider, repeated ones included. */
    readonly modelCalls: number;
    readonly inputTokens: number;
    readonly outputTokens: number;
    readonly costUsd: number;
    /** Active time. */
    readonly wallSeconds: number;
    /** Active time and waiting, until guard ends by itself what never reports. */
    readonly deadlineSeconds: number;
    readonly comments: number;
  };
  readonly limitedBy: Readonly<Record<'inputTokens' | 'outputTokens' | 'costUsd', LimitedBy>>;
};

/** The opening one, and one more per count: at count K a reply is not legal. */
export const maxCycles = ({ rounds }: Pick<Policy, 'rounds'>): number => rounds.threadCount + 1;

/**
 * How many of these cycles a thread of round `raisedIn` can live through. In the last round no reply is legal; before it
 * each further cycle takes a run of its own, but for the one that hands an answer to a human when no run is left.
 */
export const maxCyclesFrom = ({ rounds }: Pick<Policy, 'rounds'>, raisedIn: number): number =>
  raisedIn >= rounds.max ? 2 : Math.min(maxCycles({ rounds }), rounds.maxRuns - raisedIn + 2);

/** Of one round, until a human is called. */
export const maxAttempts = ({ rounds }: Pick<Policy, 'rounds'>): number => Math.min(rounds.attempts, rounds.maxRuns);

/** Each takes every attempt of a round, and each attempt is a run. */
export const maxGiveUps = ({ rounds }: Pick<Policy, 'rounds'>): number => Math.floor(rounds.maxRuns / rounds.attempts);

const fixesOf = ({ author, rounds }: BoundInput['policy']): number => (author.enabled ? maxFixes({ rounds }) : 0);

/** An execution that broke off has spent one call's requests in vain, or, where nothing is kept, all of them. */
export const maxRequests = ({ calls, tries, executions, resumes }: ConversationLimits): number =>
  resumes ? tries * (calls + executions - 1) : tries * calls * executions;

export const maxRequestsPerRun = ({ reviewer, explorer, maxExplorers }: ModelLimits): number =>
  maxRequests(reviewer) + maxExplorers * maxRequests(explorer);

const everyThread = ({ max }: Policy['rounds']): readonly number[] =>
  Array.from({ length: max }, () => MAX_OWN_THREADS);

/**
 * The summary once; per run one word about its end, one about CI repaired since, one hand-off; threads, answers, fixes.
 * `raised`: how many threads each round opens, the first one first.
 */
export const maxComments = (policy: BoundInput['policy'], raised = everyThread(policy.rounds)): number => {
  const { rounds } = policy;
  const inThreads = raised.reduce((sum, threads, index) => sum + threads * maxCyclesFrom({ rounds }, index + 1), 0);
  const verdicts = policy.forgeVerdict === 'off' ? 0 : rounds.maxRuns;
  const declines = raised.reduce((sum, threads) => sum + threads, 0);
  return 1 + inThreads + 3 * rounds.maxRuns + verdicts + fixesOf(policy) * (1 + declines);
};

/** Every phase of a run has a deadline: announcing, reviewing, posting, and giving up once per give-up. */
const deadlineMs = (policy: BoundInput['policy']): number => {
  const { runTimeoutMs, postTimeoutMs, author, rounds } = policy;
  const runs = rounds.maxRuns * (2 * postTimeoutMs + runTimeoutMs) + maxGiveUps(policy) * postTimeoutMs;
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
  // A fix has the budget of a run of its own; runs of rules have none.
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
  const spending = spendingOf(model, maxRuns, fixes);
  return {
    thread: { cycles: maxCyclesFrom(policy, 1) },
    changeRequest: {
      rounds: Math.min(max, maxRuns),
      runs: maxRuns,
      attempts: maxAttempts(policy),
      giveUps: maxGiveUps(policy),
      fixes,
      modelCalls: spending.calls,
      inputTokens: spending.input.value,
      outputTokens: spending.output.value,
      costUsd: spending.cost.value,
      wallSeconds: maxRuns * reviewerSeconds + fixes * authorSeconds,
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
