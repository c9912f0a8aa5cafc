/** What servers with this API do differently, as data. */
export type Dialect = {
  /** When the usage is reported: if the client asked for it, in every chunk, never, or only in plain answers. */
  readonly usage: 'asked' | 'every-chunk' | 'never';
  /** `automatic`: the server caches prefixes by itself. `marked`: only up to `cache_control`. */
  readonly caches: 'automatic' | 'marked' | 'none';
  /** Whether the usage says how much came from the cache. */
  readonly reportsCache: boolean;
  /** `whole`: one chunk per call. `text`: no call at all; the model's own notation stays in the text. */
  readonly calls: 'fragments' | 'whole' | 'text';
  readonly callIds: 'own' | 'none';
  /** `zero`: every call has number 0. */
  readonly callIndexes: 'counted' | 'zero' | 'none';
  readonly finishOfCalls: 'tool_calls' | 'stop';
  /** Field of visible reasoning; `tags`: the text begins with it. */
  readonly reasoning: 'reasoning_content' | 'reasoning' | 'reasoning_details' | 'tags' | 'none';
  /** Refuses calls that come back without the reasoning of their message. */
  readonly needsReasoning: boolean;
  /** Signs each call, and refuses a call that comes back without its signature. */
  readonly signsCalls: boolean;
  readonly done: boolean;
  /** Sends a comment before the first chunk and between chunks. */
  readonly comments: boolean;
  /** First chunk without a choice, with the result of a filter. */
  readonly filterChunk: boolean;
  readonly errors: 'object' | 'list' | 'string' | 'bare' | 'detail';
  /** What happens to a prompt that does not fit. */
  readonly overflow: 'refuse' | 'truncate';
  /** Also refuses a prompt that leaves less room than the output limit of the request. */
  readonly reservesOutput: boolean;
  readonly outputLimits: readonly ('max_tokens' | 'max_completion_tokens')[];
  readonly parallel: 'taken' | 'refused' | 'only-if-asked' | 'ignored';
  readonly forcedTool: boolean;
  readonly jsonSchema: boolean;
  /** `none`: takes any request. Otherwise the header with the key. */
  readonly key: 'authorization' | 'api-key' | 'none';
  readonly streams: boolean;
  /** Whether GET /models exists, and names the models. */
  readonly lists: boolean;
};

export const PLAIN: Dialect = {
  usage: 'asked',
  caches: 'automatic',
  reportsCache: true,
  calls: 'fragments',
  callIds: 'own',
  callIndexes: 'counted',
  finishOfCalls: 'tool_calls',
  reasoning: 'reasoning_content',
  needsReasoning: false,
  signsCalls: false,
  done: true,
  comments: false,
  filterChunk: false,
  errors: 'object',
  overflow: 'refuse',
  reservesOutput: false,
  outputLimits: ['max_tokens', 'max_completion_tokens'],
  parallel: 'taken',
  forcedTool: true,
  jsonSchema: true,
  key: 'authorization',
  streams: true,
  lists: true,
};
