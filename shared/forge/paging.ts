import type { IncomingHttpHeaders } from 'node:http';
import { z } from 'zod';
import { badAnswer } from './answer.ts';
import type { ForgeHttp } from './http.ts';
import type { ApiPath, Query } from './path.ts';

/**
 * More pages than any real change request has. Reaching this limit is an error, because the list would be incomplete.
 */
const MAX_PAGES = 500;

export type PagesRequest<S extends z.ZodType> = {
  readonly path: ApiPath;
  readonly query?: Query;
  readonly item: S;
  /** The requested page size; the forge may silently return fewer items. */
  readonly limit: number;
  /**
   * Returns the key by which duplicates are dropped: items can move between pages during a read, and some endpoints
   * ignore `page` and return everything.
   */
  readonly keyOf: (item: z.output<S>) => string | number;
};

export type PageFacts = {
  readonly page: number;
  readonly limit: number;
  readonly items: number;
  /** Number of items on this page that no earlier page had. */
  readonly fresh: number;
  readonly collected: number;
  readonly link: string | null;
  /** The value of `X-Total-Count`, or of `X-Total` on GitLab. */
  readonly total: number | null;
};

const textOf = (value: string | string[] | undefined): string | null =>
  Array.isArray(value) ? value.join(',') : (value ?? null);

export const hintsOf = (
  headers: IncomingHttpHeaders,
  totalHeader: 'x-total-count' | 'x-total',
): Pick<PageFacts, 'link' | 'total'> => {
  const total = textOf(headers[totalHeader]);
  return { link: textOf(headers['link']), total: total !== null && /^\d{1,12}$/.test(total) ? Number(total) : null };
};

const hasNext = (link: string): boolean => /;\s*rel="?next"?/i.test(link);

/**
 * A short page is not necessarily the last, because the forge may silently lower the limit. The total includes hidden entries,
 * and a page of hidden entries is empty. So another page is read if either `link` or `total` indicates one.
 */
export const isLastPage = (facts: PageFacts): boolean => {
  const { link, total } = facts;
  if (link !== null && hasNext(link) && facts.items > 0) return facts.fresh === 0;
  if (total !== null && facts.collected >= total) return true;
  if (facts.items > 0) return facts.fresh === 0 || (link !== null && total === null);
  return total === null || facts.page * facts.limit >= total;
};

export type Page<T> = Pick<PageFacts, 'link' | 'total'> & { readonly items: readonly T[] };

export type Pages<T> = {
  readonly limit: number;
  readonly keyOf: (item: T) => string | number;
  /** Reads one page. `page` counts from 1. */
  readonly readPage: (page: number) => Promise<Page<T>>;
  /** The error to throw at the page cap. */
  readonly tooMany: (pages: number) => Error;
};

/** Returns all items of all pages in the order received, without duplicates. */
export const collectPages = async <T>({ limit, keyOf, readPage, tooMany }: Pages<T>): Promise<readonly T[]> => {
  const collected = new Map<string | number, T>();
  for (let page = 1; page <= MAX_PAGES; page += 1) {
    const { items, link, total } = await readPage(page);
    const before = collected.size;
    for (const item of items) collected.set(keyOf(item), item);
    const fresh = collected.size - before;
    const facts = { page, limit, items: items.length, fresh, collected: collected.size };
    if (isLastPage({ ...facts, link, total })) return [...collected.values()];
  }
  throw tooMany(MAX_PAGES);
};

export const tooManyPages =
  (forge: string, path: string) =>
  (pages: number): Error =>
    badAnswer({ forge, method: 'GET', path, attempts: pages }, 'pages');

/** Throws FORGE_BAD_ANSWER at the page cap. The next page is requested by number, so a `Link` cannot change the address. */
export const readPages = async <S extends z.ZodType>(
  http: ForgeHttp,
  { path, query, item, limit, keyOf }: PagesRequest<S>,
  signal: AbortSignal,
): Promise<readonly z.output<S>[]> => {
  // The lists that are read here are never null when they are empty (`make` in routers/api/v1 and services/convert).
  const schema = z.array(item);
  return collectPages({
    limit,
    keyOf,
    tooMany: tooManyPages(http.forgeId, path),
    readPage: async (page) => {
      const { value, headers } = await http.read({ path, query: { ...query, page, limit }, schema }, signal);
      return { items: value, ...hintsOf(headers, 'x-total-count') };
    },
  });
};
