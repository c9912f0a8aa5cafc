import path from 'node:path';
import { Agent } from '../../../shared/config/agent-settings.ts';
import { conversationOf } from '../../../shared/agent/turns.ts';
import { addSpent, NOTHING_SPENT, type Spent } from '../../../shared/vocabulary/spent.ts';
import { type CommitSha, RunId } from '../../../shared/vocabulary/ids.ts';
import { createRedactor, type Redactor } from '../../../shared/text/redact.ts';
import type { Cage } from '../../../shared/workspace/cage/cage.ts';
import type { Revisions } from '../../../shared/workspace/git/revisions.ts';
import { NO_EXPLORERS } from '../../reviewer/run/explorers.ts';
import { mostVerified } from '../../reviewer/run/model-review.ts';
import { conversationsOf } from '../../reviewer/run/plan-review.ts';
import type { Runner, RunScope } from '../../reviewer/run/runner.ts';
import { createAgentRunner, createTree } from '../../reviewer/runners/agent.ts';
import { createClaudeCodeRunner } from '../../reviewer/runners/claude-code.ts';
import { createRulesRunner } from '../../reviewer/runners/rules.ts';
import { createLocalExplorers } from './review-explorers.ts';
import type { LocalModel } from './review-model.ts';
import { ROUNDS } from './review-result.ts';

export type LocalReviewer =
  | { readonly kind: 'rules' }
  | { readonly kind: 'agent'; readonly model: LocalModel }
  | { readonly kind: 'claude-code'; readonly model: LocalModel; readonly program: string };

/** Excludes `claude-code`, which can only review changes. */
export type CodebaseReviewer = Exclude<LocalReviewer, { readonly kind: 'claude-code' }>;

export const RUN_ID = RunId.parse('0'.repeat(20));
export const LOCAL_PAYER = { runId: RUN_ID, changeRequest: { forge: 'local', projectId: 1, number: 1 } } as const;

export type LocalRunners = {
  readonly runner: Runner;
  readonly scope: RunScope;
  readonly dispose: () => Promise<void>;
};

export type RunnerPlace = {
  readonly revisions: Revisions;
  readonly head: CommitSha;
  /** Base of the change; null if there is no change, or if the history is not needed. */
  readonly base: CommitSha | null;
  readonly checkoutFolder: string;
  /** The cage for the runner `agent`. Null when no cage is available. */
  readonly cage: Cage | null;
  /** Contract: stores the last notes of a model for its next review of the same change. If absent, there is none. */
  readonly saveNotes?: ((notes: string) => Promise<void>) | undefined;
};

const RULES_BUDGET = { maxTurns: 1, maxRuntimeS: Agent.parse({}).reviewer.maxRuntimeS };

export const localRunnersOf = (reviewer: LocalReviewer, place: RunnerPlace): LocalRunners => {
  switch (reviewer.kind) {
    case 'rules':
      return ruleRunners();
    case 'agent':
      return modelStaff(reviewer.model, place);
    case 'claude-code':
      return claudeCodeStaff(reviewer, place);
    default:
      return reviewer satisfies never;
  }
};

export const ruleRunners = (): LocalRunners => ({
  runner: createRulesRunner(),
  scope: { ...LOCAL_PAYER, ...RULES_BUDGET, explorers: NO_EXPLORERS, isSuperseded: async () => false },
  dispose: async () => {},
});

const modelStaff = (model: LocalModel, place: RunnerPlace): LocalRunners => {
  const { revisions, head, base, checkoutFolder, cage, saveNotes } = place;
  const explored = createTree({ deps: { cage, checkoutFolder }, revisions, packet: { head, base } });
  const { maxTurns, maxRuntimeS } = model.agent.reviewer;
  return {
    runner: createAgentRunner({
      ...model,
      duplicateThreshold: ROUNDS.duplicateThreshold,
      verifyMax: mostVerified(model.agent),
      finders: true,
      checkoutFolder,
      cage,
      saveNotes: async (_of, notes) => saveNotes?.(notes),
    }),
    scope: {
      ...LOCAL_PAYER,
      maxTurns,
      maxRuntimeS,
      explorers: createLocalExplorers({ model, payer: LOCAL_PAYER, place: explored.open }),
      isSuperseded: async () => false,
    },
    dispose: explored.dispose,
  };
};

/** Stores no conversation, because no later review uses it. */
const claudeCodeStaff = (
  { model, program }: LocalReviewer & { readonly kind: 'claude-code' },
  { checkoutFolder, saveNotes }: RunnerPlace,
): LocalRunners => ({
  runner: createClaudeCodeRunner({
    ...model,
    program,
    duplicateThreshold: ROUNDS.duplicateThreshold,
    checkoutFolder,
    stateFolder: path.join(checkoutFolder, 'claude-code'),
    loadSession: async () => null,
    saveSession: async () => {},
    saveNotes: async (_of, notes) => saveNotes?.(notes),
  }),
  scope: {
    ...LOCAL_PAYER,
    maxTurns: model.agent.reviewer.maxTurns,
    maxRuntimeS: model.agent.reviewer.maxRuntimeS,
    explorers: NO_EXPLORERS,
    isSuperseded: async () => false,
  },
  dispose: async () => {},
});

/** Removes the secrets of the process and known formats of secrets. */
export const redactorOf = (reviewer: LocalReviewer): Redactor =>
  reviewer.kind === 'rules' ? createRedactor([]) : reviewer.model.redact;

/** Total cost so far, including explorers. Available even if the review produced no draft. */
export const spentBy = async (reviewer: LocalReviewer): Promise<Spent> => {
  switch (reviewer.kind) {
    case 'rules':
      return NOTHING_SPENT;
    case 'agent': {
      const held = await conversationsOf(reviewer.model.transcripts, RUN_ID);
      return held.reduce((sum: Spent, each) => addSpent(sum, conversationOf(each).spent), NOTHING_SPENT);
    }
    case 'claude-code': {
      const { connected, agent } = reviewer.model;
      const { ledger, account } = connected.meterOf(agent.reviewer.model, { ...LOCAL_PAYER, role: 'reviewer' });
      const { tokens, microUsd } = await ledger.spent('run', account);
      const modelCalls = tokens === 0 ? 0 : 1;
      return { ...NOTHING_SPENT, modelCalls, inputTokens: tokens, costUsd: microUsd / 1_000_000 };
    }
    default:
      return reviewer satisfies never;
  }
};
