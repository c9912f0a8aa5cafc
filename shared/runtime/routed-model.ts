/** One model for all: each request goes to the provider of the model that it names. */
import { readFileSync } from 'node:fs';
import type { Capabilities, Effort } from '../agent/model/capabilities.ts';
import { effortFor } from '../agent/model/effort.ts';
import { inputTokens, type Model, type ModelReply, type ModelRequest } from '../agent/model/model.ts';
import type { ModelOptions } from '../agent/model/model-options.ts';
import { PROVIDERS } from '../agent/models/providers.ts';
import type { Agent } from '../config/agent-settings.ts';
import { findModel, type NamedModel } from '../config/model-roles.ts';
import type { ProviderSettings } from '../config/provider-settings.ts';
import type { ModelAccess } from '../config/secrets.ts';
import { inSpan } from '../tracing/tracing.ts';
import { DEFAULT_PROVIDER, PROVIDER_FACTS } from '../vocabulary/model-provider.ts';

/** Address of the default provider: the operator's setting, otherwise the environment, otherwise the provider's own. */
export const modelAddressOf = (agent: Pick<Agent, 'baseUrl'>, access: Pick<ModelAccess, 'baseUrl'>): string =>
  agent.baseUrl ?? access.baseUrl ?? PROVIDER_FACTS[DEFAULT_PROVIDER].baseUrl;

/** Where and how a provider is asked. */
export type ProviderAccess = Pick<ModelOptions, 'apiKey' | 'baseUrl' | 'headers' | 'ca' | 'proxy' | 'capabilities'>;

const headersOf = ({ headers, keyHeader }: ProviderSettings, key: string): Readonly<Record<string, string>> => {
  const own = headers.map((header): [string, string] => {
    const colon = header.indexOf(':');
    return [header.slice(0, colon), header.slice(colon + 1).trim()];
  });
  return Object.fromEntries(isBearer(keyHeader) || key === '' ? own : [...own, [keyHeader, key]]);
};

const isBearer = (keyHeader: string): boolean => keyHeader.toLowerCase() === 'authorization';

const capabilitiesOf = (provider: ProviderSettings): Capabilities => ({
  parallelTools: provider.parallelTools,
  forcedTool: provider.forcedTool,
  cacheBreakpoints: provider.cacheBreakpoints,
  jsonSchema: provider.jsonSchema,
  contextTokens: provider.contextTokens,
  outputLimit: provider.outputLimit,
});

/** @throws the error of the file system if the certificates cannot be read */
export const accessOf = ({ provider }: NamedModel, agent: Agent, access: ModelAccess): ProviderAccess => {
  const ca = (caFile: string | null): string | null => (caFile === null ? null : readFileSync(caFile, 'utf8'));
  if (provider === null) {
    const baseUrl = modelAddressOf(agent, access);
    return { apiKey: access.key, baseUrl, ca: ca(agent.caFile), proxy: agent.proxy };
  }
  const key = access.providers?.get(provider.name) ?? '';
  return {
    apiKey: isBearer(provider.keyHeader) ? key : '',
    baseUrl: provider.baseUrl,
    headers: headersOf(provider, key),
    ca: ca(provider.caFile),
    proxy: provider.proxy,
    capabilities: capabilitiesOf(provider),
  };
};

export const kindOf = ({ provider }: NamedModel) => PROVIDERS[provider?.kind ?? DEFAULT_PROVIDER];

type Asking = { readonly named: NamedModel; readonly asked: ModelRequest };

/** https://opentelemetry.io/docs/specs/semconv/gen-ai/gen-ai-spans/ */
const respondInSpan = async (model: Model, { named, asked }: Asking, signal: AbortSignal): Promise<ModelReply> => {
  const attributes = {
    'gen_ai.operation.name': 'chat',
    'gen_ai.provider.name': named.provider?.kind ?? DEFAULT_PROVIDER,
    'gen_ai.request.model': asked.model,
    'gen_ai.request.max_tokens': asked.maxOutputTokens,
  };
  return inSpan({ name: `chat ${asked.model}`, kind: 'client', attributes }, async (span) => {
    const reply = await model.respond(asked, signal);
    span.set({
      'gen_ai.response.finish_reasons': [reply.stopReason],
      'gen_ai.usage.input_tokens': inputTokens(reply.usage),
      'gen_ai.usage.output_tokens': reply.usage.output,
    });
    return reply;
  });
};

/** `effort`: the effort that the calling role requests. */
export const createRoutedModel = (agent: Agent, access: ModelAccess, effort: Effort | null = null): Model => {
  const made = new Map<string, Model>();
  const open = (named: NamedModel): Model => {
    const name = named.provider?.name ?? '';
    const known = made.get(name);
    if (known !== undefined) return known;
    const model = kindOf(named).create({
      ...accessOf(named, agent, access),
      stream: agent.stream,
      longCache: agent.longCache && PROVIDER_FACTS[named.provider?.kind ?? DEFAULT_PROVIDER].hasLongCache,
      idleTimeoutMs: agent.idleTimeoutS * 1000,
      callTimeoutMs: agent.callTimeoutS * 1000,
      nowMs: () => Date.now(),
    });
    made.set(name, model);
    return model;
  };
  return {
    respond: async (request, signal) => {
      const named = findModel(agent, request.model);
      const own = effortFor(named.model, { own: effort, declared: named.provider?.effort });
      const asked = { ...request, model: named.model, ...(own === null ? {} : { effort: own }) };
      return respondInSpan(open(named), { named, asked }, signal);
    },
  };
};
