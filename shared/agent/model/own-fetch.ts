/** `fetch` for a provider behind a proxy, or with certificates of a private authority. */
import { fetch as fetchWith } from 'undici';
import { createDispatcher, isProxied } from '../../network/outgoing.ts';
import type { ModelOptions } from './model-options.ts';

export type OwnFetch = { readonly fetch: typeof globalThis.fetch; readonly close: () => Promise<void> };

/**
 * Null if Node's own `fetch` does. Uses undici's `fetch`, because Node's may not accept an agent of another undici version,
 * and Node 20 knows no proxy.
 */
export const createOwnFetch = ({ ca = null, proxy = null }: Pick<ModelOptions, 'ca' | 'proxy'>): OwnFetch | null => {
  if (ca === null && !isProxied(proxy)) return null;
  const dispatcher = createDispatcher({ proxy, ca: ca ?? undefined });
  return {
    // Safe cast: both are the Fetch standard; only the declarations of their classes differ.
    fetch: ((url: string, init: object) =>
      fetchWith(url, { ...init, dispatcher })) as unknown as typeof globalThis.fetch,
    close: async () => dispatcher.destroy(),
  };
};
