/** gitbeaker's requester repeats a write up to ten times on 429 and 502, which can post twice. So `ForgeHttp` sends instead. */
import type { Projects } from '@gitbeaker/rest';
import { z } from 'zod';
import type { ForgeHttp } from '../../http.ts';
import { collectPages, hintsOf, tooManyPages } from '../../paging.ts';
import { type ApiPath, type Query, withQuery } from '../../path.ts';

export type GitbeakerOptions = ConstructorParameters<typeof Projects>[0];
type Requester = ReturnType<NonNullable<GitbeakerOptions['requesterFn']>>;

/** Contract: creates one gitbeaker resource with the options and calls one of its methods exactly once. */
export type Ask = (options: GitbeakerOptions) => Promise<unknown>;
export type AskPage = (options: GitbeakerOptions, page: PageOptions) => Promise<unknown>;
export type PageOptions = { readonly page: number; readonly perPage: number };

type Written<T> = { readonly status: number; readonly value: T | null };

/** Contract: same as `ForgeHttp`. The schema, not gitbeaker's types, defines the result. */
export type GitlabApi = {
  readonly read: <S extends z.ZodType>(schema: S, signal: AbortSignal, ask: Ask) => Promise<z.output<S>>;
  readonly readAll: <S extends z.ZodType>(
    list: { readonly item: S; readonly keyOf: (item: z.output<S>) => string | number },
    signal: AbortSignal,
    ask: AskPage,
  ) => Promise<readonly z.output<S>[]>;
  readonly write: <S extends z.ZodType>(
    schema: S | null,
    signal: AbortSignal,
    ask: Ask,
  ) => Promise<Written<z.output<S>>>;
};

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
type Sent = { readonly method: Method; readonly path: ApiPath; readonly query: Query; readonly body: unknown };
type Send = (sent: Sent) => Promise<{ readonly status: number; readonly value: unknown }>;

const PAGE_SIZE = 100;

const toSnakeCase = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

const withSnakeKeys = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(withSnakeKeys);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [toSnakeCase(key), withSnakeKeys(inner)]));
};

const toQuery = (parameters: Readonly<Record<string, unknown>> = {}): Query => {
  const given = Object.entries(parameters).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given.map(([key, value]) => [toSnakeCase(key), String(value)]));
};

const toBody = (body: unknown): unknown => {
  if (body instanceof FormData) throw new TypeError('multipart bodies are not sent: FormData rewrites line endings');
  const isEmpty = typeof body === 'object' && body !== null && Object.keys(body).length === 0;
  return isEmpty ? undefined : withSnakeKeys(body);
};

/** gitbeaker encodes variable parts but not dots, and URL normalisation would remove a segment that consists of dots. */
const toPath = (base: string, endpoint: string): ApiPath => {
  const path = `${base.replace(/\/+$/, '')}/${endpoint}`;
  if (
    !/^[\w%./~!'()*-]+$/.test(path) ||
    path
      .split('/')
      .slice(1)
      .some((part) => /^\.*$/.test(part))
  ) {
    throw new RangeError('a path segment must not consist only of dots');
  }
  // gitbeaker has encoded every part of the path.
  return path as ApiPath;
};

const optionsFor = (send: Send): GitbeakerOptions => {
  const requesterFor = (base: string): Requester => {
    const method =
      (name: Method) =>
      async (endpoint: string, options: { searchParams?: Record<string, unknown>; body?: unknown } = {}) => {
        const sent = { method: name, path: toPath(base, endpoint), query: toQuery(options.searchParams) };
        const { status, value } = await send({ ...sent, body: toBody(options.body) });
        // The headers are left out, because gitbeaker would follow a `link` header to further pages.
        return { status, headers: {}, body: value };
      };
    // gitbeaker's response type is not used: `send` keeps the parsed value.
    return {
      get: method('GET'),
      post: method('POST'),
      put: method('PUT'),
      patch: method('PATCH'),
      delete: method('DELETE'),
    } as Requester;
  };
  // `ForgeHttp` sets the host, the token and the time limit.
  return { host: '', queryTimeout: null, requesterFn: ({ url }) => requesterFor(url) };
};

/** Runs `ask` with a requester that allows one request, and returns the part of the response that `perform` kept. */
const once = async <T>(ask: Ask, perform: (sent: Sent) => Promise<{ status: number; value: unknown; kept: T }>) => {
  const answers: T[] = [];
  await ask(
    optionsFor(async (sent) => {
      if (answers.length > 0) throw new TypeError('one call made two requests to the forge');
      const { status, value, kept } = await perform(sent);
      answers.push(kept);
      return { status, value };
    }),
  );
  const [answer] = answers;
  if (answer === undefined) throw new TypeError('no request was made');
  return answer;
};

const readOnce = <S extends z.ZodType>(http: ForgeHttp, schema: S, signal: AbortSignal, ask: Ask) =>
  once(ask, async ({ method, path, query }) => {
    if (method !== 'GET') throw new TypeError('a read must be a GET');
    const answer = await http.read({ path, query, schema }, signal);
    return { status: 200, value: answer.value, kept: { ...answer, path } };
  });

export const createGitlabApi = (http: ForgeHttp): GitlabApi => ({
  read: async (schema, signal, ask) => (await readOnce(http, schema, signal, ask)).value,
  readAll: async ({ item, keyOf }, signal, ask) =>
    collectPages({
      limit: PAGE_SIZE,
      keyOf,
      tooMany: tooManyPages(http.forgeId, ''),
      readPage: async (page) => {
        const options = { page, perPage: PAGE_SIZE };
        const { value, headers } = await readOnce(http, z.array(item), signal, (resource) => ask(resource, options));
        return { items: value, ...hintsOf(headers, 'x-total') };
      },
    }),
  write: async (schema, signal, ask) =>
    once(ask, async ({ method, path, query, body }) => {
      if (method === 'GET') throw new TypeError('a write must not be a GET');
      // `withQuery` only appends encoded parameters.
      const target = withQuery(path, query) as ApiPath;
      const answer = await http.write({ method, path: target, body, schema }, signal);
      return { ...answer, kept: answer };
    }),
});
