/** The lists of change requests that guard keeps, without those of projects that the visitor may not see. */
import { createActivity, type Listing, MAX_RECENT } from '../../../shared/store/board/activity.ts';
import type { PageSource } from './source.ts';

type Window = { readonly offset: number; readonly limit: number };

const within = async (
  { sight }: Pick<PageSource, 'sight'>,
  { offset, limit }: Window,
  list: (window: Window) => Promise<Listing>,
): Promise<Listing> => {
  if (sight.isWhole) return list({ offset, limit });
  const all = (await list({ offset: 0, limit: MAX_RECENT })).page.filter(sight.sees);
  return { total: all.length, page: all.slice(offset, offset + limit) };
};

/** Change requests with work in progress, the longest unchanged first. */
export const listWorking = async (source: PageSource, limit: number): Promise<Listing> => {
  const activity = createActivity(source.redis, source.keys);
  return within(source, { offset: 0, limit }, async (window) => activity.working(window.limit));
};

/** The most recently active first. */
export const listRecent = async (source: PageSource, window: Window): Promise<Listing> => {
  const activity = createActivity(source.redis, source.keys);
  return within(source, window, async (wished) => activity.recent(wished));
};
