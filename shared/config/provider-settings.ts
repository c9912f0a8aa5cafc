/** `[[agent.provider]]`: servers that run models, with their prices and capabilities. */
import { z } from 'zod';
import { isLoopback } from '../loopback.ts';
import { ModelProvider } from '../vocabulary/model-provider.ts';
import {
  BaseUrl,
  CHAT_URL_RULE,
  EnvName,
  FilePath,
  isChatUrl,
  isMessagesUrl,
  MESSAGES_URL_RULE,
  Proxy,
} from './values.ts';

const Name = z.string().regex(/^[a-z0-9][a-z0-9-]{0,31}$/, 'expected 1 to 32 lower-case letters, digits or "-"');

const HeaderName = /^[A-Za-z0-9-]{1,64}$/;

/** Headers that the adapters set, or that would change how the request is sent. */
const OWN_HEADERS: ReadonlySet<string> = new Set([
  'accept',
  'authorization',
  'connection',
  'content-length',
  'content-type',
  'cookie',
  'host',
  'transfer-encoding',
  'user-agent',
  'x-api-key',
]);

/** The part before the colon is the name. */
const Header = z
  .string()
  .max(1_000)
  .regex(/^[A-Za-z0-9-]{1,64}: [\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/, 'expected "Name: value"')
  .refine((header) => !OWN_HEADERS.has(header.slice(0, header.indexOf(':')).toLowerCase()), {
    message: 'expected another header: Fixpoint sets this one itself (for a key, see key_env and key_header)',
  });

const Usd = z.number().min(0).max(100_000);

const Keys = z.strictObject({
  /** A role names a model of this provider as `name/model`. */
  name: Name,
  kind: ModelProvider,
  /** For `openai`, including the version, such as `http://127.0.0.1:11434/v1`. */
  baseUrl: BaseUrl,
  /** Empty for a server on this machine that needs no key. */
  keyEnv: z.union([z.literal(''), EnvName]).default(''),
  /** With `authorization` the key is sent as a bearer token, with any other header as it is. */
  keyHeader: z.string().regex(HeaderName, 'expected the name of a header').default('authorization'),
  headers: z.array(Header).max(20).default([]),
  caFile: FilePath.nullable().default(null),
  proxy: Proxy,
  /** Per million tokens; 0 for a model that costs nothing. Null means that the built-in price applies, if there is one. */
  inputUsd: Usd.nullable().default(null),
  outputUsd: Usd.nullable().default(null),
  /** Null means that cached tokens cost as much as other tokens. */
  cachedInputUsd: Usd.nullable().default(null),
  /** Size of the context window. If null, it does not limit Fixpoint's own settings. */
  contextTokens: z.int().min(4_096).max(10_000_000).nullable().default(null),
  /** Several calls in one answer. If null, the server decides. */
  parallelTools: z.boolean().nullable().default(null),
  forcedTool: z.boolean().default(false),
  cacheBreakpoints: z.boolean().default(false),
  /** If set, the models accept an effort, and a role without its own setting requests this one. */
  effort: z.enum(['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max']).nullable().default(null),
  jsonSchema: z.boolean().default(false),
  outputLimit: z.enum(['max_tokens', 'max_completion_tokens']).default('max_tokens'),
});

/** Known to chat completions only. */
const CHAT_EFFORTS: ReadonlySet<string> = new Set(['none', 'minimal']);

type Provider = z.output<typeof Keys>;

/** True if a setting is set that only chat completions have. */
const setsChat = (provider: Provider): boolean =>
  provider.parallelTools !== null ||
  provider.forcedTool ||
  provider.cacheBreakpoints ||
  provider.jsonSchema ||
  provider.outputLimit !== 'max_tokens' ||
  provider.keyHeader !== 'authorization';

const ProviderSettings = Keys.refine(({ keyEnv, baseUrl }) => keyEnv !== '' || isLoopback(new URL(baseUrl).hostname), {
  path: ['keyEnv'],
  message:
    'expected the name of a variable: only a server on this machine (127.0.0.1, [::1], localhost) may have no key',
})
  .refine(({ inputUsd, outputUsd }) => (inputUsd === null) === (outputUsd === null), {
    path: ['outputUsd'],
    message: 'expected both input_usd and output_usd, or neither',
  })
  .refine(
    ({ inputUsd, cachedInputUsd }) => cachedInputUsd === null || (inputUsd !== null && cachedInputUsd <= inputUsd),
    {
      path: ['cachedInputUsd'],
      message: 'expected at most input_usd',
    },
  )
  .refine((provider) => provider.kind === 'openai' || !setsChat(provider), {
    path: ['kind'],
    message:
      'expected "openai": key_header, parallel_tools, forced_tool, cache_breakpoints, json_schema and output_limit apply only to it',
  })
  .refine(({ kind, baseUrl }) => kind !== 'anthropic' || isMessagesUrl(baseUrl), {
    path: ['baseUrl'],
    message: MESSAGES_URL_RULE,
  })
  .refine(({ kind, baseUrl }) => kind !== 'openai' || isChatUrl(baseUrl), { path: ['baseUrl'], message: CHAT_URL_RULE })
  .refine(({ kind, effort }) => kind === 'openai' || effort === null || !CHAT_EFFORTS.has(effort), {
    path: ['effort'],
    message: 'expected low, medium, high, xhigh or max: the Messages API has no other effort',
  });
export type ProviderSettings = z.output<typeof ProviderSettings>;

export const Providers = z
  .array(ProviderSettings)
  .max(20)
  .refine((providers) => new Set(providers.map(({ name }) => name)).size === providers.length, {
    message: 'two providers have the same name; each needs its own',
  })
  .default([]);
