import Anthropic from '@anthropic-ai/sdk';
import type { ModelProbe } from '../../model/model-probe.ts';

export type ProbeOptions = { readonly apiKey: string; readonly baseUrl: string; readonly callTimeoutMs: number };

/** GET /v1/models/:id costs nothing: https://docs.anthropic.com/en/api/models */
export const probeAnthropicModel = async (
  { apiKey, baseUrl, callTimeoutMs }: ProbeOptions,
  model: string,
  signal: AbortSignal,
): Promise<ModelProbe> => {
  const client = new Anthropic({
    apiKey,
    authToken: null,
    baseURL: baseUrl,
    maxRetries: 0,
    timeout: callTimeoutMs,
    logLevel: 'off',
    fetchOptions: { redirect: 'error' },
  });
  try {
    await client.models.retrieve(model, {}, { signal });
    return { kind: 'known' };
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof Anthropic.APIError)) throw error;
    const { status } = error;
    if (status === 401 || status === 403) return { kind: 'key_refused', status };
    return status === 404 ? { kind: 'unknown_model' } : { kind: 'no_answer', status };
  }
};
