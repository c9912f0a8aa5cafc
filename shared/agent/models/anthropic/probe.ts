import Anthropic from '@anthropic-ai/sdk';
import { z } from 'zod';
import type { ModelOptions } from '../../model/model-options.ts';
import { createOwnFetch } from '../../model/own-fetch.ts';
import type { ModelProbe } from '../../model/model-probe.ts';

type ProbeOptions = Pick<ModelOptions, 'apiKey' | 'baseUrl' | 'callTimeoutMs' | 'headers' | 'ca' | 'proxy'>;

/** https://docs.anthropic.com/en/api/errors. A server without the endpoint answers 404 in another form. */
const NotFound = z.object({ error: z.object({ type: z.literal('not_found_error') }) });

/** GET /v1/models/:id costs nothing: https://docs.anthropic.com/en/api/models */
export const probeAnthropicModel = async (
  { apiKey, baseUrl, callTimeoutMs, headers = {}, ca = null, proxy = null }: ProbeOptions,
  model: string,
  signal: AbortSignal,
): Promise<ModelProbe> => {
  const own = createOwnFetch({ ca, proxy });
  const client = new Anthropic({
    apiKey,
    authToken: null,
    baseURL: baseUrl,
    defaultHeaders: headers,
    ...(own === null ? {} : { fetch: own.fetch }),
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
    if (status !== 404) return { kind: 'no_answer', status };
    return NotFound.safeParse(error.error).success ? { kind: 'unknown_model' } : { kind: 'not_listed' };
  }
};
