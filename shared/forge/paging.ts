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
  /** `X-Total-Count`. */
  readonly total: number | null;
};

const textOf = (value: string | string[] | undefined): string | null =>
  Array.isArray(value) ? value.join(',') : (value ?? null);

const hintsOf = (headers: IncomingHttpHeaders): Pick<PageFacts, 'link' | 'total'> => {
  const total = textOf(headers['x-total-count']);
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

/**
 * Reads all pages. The next page is asked for by number, at the configured address: a `Link` only says that there is
 * one. Throws FORGE_BAD_ANSWER at the page cap: the list would be incomplete.
 */
export const readPages = async <S extends z.ZodType>(
  http: ForgeHttp,
  request: PagesRequest<S>,
  signal: AbortSignal,
): Promise<readonly z.output<S>[]> => {
  const collected = new Map<string | number, z.output<S>>();
  // `null` is how the forges' servers write an empty list.
  const schema = z.array(request.item).nullable();
  for (let page = 1; page <= MAX_PAGES; page += 1) {
    const query = { ...request.query, page, limit: request.limit };
    const { value, headers } = await http.read({ path: request.path, query, schema }, signal);
    const items = value ?? [];
    const before = collected.size;
    for (const item of items) collected.set(request.keyOf(item), item);
    const fresh = collected.size - before;
    const facts = { page, limit: request.limit, items: items.length, fresh, collected: collected.size };
    if (isLastPage({ ...facts, ...hintsOf(headers) })) return [...collected.values()];
  }
  throw badAnswer({ forge: http.forgeId, method: 'GET', path: request.path, attempts: MAX_PAGES }, 'pages');
};
