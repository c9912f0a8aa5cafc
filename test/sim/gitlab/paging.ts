import { json, type Reply } from '../forgejo/reply.ts';
import type { Call } from './call.ts';

const positive = (text: string | null, fallback: number): number => {
  const value = Number(text);
  return Number.isSafeInteger(value) && value > 0 ? value : fallback;
};

/** Above this number of records, totals are omitted (GL doc/api/rest: pagination; forges.md 3.1). */
const countedAtMost = 10_000;

type Place = { readonly page: number; readonly pages: number; readonly size: number; readonly counted: boolean };

const links = (call: Call, at: Place): string => {
  const link = (page: number, relation: string): string => {
    const query = new URLSearchParams(call.query);
    query.set('page', String(page));
    query.set('per_page', String(at.size));
    return `<${call.world.publicUrl}/api/v4${call.path}?${query.toString()}>; rel="${relation}"`;
  };
  return [
    ...(at.page > 1 ? [link(at.page - 1, 'prev')] : []),
    ...(at.page < at.pages ? [link(at.page + 1, 'next')] : []),
    link(1, 'first'),
    ...(at.counted && at.pages > 0 ? [link(at.pages, 'last')] : []),
  ].join(', ');
};

/**
 * Offset pages: 20 by default, at most 100; a larger `per_page` is reduced silently (forges.md 3.1). `show` may remove
 * items that the reader must not see: the page is then shorter, but the totals still count them.
 */
export const paged = <Item>(
  call: Call,
  items: readonly Item[],
  show: (page: readonly Item[]) => readonly unknown[] = (page) => page,
): Reply => {
  const size = Math.min(positive(call.query.get('per_page'), 20), 100);
  const page = positive(call.query.get('page'), 1);
  const pages = Math.ceil(items.length / size);
  const counted = items.length <= countedAtMost;
  const totals = { 'x-total': String(items.length), 'x-total-pages': String(pages) };
  return json(200, show(items.slice((page - 1) * size, page * size)), {
    'x-page': String(page),
    'x-per-page': String(size),
    'x-next-page': page < pages ? String(page + 1) : '',
    'x-prev-page': page > 1 ? String(page - 1) : '',
    ...(counted ? totals : {}),
    link: links(call, { page, pages, size, counted }),
  });
};

/** Read lag: a list does not show yet what its reader has just written. */
export const settledFor =
  (call: Call) =>
  (item: { readonly author: { readonly id: number }; readonly createdAt: number }): boolean =>
    call.world.readLagMs === 0 ||
    item.author.id !== call.user?.id ||
    call.world.clock() - item.createdAt >= call.world.readLagMs;
