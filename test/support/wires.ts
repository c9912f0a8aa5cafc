/** The two wires on which models are asked: a simulated server of each, and the product's adapter for it. */
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

export const WIRES: readonly Wire[] = [
  { kind: 'anthropic', start: () => startMessagesSim(), path: '/v1/messages' },
  { kind: 'openai', start: () => startChatSim(), path: '/chat/completions' },
];

export const connectWire = ({ kind }: Wire, sim: ChatSim, patch: Partial<ModelOptions> = {}): Model =>
  PROVIDERS[kind].create({
    apiKey: sim.apiKey,
    baseUrl: sim.url,
    stream: true,
    idleTimeoutMs: 5_000,
    callTimeoutMs: 20_000,
    nowMs: () => Date.now(),
    ...patch,
  });

/** The price that both simulators count, whatever the provider charges for its cache. */
export const wirePrice = (price: ModelPrice): ModelPrice => ({ ...price, cache: PROVIDER_FACTS.anthropic.cache });
