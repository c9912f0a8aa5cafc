/** The two wires on which models are asked: a simulated server of each, and the product's adapter for it. */
import type { StageModel } from './story-world.ts';
import type { ModelPrice } from '../../shared/agent/model/prices.ts';
import type { Model } from '../../shared/agent/model/model.ts';
import type { ModelOptions } from '../../shared/agent/model/model-options.ts';
import { PROVIDERS } from '../../shared/agent/models/providers.ts';
import { PROVIDER_FACTS, type ModelProvider } from '../../shared/vocabulary/model-provider.ts';
import { type ChatSim, startChatSim } from '../sim/chat/start.ts';
import { startMessagesSim } from '../sim/messages/start.ts';

export type Wire = {
  readonly kind: ModelProvider;
  readonly start: () => Promise<ChatSim>;
  /** Path of the request for an answer, below the address of the simulator. */
  readonly path: string;
};

export const MESSAGES_WIRE: Wire = {
  kind: 'anthropic',
  start: () => startMessagesSim({ apiKeys: ['messages-wire-key-0123456789'] }),
  path: '/v1/messages',
};

const CHAT_WIRE: Wire = {
  kind: 'openai',
  start: () => startChatSim({ apiKeys: ['chat-wire-key-0123456789'] }),
  path: '/chat/completions',
};

export const WIRES: readonly Wire[] = [MESSAGES_WIRE, CHAT_WIRE];

/** The wire of the suites that run on one of them: `FIXPOINT_WIRE=openai` chooses the other one. */
export const CHOSEN_WIRE = WIRES.find(({ kind }) => kind === process.env['FIXPOINT_WIRE']) ?? MESSAGES_WIRE;

export const connectWire = ({ kind }: Wire, sim: ChatSim, patch: Partial<ModelOptions> = {}): Model =>
  PROVIDERS[kind].create({
    apiKey: sim.apiKey,
    baseUrl: sim.url,
    stream: true,
    longCache: PROVIDER_FACTS[kind].hasLongCache,
    idleTimeoutMs: 5_000,
    callTimeoutMs: 20_000,
    nowMs: () => Date.now(),
    ...patch,
  });

/** The price that both simulators count, whatever the provider charges for its cache. */
export const wirePrice = (price: ModelPrice): ModelPrice => ({ ...price, cache: PROVIDER_FACTS.anthropic.cache });

export type ChatStage = {
  /** Added to the provider's table. */
  readonly more?: string;
  /** Of the reviewer; the explorer has the last one. Default: the one that the short form has. */
  readonly models?: readonly string[];
  /** Added to the reviewer's table. */
  readonly reviewer?: string;
};

/** What the simulator counts for the model of the short form. */
export const STAGE_PRICE = 'input_usd = 2\noutput_usd = 10\ncached_input_usd = 0.2\n';

/** A chat server as an operator names it to the services. */
export const chatStage = (sim: ChatSim, { more = STAGE_PRICE, models, reviewer = '' }: ChatStage = {}): StageModel => {
  const [first, ...rest] = models ?? ['local/claude-sonnet-5-5'];
  const last = rest.at(-1) ?? first ?? '';
  return {
    apiKey: sim.apiKey,
    url: sim.url,
    requests: sim.requests,
    env: { LOCAL_MODEL_KEY: sim.apiKey },
    toml:
      `[[agent.provider]]\nname = "local"\nkind = "openai"\nbase_url = "${sim.url}"\nkey_env = "LOCAL_MODEL_KEY"\n${more}` +
      `[agent.reviewer]\nmodels = ${JSON.stringify([first, ...rest])}\n${reviewer}[agent.explorer]\nmodel = "${last}"\n`,
  };
};

/** The server of a wire, as an operator names it to the services. */
export const stageOf = ({ kind }: Wire, sim: ChatSim, reviewer = ''): StageModel =>
  kind === 'anthropic'
    ? {
        apiKey: sim.apiKey,
        url: sim.url,
        requests: sim.requests,
        toml: reviewer === '' ? '' : `[agent.reviewer]\n${reviewer}`,
      }
    : chatStage(sim, { reviewer });
