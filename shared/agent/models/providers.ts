import type { ModelProvider } from '../../vocabulary/model-provider.ts';
import type { Model } from '../model/model.ts';
import { createAnthropicModel } from './anthropic/model.ts';
import { probeAnthropicModel } from './anthropic/probe.ts';
import { createOpenaiModel } from './openai/model.ts';
import { probeOpenaiModel } from './openai/probe.ts';
import type { ModelOptions } from '../model/model-options.ts';
import type { ModelProbe } from '../model/model-probe.ts';

export type Provider = {
  readonly create: (options: ModelOptions) => Model;
  /** Checks that the key is accepted and the model is known. Contract: the probe is free of charge. */
  readonly probe: (
    options: Pick<ModelOptions, 'apiKey' | 'baseUrl' | 'callTimeoutMs' | 'headers' | 'ca'>,
    model: string,
    signal: AbortSignal,
  ) => Promise<ModelProbe>;
};

export const PROVIDERS: Readonly<Record<ModelProvider, Provider>> = {
  anthropic: { create: createAnthropicModel, probe: probeAnthropicModel },
  openai: { create: createOpenaiModel, probe: probeOpenaiModel },
};
