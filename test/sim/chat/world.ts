import type { Exchange } from '../messages/exchange.ts';
import type { Ids } from '../messages/ids.ts';
import type { RequestEntry } from '../messages/log.ts';
import type { PriceTier } from '../messages/models.ts';
import type { PromptCache } from '../messages/prompt-cache.ts';
import type { CreateRequest } from '../messages/request.ts';
import type { Scripts } from '../messages/script.ts';
import type { Watch } from '../messages/watch.ts';
import type { Dialect } from './dialect.ts';

export type ChatModel = {
  readonly id: string;
  readonly contextTokens: number;
  readonly minCacheTokens: number;
  readonly prices: readonly PriceTier[];
};

export type ChatWorld = {
  readonly clock: () => number;
  readonly apiKeys: readonly string[];
  readonly maxBodyBytes: number;
  readonly models: readonly ChatModel[];
  readonly dialect: Dialect;
  readonly requests: RequestEntry[];
  readonly violations: string[];
  readonly aborted: string[];
  readonly ids: Ids;
  readonly cache: PromptCache;
  readonly scripts: Scripts;
  readonly exchangeFor: (request: CreateRequest) => Exchange;
  readonly watch: Watch;
};
