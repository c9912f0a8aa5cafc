import type { ForgeHttp } from '../http.ts';
import type { AdminRequest } from './administration.ts';

/** A write request in the form that is shown to people, without secrets. */
export type ShownRequest = { readonly method: string; readonly path: string; readonly body?: unknown };

/** Contract: sends the request exactly once. @throws the errors of `ForgeHttp.write` */
export type SendRequest = (request: AdminRequest, signal: AbortSignal) => Promise<void>;

export const sendBy =
  (http: ForgeHttp): SendRequest =>
  async ({ method, path, body }, signal) => {
    await http.write({ method, path, schema: null, ...(body === undefined ? {} : { body }) }, signal);
  };

export const shownRequest = ({ method, path, body, hides = [] }: AdminRequest): ShownRequest => ({
  method,
  path,
  ...(body === undefined ? {} : { body: withoutSecrets(body, new Set(hides)) }),
});

const withoutSecrets = (value: unknown, hides: ReadonlySet<string>): unknown => {
  if (Array.isArray(value)) return value.map((one) => withoutSecrets(one, hides));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, hides.has(key) ? '(secret)' : withoutSecrets(inner, hides)]),
  );
};
