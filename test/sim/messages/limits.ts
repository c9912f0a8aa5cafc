/** Rate limits per minute of the injected clock, with their headers. */
import type { ApiProblem } from './api-problem.ts';
import type { InputUsage } from './prompt-cache.ts';

export type RateLimits = {
  readonly requests: number;
  /** Tokens read from the cache do not count (platform documentation, rate limits). */
  readonly inputTokens: number;
  readonly outputTokens: number;
};

export const WIDE_LIMITS: RateLimits = {
  requests: 1_000_000,
  inputTokens: 10_000_000_000,
  outputTokens: 10_000_000_000,
};

const WINDOW_MS = 60_000;

type Kind = keyof RateLimits;

const HEADER: Readonly<Record<Kind, string>> = {
  requests: 'requests',
  inputTokens: 'input-tokens',
  outputTokens: 'output-tokens',
};

export type RateLimiter = {
  /** Rejects a request beyond a limit; otherwise counts it. */
  admit(input: InputUsage): ApiProblem | null;
  addOutput(tokens: number): void;
  headers(): Readonly<Record<string, string>>;
};

export const createRateLimiter = (limits: RateLimits, clock: () => number): RateLimiter => {
  const used: Record<Kind, number> = { requests: 0, inputTokens: 0, outputTokens: 0 };
  let windowEndMs = 0;
  const roll = (): void => {
    if (clock() < windowEndMs) return;
    windowEndMs = clock() + WINDOW_MS;
    used.requests = used.inputTokens = used.outputTokens = 0;
  };
  const left = (kind: Kind): number => Math.max(0, limits[kind] - used[kind]);
  return {
    admit: (input) => {
      roll();
      const fresh = input.inputTokens + input.cacheWrite5mTokens + input.cacheWrite1hTokens;
      const over = exceeded({ requests: 1, inputTokens: fresh, outputTokens: 0 }, left);
      if (over !== null) return tooMany(over, limits, Math.ceil((windowEndMs - clock()) / 1000));
      used.requests++;
      used.inputTokens += fresh;
      return null;
    },
    addOutput: (tokens) => {
      used.outputTokens += tokens;
    },
    headers: () => {
      roll();
      return limitHeaders(limits, left, new Date(windowEndMs).toISOString());
    },
  };
};

const KINDS: readonly Kind[] = ['requests', 'inputTokens', 'outputTokens'];

const exceeded = (wanted: Readonly<Record<Kind, number>>, left: (kind: Kind) => number): Kind | null =>
  KINDS.find((kind) => wanted[kind] > left(kind) || left(kind) === 0) ?? null;

const tooMany = (kind: Kind, limits: RateLimits, waitSeconds: number): ApiProblem => ({
  status: 429,
  type: 'rate_limit_error',
  message: `This request would exceed your organization's rate limit of ${limits[kind]} ${HEADER[kind].replace('-', ' ')} per minute.`,
  headers: { 'retry-after': String(waitSeconds) },
});

const limitHeaders = (
  limits: RateLimits,
  left: (kind: Kind) => number,
  reset: string,
): Readonly<Record<string, string>> => {
  const rows = KINDS.map((kind): [string, number, number] => [HEADER[kind], limits[kind], left(kind)]);
  const [inputLeft, outputLeft] = [left('inputTokens'), left('outputTokens')];
  const tokens: [string, number, number] = ['tokens', limits.inputTokens + limits.outputTokens, inputLeft + outputLeft];
  return Object.fromEntries(
    [...rows, tokens].flatMap(([name, limit, remaining]) => [
      [`anthropic-ratelimit-${name}-limit`, String(limit)],
      [`anthropic-ratelimit-${name}-remaining`, String(remaining)],
      [`anthropic-ratelimit-${name}-reset`, reset],
    ]),
  );
};
