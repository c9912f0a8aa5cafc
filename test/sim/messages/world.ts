import type { Exchange } from './exchange.ts';
import type { Ids } from './ids.ts';
import type { RateLimiter } from './limits.ts';
import type { RequestEntry } from './log.ts';
import type { ModelFacts } from './models.ts';
import type { PromptCache } from './prompt-cache.ts';
import type { CreateRequest } from './request.ts';
import type { Scripts } from './script.ts';
import type { Watch } from './watch.ts';

export type World = {
  readonly clock: () => number;
  readonly apiKeys: readonly string[];
  readonly maxBodyBytes: number;
  readonly models: readonly ModelFacts[];
  readonly requests: RequestEntry[];
  readonly violations: string[];
  readonly aborted: string[];
  readonly ids: Ids;
  readonly cache: PromptCache;
  readonly limiter: RateLimiter;
  readonly scripts: Scripts;
  readonly exchangeFor: (request: CreateRequest) => Exchange;
  /** Contents of paused turns, which may be sent back as the last turn. */
  readonly paused: Set<string>;
  readonly watch: Watch;
};

/** Equal for a paused turn and for the same turn sent back by the client. */
export const pauseKey = (blocks: readonly object[]): string =>
  JSON.stringify(
    blocks.map((block) => {
      const { cache_control: _, citations: __, caller: ___, ...rest } = block as Readonly<Record<string, unknown>>;
      return rest;
    }),
  );
