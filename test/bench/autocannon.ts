/** The part of autocannon 9 that the bench uses; the package brings no types. https://github.com/mcollina/autocannon */
import { createRequire } from 'node:module';

export type LoadRequest = {
  readonly method: string;
  readonly path: string;
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
};

export type LoadOptions = {
  readonly url: string;
  readonly connections: number;
  readonly amount: number;
  readonly requests: readonly { readonly setupRequest: (request: LoadRequest) => LoadRequest }[];
};

/** Its `duration` is rounded to whole seconds, so callers measure the time from the first request to the last response. */
export type LoadResult = { readonly '2xx': number };

type Running = Promise<LoadResult> & {
  readonly on: (
    name: 'response',
    listener: (client: unknown, status: number, bytes: number, responseMs: number) => void,
  ) => void;
};

// The package is CommonJS without types; what is used of it is written down above.
export const autocannon = createRequire(import.meta.url)('autocannon') as (options: LoadOptions) => Running;
