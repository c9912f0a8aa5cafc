import { MODEL_ADDRESS } from './option-words.ts';
import type { z } from 'zod';
import { type BoundaryOf, createBoundaries } from '../../../shared/agent/boundary.ts';
import { createMemoryLedger } from '../../../shared/agent/model/memory-ledger.ts';
import type { AgentEvent } from '../../../shared/agent/run-turns.ts';
import { Agent, ModelBudgets } from '../../../shared/config/agent-settings.ts';
import type { CliSettings } from '../../../shared/claude-code/settings.ts';
import { findModel, providersInUse, usesDefaultProvider } from '../../../shared/config/model-roles.ts';
import { checkMessagesUrl, checkToken } from '../../../shared/config/secret-rules.ts';
import { type Environment, SUBSCRIPTION_TOKEN } from '../../../shared/config/secrets.ts';
import { budgetLimitsOf, type ConnectedModel, createConnectedModel } from '../../../shared/runtime/connect-model.ts';
import { ModelWithoutPriceError } from '../../../shared/runtime/model-price.ts';
import { modelAddressOf } from '../../../shared/runtime/routed-model.ts';
import { createRedactor, type Redactor } from '../../../shared/text/redact.ts';
import { createMemoryTranscripts, type MemoryTranscripts } from './review-memory.ts';
import { given } from '../terminal/given.ts';
import { agentWish, type ModelWish } from '../terminal/model-wish.ts';
import { UsageError } from '../terminal/usage-error.ts';

export type LocalModel = {
  readonly connected: ConnectedModel;
  readonly agent: Agent;
  /** For the Claude Code CLI. */
  readonly access: CliSettings['access'];
  /** Budget of the review in US dollars. Null for a subscription. */
  readonly runUsd: number | null;
  readonly transcripts: MemoryTranscripts;
  readonly redact: Redactor;
  readonly boundaryOf: BoundaryOf;
  readonly observe: (event: AgentEvent) => void;
  /** Does nothing in this command. Only services have steps at which tests kill the process. */
  readonly checkpoint: () => void;
};

export type KeysIn =
  | {
      readonly kind: 'found';
      readonly key: string;
      readonly providers: ReadonlyMap<string, string>;
      /** For the Claude Code CLI, if it uses a subscription instead of the key. */
      readonly subscription?: string;
    }
  | { readonly kind: 'missing'; readonly variable: string };

/** The keys of the models that the options name. @throws UsageError when one is malformed; the message never quotes it */
export const keysIn = (agent: Agent, env: Environment): KeysIn => {
  const read = (variable: string): string => {
    const key = env[variable] ?? '';
    const mistake = key === '' ? null : checkToken(key);
    if (mistake !== null) throw new UsageError(`the environment variable ${variable} ${mistake}`);
    return key;
  };
  const providers = new Map(
    providersInUse(agent).map(({ name, keyEnv }) => [name, { keyEnv, key: keyEnv === '' ? '' : read(keyEnv) }]),
  );
  const key = usesDefaultProvider(agent) ? read(agent.apiKeyEnv) : '';
  const missing = [...providers.values()].find((each) => each.keyEnv !== '' && each.key === '');
  if (missing !== undefined) return { kind: 'missing', variable: missing.keyEnv };
  if (usesDefaultProvider(agent) && key === '') return { kind: 'missing', variable: agent.apiKeyEnv };
  return { kind: 'found', key, providers: new Map([...providers].map(([name, each]) => [name, each.key])) };
};

/** The key for the Claude Code CLI or, without one, the token of a subscription. @throws UsageError when one is malformed */
export const cliKeysIn = (agent: Agent, env: Environment): KeysIn => {
  const keys = keysIn(agent, env);
  const subscription = env[SUBSCRIPTION_TOKEN] ?? '';
  if (keys.kind === 'found' || subscription === '') return keys;
  const mistake = checkToken(subscription);
  if (mistake !== null) throw new UsageError(`the environment variable ${SUBSCRIPTION_TOKEN} ${mistake}`);
  return { kind: 'found', key: '', providers: new Map(), subscription };
};

const addressIn = (env: Environment): string | null => {
  const address = env[MODEL_ADDRESS] ?? '';
  if (address === '') return null;
  const mistake = checkMessagesUrl(address);
  if (mistake !== null) throw new UsageError(`the environment variable ${MODEL_ADDRESS} ${mistake}`);
  return address;
};

const WORDS: Readonly<Record<string, string>> = {
  'reviewer.model': 'the model',
  'explorer.model': 'the explorer model',
  'reviewer.maxTurns': 'the number of turns',
  baseUrl: 'the URL of the model',
  'provider.0.baseUrl': 'the URL of the model',
  apiKeyEnv: '--key-env',
  'provider.0.keyEnv': '--key-env',
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

/** The most that the setting allows. A change with more parts is refused, like one that does not fit its budget. */
const MAX_PARTS = 64;

/** @throws UsageError for a wrong option */
export const agentOf = (wish: ModelWish): Agent => parseOrRefuse(Agent, { ...agentWish(wish), maxParts: MAX_PARTS });

/** The command runs only one review, so the limit of the run applies to every scope. */
const limitsOf = ({ budgetUsd, budgetTokens }: ModelWish) => {
  const { run } = budgetLimitsOf(parseOrRefuse(ModelBudgets, given({ runUsd: budgetUsd, runTokens: budgetTokens })));
  return { run, change_request: run, project: run, day: run };
};

export type LocalModelOptions = {
  readonly agent: Agent;
  readonly keys: KeysIn & { readonly kind: 'found' };
  readonly env: Environment;
  /** Contract: must not throw. */
  readonly observe: (event: AgentEvent) => void;
};

/** @throws UsageError for a wrong option or a model without a price */
export const connectLocalModel = (wish: ModelWish, options: LocalModelOptions): LocalModel => {
  const { agent, keys, env, observe } = options;
  const { key, providers, subscription } = keys;
  const baseUrl = addressIn(env);
  const limits = limitsOf(wish);
  const secrets = [key, ...providers.values(), subscription ?? ''].filter((each) => each !== '');
  return {
    connected: connectOrRefuse({ agent, access: { key, baseUrl, providers }, ledger: createMemoryLedger(limits) }),
    agent,
    access: {
      apiKey: key,
      baseUrl: modelAddressOf(agent, { baseUrl }),
      proxy: agent.proxy,
      caFile: agent.caFile,
      ...(subscription === undefined ? {} : { subscription }),
    },
    runUsd: subscription === undefined ? limits.run.microUsd / 1_000_000 : null,
    transcripts: createMemoryTranscripts(),
    redact: createRedactor(secrets),
    boundaryOf: createBoundaries(secrets, () => Date.now()),
    observe,
    checkpoint: () => {},
  };
};

const connectOrRefuse = (connecting: Parameters<typeof createConnectedModel>[0]): ConnectedModel => {
  try {
    return createConnectedModel(connecting);
  } catch (error) {
    if (!(error instanceof ModelWithoutPriceError)) throw error;
    const { model } = findModel(connecting.agent, String(error.fields['model']));
    throw new UsageError(
      `the model ${model} has no price, so its budget cannot be enforced; ` +
        `add one with --price ${model}=INPUT/OUTPUT, in dollars per million tokens`,
    );
  }
};
