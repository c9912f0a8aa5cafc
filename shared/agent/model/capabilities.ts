/**
 * What a model and its server can do. Requests and the loop depend on these facts, never on the name of a model or
 * server.
 */
import { z } from 'zod';

/** Fields of the request that servers use for the longest answer; newer models refuse the older field. */
export const OutputLimitField = z.enum(['max_tokens', 'max_completion_tokens']);
export type OutputLimitField = z.output<typeof OutputLimitField>;

export const Effort = z.enum(['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max']);
export type Effort = z.output<typeof Effort>;

export type Capabilities = {
  /** Several calls in one answer. If null, the request does not mention it, and the server decides. */
  readonly parallelTools: boolean | null;
  /** Whether the server can be told which tool to call. */
  readonly forcedTool: boolean;
  /**
   * Whether the server accepts marks for the prefix that it should cache. Other servers cache automatically or not at
   * all.
   */
  readonly cacheBreakpoints: boolean;
  /** Whether the server can restrict an answer to a JSON schema. */
  readonly jsonSchema: boolean;
  /** Size of the context window; null if it is not known. */
  readonly contextTokens: number | null;
  readonly outputLimit: OutputLimitField;
};

/** Requires only what every server supports. */
export const LEAST: Capabilities = {
  parallelTools: null,
  forcedTool: false,
  cacheBreakpoints: false,
  jsonSchema: false,
  contextTokens: null,
  outputLimit: 'max_tokens',
};
