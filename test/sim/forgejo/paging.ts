import type { Call } from './call.ts';
import { json, type Reply } from './reply.ts';

const defaultPageSize = 30;

const positive = (text: string | null, fallback: number): number => {
  const value = Number(text);
  return Number.isSafeInteger(value) && value > 0 ? value : fallback;
};

const linkHeader = (call: Call, path: string, at: { page: number; pages: number }): string => {
  const link = (page: number, relation: string): string => {
    const query = new URLSearchParams(call.query);
    query.set('page', String(page));
    return `<${call.world.publicUrl}/api/v1${path}?${query.toString()}>; rel="${relation}"`;
  };
  const { page, pages } = at;
  // A page past the end has no Link header.
  if (page > pages) return '';
  return [
    ...(page < pages ? [link(page + 1, 'next'), link(pages, 'last')] : []),
    ...(page > 1 ? [link(1, 'first'), link(page - 1, 'prev')] : []),
  ].join(',');
};

const windowOf = (call: Call): { readonly page: number; readonly limit: number } => ({
  page: positive(call.query.get('page'), 1),
  limit: Math.min(positive(call.query.get('limit'), defaultPageSize), call.world.maxPageSize),
});

export const pageOf = <Item>(call: Call, items: readonly Item[]): readonly Item[] => {
  const { page, limit } = windowOf(call);
  return items.slice((page - 1) * limit, page * limit);
};

/** A `limit` above the cap is cut without a word (forges.md 5.1): only `X-Total-Count` tells where the list ends. */
export const paged = (call: Call, path: string, items: readonly unknown[]): Reply => {
  const { page, limit } = windowOf(call);
  const link = linkHeader(call, path, { page, pages: Math.max(1, Math.ceil(items.length / limit)) });
  return json(200, pageOf(call, items), {
    'x-total-count': String(items.length),
    'access-control-expose-headers': 'X-Total-Count, Link',
    ...(link === '' ? {} : { link }),
  });
};

/** For lists that are never paged. */
export const whole = (items: readonly unknown[]): Reply => json(200, items, { 'x-total-count': String(items.length) });

/** Read lag: a list does not show yet what its reader has just written. */
export const settledFor =
  (call: Call) =>
  (item: { readonly author: { readonly id: number }; readonly createdAt: number }): boolean =>
    call.world.readLagMs === 0 ||
    item.author.id !== call.user?.id ||
    call.world.clock() - item.createdAt >= call.world.readLagMs;
