import type { AgentEvent } from '../../../shared/agent/run-turns.ts';
import { totalTokens } from '../../../shared/agent/model/model.ts';
import type { Environment } from '../../../shared/config/secrets.ts';
import type { ModelWish } from '../terminal/model-wish.ts';
import { agentOf, cliKeysIn, connectLocalModel, keysIn } from './review-model.ts';
import type { LocalReviewer } from './local-runners.ts';
import { UsageError } from '../terminal/usage-error.ts';

export type LocalRunnerChoice = ModelWish & {
  /** Default: `auto`, which is `agent` with a key and `rules` without one. */
  readonly runner?: 'auto' | 'agent' | 'claude-code' | 'rules' | undefined;
  readonly claudeCode?: string | undefined;
  readonly apiKey?: string | undefined;
};

export type Choice = {
  readonly reviewer: LocalReviewer;
  /** What the caller should know about the choice, or null. */
  readonly notice: string | null;
};

type Choosing = { readonly env: Environment; readonly onProgress: (step: string) => void };

/** @throws UsageError for a missing key, a model without a price, or a number out of bounds */
export const chooseReviewer = (wish: LocalRunnerChoice, { env, onProgress }: Choosing): Choice => {
  const { runner = 'auto' } = wish;
  if (runner === 'rules') return { reviewer: { kind: 'rules' }, notice: null };
  if (runner === 'claude-code' && wish.provider === 'openai')
    throw new UsageError('the runner claude-code calls its own provider: leave out --provider openai');
  const agent = agentOf(wish);
  const known = wish.apiKey === undefined ? env : { ...env, [agent.apiKeyEnv]: wish.apiKey };
  const keys = runner === 'claude-code' ? cliKeysIn(agent, known) : keysIn(agent, known);
  if (keys.kind === 'found') {
    const observe = (event: AgentEvent): void => tell(event, onProgress);
    const model = connectLocalModel(wish, { agent, keys, env, observe });
    if (runner !== 'claude-code') return { reviewer: { kind: 'agent', model }, notice: null };
    return { reviewer: { kind: 'claude-code', model, program: programOf(wish) }, notice: null };
  }
  const { variable } = keys;
  if (runner !== 'auto' || namesKey(wish))
    throw new UsageError(`the environment variable ${variable} is not set; a model needs this key`);
  return { reviewer: { kind: 'rules' }, notice: `${variable} is not set: reviewing with the built-in rules only` };
};

/**
 * True if the caller names a key. Without that key, the review must fail: falling back to the rules would hide the
 * mistake.
 */
const namesKey = ({ keyEnv, provider }: LocalRunnerChoice): boolean => keyEnv !== undefined || provider === 'openai';

const programOf = ({ claudeCode }: LocalRunnerChoice): string => {
  if (claudeCode?.startsWith('/') === true) return claudeCode;
  throw new UsageError('the runner claude-code needs --claude-code FILE: the absolute path of the installed CLI');
};

const tell = (event: AgentEvent, onProgress: Choosing['onProgress']): void => {
  switch (event.kind) {
    case 'replied':
      return onProgress(`turn ${event.turn}: ${event.stopReason}, ${totalTokens(event.usage)} tokens`);
    case 'retrying':
      return onProgress(`retrying the model call in ${Math.ceil(event.delayMs / 1000)} s (${event.code})`);
    case 'fell_back':
      return onProgress(`${event.from} failed (${event.code}); ${event.to} takes over`);
    case 'tool_broke':
      return onProgress(`the tool ${event.tool} failed`);
    default:
      return event satisfies never;
  }
};
