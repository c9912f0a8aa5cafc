import type { IncomingHttpHeaders } from 'node:http';
import { z } from 'zod';
import { badAnswer } from './answer.ts';
import type { ForgeHttp } from './http.ts';
import type { ApiPath, Query } from './path.ts';

/** More pages than any change request has: beyond it something is wrong, and a shortened list would be a lie. */
const MAX_PAGES = 500;

export type PagesRequest<S extends z.ZodType> = {
  readonly path: ApiPath;
  readonly query?: Query;
  readonly item: S;
  /** Page size to ask for; the forge may silently give less. */
  readonly limit: number;
  /** Tells items apart: lists move while they are read, and some endpoints ignore `page` and give everything. */
  readonly keyOf: (item: z.output<S>) => string | number;
};

export type PageFacts = {
  readonly page: number;
  readonly limit: number;
  readonly items: number;
  /** Items of this page that no earlier page had. */
  readonly fresh: number;
  readonly collected: number;
  readonly link: string | null;
  /** `X-Total-Count`, or `X-Total` on GitLab. */
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
 * Whether a page was the last one. Never decided by its length, since a limit may be cut silently. Of the two hints
 * the one that says "go on" wins: a total also counts entries that the forge hides, and a page can be empty because
 * all of its entries are hidden.
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
  /** `page` counts from 1. */
  readonly readPage: (page: number) => Promise<Page<T>>;
  /** Thrown at the page cap. */
  readonly tooMany: (pages: number) => Error;
};

/** All items of all pages, each once, in the order in which they came. */
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

/**
 * Reads all pages. The next page is asked for by number, at the configured address: a `Link` only says that there is
 * one. Throws FORGE_BAD_ANSWER at the page cap: the list would be incomplete.
 */
export const readPages = async <S extends z.ZodType>(
  http: ForgeHttp,
  { path, query, item, limit, keyOf }: PagesRequest<S>,
  signal: AbortSignal,
): Promise<readonly z.output<S>[]> => {
  // `null` is how the forges' servers write an empty list.
  const schema = z.array(item).nullable();
  return collectPages({
    limit,
    keyOf,
    tooMany: tooManyPages(http.forgeId, path),
    readPage: async (page) => {
      const { value, headers } = await http.read({ path, query: { ...query, page, limit }, schema }, signal);
      return { items: value ?? [], ...hintsOf(headers, 'x-total-count') };
    },
  });
};
