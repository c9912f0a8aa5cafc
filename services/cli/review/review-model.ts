import { MODEL_ADDRESS, MODEL_KEY } from './option-words.ts';
import type { z } from 'zod';
import { type BoundaryOf, createBoundaries } from '../../../shared/agent/boundary.ts';
import { createMemoryLedger } from '../../../shared/agent/model/memory-ledger.ts';
import type { AgentEvent } from '../../../shared/agent/run-turns.ts';
import { Agent, ModelBudgets } from '../../../shared/config/agent-settings.ts';
import { checkToken, checkWebAddress } from '../../../shared/config/secret-rules.ts';
import type { Environment } from '../../../shared/config/secrets.ts';
import { budgetLimitsOf, type ConnectedModel, createConnectedModel } from '../../../shared/runtime/connect-model.ts';
import { ModelWithoutPriceError } from '../../../shared/runtime/model-price.ts';
import { modelAddressOf } from '../../../shared/runtime/routed-model.ts';
import { createRedactor, type Redactor } from '../../../shared/text/redact.ts';
import { createMemoryTranscripts, type MemoryTranscripts } from './review-memory.ts';
import type { ModelWish } from '../terminal/model-wish.ts';
import { UsageError } from '../terminal/usage-error.ts';

export type LocalModel = {
  readonly connected: ConnectedModel;
  readonly agent: Agent;
  readonly access: { readonly apiKey: string; readonly baseUrl: string };
  /** Budget of the review in US dollars. */
  readonly runUsd: number;
  readonly transcripts: MemoryTranscripts;
  readonly redact: Redactor;
  readonly boundaryOf: BoundaryOf;
  readonly observe: (event: AgentEvent) => void;
  /** Does nothing in this command. Only services have steps at which tests kill the process. */
  readonly checkpoint: () => void;
};

/** Null when the environment has no key. @throws UsageError when it is malformed; the message never quotes it */
export const modelKeyIn = (env: Environment): string | null => {
  const key = env[MODEL_KEY] ?? '';
  if (key === '') return null;
  const mistake = checkToken(key);
  if (mistake !== null) throw new UsageError(`the environment variable ${MODEL_KEY} ${mistake}`);
  return key;
};

const addressIn = (env: Environment): string | null => {
  const address = env[MODEL_ADDRESS] ?? '';
  if (address === '') return null;
  const mistake = checkWebAddress(address);
  if (mistake !== null) throw new UsageError(`the environment variable ${MODEL_ADDRESS} ${mistake}`);
  return address;
};

const WORDS: Readonly<Record<string, string>> = {
  'reviewer.model': 'the model',
  'explorer.model': 'the explorer model',
  'reviewer.maxTurns': 'the number of turns',
  baseUrl: 'the address of the model',
  runUsd: 'the budget in dollars',
  runTokens: 'the budget in tokens',
};

const boundOf = (issue: z.core.$ZodIssue): string => {
  if (issue.code === 'too_small') return `expected at least ${issue.minimum}`;
  if (issue.code === 'too_big') return `expected at most ${issue.maximum}`;
  return issue.message;
};

/** zod's messages name types and bounds, but quote no values. */
const parseOrRefuse = <Value>(schema: z.ZodType<Value>, input: unknown): Value => {
  const parsed = schema.safeParse(input);
  if (parsed.success) return parsed.data;
  const lines = parsed.error.issues.map((issue) => {
    const { path } = issue;
    const name = path.map(String).join('.');
    return `${WORDS[name] ?? (path[0] === 'price' ? 'a price' : name)}: ${boundOf(issue)}`;
  });
  throw new UsageError(lines.join('\n'));
};

const without = (values: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));

const MAX_PARTS = 64;

const agentOf = (wish: ModelWish): Agent =>
  parseOrRefuse(Agent, {
    ...without({ baseUrl: wish.baseUrl }),
    // Only the budget of the review limits its parts.
    maxParts: MAX_PARTS,
    reviewer: without({ model: wish.model, maxTurns: wish.maxTurns }),
    explorer: without({ model: wish.explorerModel }),
    price: wish.prices ?? [],
  });

/** Only one review is paid for, so every scope has the limit of the run. */
const limitsOf = ({ budgetUsd, budgetTokens }: ModelWish) => {
  const { run } = budgetLimitsOf(parseOrRefuse(ModelBudgets, without({ runUsd: budgetUsd, runTokens: budgetTokens })));
  return { run, change_request: run, project: run, day: run };
};

export type LocalModelOptions = {
  readonly apiKey: string;
  readonly env: Environment;
  /** Contract: must not throw. */
  readonly observe: (event: AgentEvent) => void;
};

/** @throws UsageError for a wrong option or a model without a price */
export const connectLocalModel = (wish: ModelWish, { apiKey, env, observe }: LocalModelOptions): LocalModel => {
  const agent = agentOf(wish);
  const baseUrl = addressIn(env);
  const limits = limitsOf(wish);
  return {
    connected: connectOrRefuse({ agent, access: { key: apiKey, baseUrl }, ledger: createMemoryLedger(limits) }),
    agent,
    access: { apiKey, baseUrl: modelAddressOf(agent, { baseUrl }) },
    runUsd: limits.run.microUsd / 1_000_000,
    transcripts: createMemoryTranscripts(),
    redact: createRedactor([apiKey]),
    boundaryOf: createBoundaries([apiKey], () => Date.now()),
    observe,
    checkpoint: () => {},
  };
};

const connectOrRefuse = (connecting: Parameters<typeof createConnectedModel>[0]): ConnectedModel => {
  try {
    return createConnectedModel(connecting);
  } catch (error) {
    if (!(error instanceof ModelWithoutPriceError)) throw error;
    const { model } = error.fields;
    throw new UsageError(
      `the model ${String(model)} has no price, so its budget cannot be enforced; ` +
        'add one with --price MODEL=INPUT/OUTPUT, in dollars per million tokens',
    );
  }
};
