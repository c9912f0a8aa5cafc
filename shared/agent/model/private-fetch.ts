/** `fetch` that trusts the certificates of a private authority, besides nothing else. */
import { Agent, fetch as fetchWith } from 'undici';

export type PrivateFetch = { readonly fetch: typeof globalThis.fetch; readonly close: () => Promise<void> };

/** undici's own `fetch` takes an agent of the same version, which Node's does not promise. */
export const createPrivateFetch = (ca: string): PrivateFetch => {
  const agent = new Agent({ connect: { ca } });
  return {
    // Safe cast: both are the Fetch standard; only the declarations of their classes differ.
    fetch: ((url: string, init: object) =>
      fetchWith(url, { ...init, dispatcher: agent })) as unknown as typeof globalThis.fetch,
    close: async () => agent.destroy(),
  };
};
