/** `fetch` that trusts only the certificates of a private authority. */
import { Agent, fetch as fetchWith } from 'undici';

export type PrivateFetch = { readonly fetch: typeof globalThis.fetch; readonly close: () => Promise<void> };

/** Uses undici's own `fetch`, because Node's `fetch` may not accept an agent of another undici version. */
export const createPrivateFetch = (ca: string): PrivateFetch => {
  const agent = new Agent({ connect: { ca } });
  return {
    // Safe cast: both are the Fetch standard; only the declarations of their classes differ.
    fetch: ((url: string, init: object) =>
      fetchWith(url, { ...init, dispatcher: agent })) as unknown as typeof globalThis.fetch,
    close: async () => agent.destroy(),
  };
};
