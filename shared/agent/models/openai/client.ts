/**
 * The SDK's client, configured to read nothing from the environment, log nothing, retry nothing and send no information
 * about this machine.
 */
import OpenAI from 'openai';
import { createOwnFetch } from '../../model/own-fetch.ts';
import type { ModelOptions } from '../../model/model-options.ts';

export type ClientOptions = Pick<ModelOptions, 'apiKey' | 'baseUrl' | 'callTimeoutMs' | 'headers' | 'ca' | 'proxy'>;

/** `said` is called with the body of an error response: the SDK keeps only the part that has its own format. */
export type Client = { readonly api: OpenAI; readonly close: () => Promise<void> };

const headersOf = ({ apiKey, headers }: ClientOptions, given: Headers): Headers => {
  const sent = new Headers();
  for (const name of ['accept', 'content-type']) {
    const value = given.get(name);
    if (value !== null) sent.set(name, value);
  }
  sent.set('user-agent', 'fixpoint');
  if (apiKey !== '') sent.set('authorization', `Bearer ${apiKey}`);
  for (const [name, value] of Object.entries(headers ?? {})) sent.set(name, value);
  return sent;
};

const MAX_SAID = 65_536;

export const createClient = (options: ClientOptions, said: (body: string) => void): Client => {
  const { ca = null, proxy = null, baseUrl, callTimeoutMs } = options;
  const own = createOwnFetch({ ca, proxy });
  const send = own?.fetch ?? globalThis.fetch;
  const api = new OpenAI({
    // The real key is set in `headersOf`, but the SDK requires a key.
    apiKey: 'unused',
    adminAPIKey: null,
    organization: null,
    project: null,
    webhookSecret: null,
    baseURL: baseUrl,
    maxRetries: 0,
    // `call-limits.ts` ends the call. This longer timeout only replaces the SDK's computed default.
    timeout: callTimeoutMs + 60_000,
    // Prompts and answers must not be logged.
    logLevel: 'off',
    fetch: async (url, init) => {
      const headers = headersOf(options, new Headers(init?.headers));
      // The key must not be sent to the target of a redirect.
      const response = await send(url, { ...init, headers, redirect: 'error' });
      if (!response.ok) said((await response.clone().text()).slice(0, MAX_SAID));
      return response;
    },
  });
  return { api, close: async () => own?.close() };
};
