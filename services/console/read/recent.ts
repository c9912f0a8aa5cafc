import { changeRequestStatus, type ChangeRequestStatus } from '../../../shared/overview/change-request-status.ts';
import { type ChangeRequestView, createChangeRequestViews } from '../../../shared/store/board/views.ts';
import { createSettingsByPath } from '../../../shared/overview/settings-by-path.ts';
import { createGuardStates } from '../../../shared/store/guard-states.ts';
import type { ChangeRequest } from '../../../shared/vocabulary/ids.ts';
import { cleanView } from './clean-view.ts';
import { listRecent } from './listed.ts';
import type { PageSource } from './source.ts';

export type RecentRow = {
  readonly of: ChangeRequest;
  readonly view: ChangeRequestView | null;
  readonly status: ChangeRequestStatus | null;
};

export type Recent = {
  readonly rows: readonly RecentRow[];
  readonly total: number;
  /** Counted from 1. */
  readonly page: number;
  readonly pages: number;
  readonly nowMs: number;
};

const PER_PAGE = 50;

/** The list may have become shorter since a link to one of its pages was made: then its last page is shown. */
const listPage = async (source: PageSource, wished: number) => {
  const list = async (page: number) => listRecent(source, { offset: (page - 1) * PER_PAGE, limit: PER_PAGE });
  const found = await list(wished);
  const pages = Math.max(1, Math.ceil(found.total / PER_PAGE));
  const page = Math.min(wished, pages);
  return { found: page === wished ? found : await list(page), page, pages };
};

export const readRecent = async (source: PageSource, wished: number): Promise<Recent> => {
  const { redis, keys, config, clean } = source;
  const nowMs = source.nowMs();
  const { found, page, pages } = await listPage(source, wished);
  const states = createGuardStates(redis, keys);
  const settingsFor = createSettingsByPath(redis, keys, config);
  const [views, loaded, policies] = await Promise.all([
    createChangeRequestViews(redis, keys).loadAll(found.page),
    Promise.all(found.page.map(async (of) => states.load(of))),
    Promise.all(found.page.map(async (of) => settingsFor(of))),
  ]);
  const rows = found.page.map((of, index): RecentRow => {
    const [view, state] = [views[index] ?? null, loaded[index] ?? null];
    return {
      of,
      view: view === null ? null : cleanView(view, clean),
      status: state === null ? null : changeRequestStatus(of, state, { nowMs, policy: policies[index] ?? config }),
    };
  });
  return { rows, total: found.total, page, pages, nowMs };
};
