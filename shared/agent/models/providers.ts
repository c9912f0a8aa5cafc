import type { ModelProvider } from '../../vocabulary/model-provider.ts';
import type { Model } from '../model/model.ts';
import type { ModelOptions } from '../model/model-options.ts';
import type { ModelProbe } from '../model/model-probe.ts';
import { withWellFormedRequests } from '../model/well-formed.ts';

export type Provider = {
  readonly create: (options: ModelOptions) => Model;
  /** Checks that the key is accepted and the model is known. Contract: the probe is free of charge. */
  readonly probe: (
    options: Pick<ModelOptions, 'apiKey' | 'baseUrl' | 'callTimeoutMs' | 'headers' | 'ca'>,
    model: string,
    signal: AbortSignal,
  ) => Promise<ModelProbe>;
};

/** Loads the SDK with the first call: hundreds of files and 10 MB of memory, which most services never need. */
const loadAtFirstCall = (load: () => Promise<Model>): Model => {
  let loaded: Promise<Model> | null = null;
  return withWellFormedRequests({
    respond: async (request, signal) => {
      loaded ??= load();
      return (await loaded).respond(request, signal);
    },
  });
};

export const PROVIDERS: Readonly<Record<ModelProvider, Provider>> = {
  anthropic: {
    create: (options) =>
      loadAtFirstCall(async () => (await import('./anthropic/model.ts')).createAnthropicModel(options)),
    probe: async (options, model, signal) =>
      (await import('./anthropic/probe.ts')).probeAnthropicModel(options, model, signal),
  },
  openai: {
    create: (options) => loadAtFirstCall(async () => (await import('./openai/model.ts')).createOpenaiModel(options)),
    probe: async (options, model, signal) =>
      (await import('./openai/probe.ts')).probeOpenaiModel(options, model, signal),
  },
};
