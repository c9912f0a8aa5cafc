import { changeRequestStatus, type ChangeRequestStatus } from '../../../shared/overview/change-request-status.ts';
import { createSettingsByPath } from '../../../shared/overview/settings-by-path.ts';
import { spentOn } from '../../../shared/overview/spent-on.ts';
import type { Troubles } from '../../../shared/overview/troubles.ts';
import { createRunLog, type LoggedRun } from '../../../shared/store/board/run-log.ts';
import { type ChangeRequestView, createChangeRequestViews } from '../../../shared/store/board/views.ts';
import { createDecisions, type DecisionLog } from '../../../shared/store/decisions.ts';
import { createGuardStates } from '../../../shared/store/guard-states.ts';
import type { ChangeRequest } from '../../../shared/vocabulary/ids.ts';
import { cleanView } from './clean-view.ts';
import { type RunSummary, summaryOf } from './run-summary.ts';
import { readTroubles } from './troubles.ts';
import type { PageSource } from './source.ts';

export type TimelineRun = LoggedRun & { readonly atMs: number; readonly summary: RunSummary };

/** Everything that is stored about one change request, without secrets. */
export type ChangeRequestReading = {
  readonly of: ChangeRequest;
  readonly nowMs: number;
  readonly view: ChangeRequestView | null;
  /** Null if guard has no state: the next event or sweep reads the change request from the forge. */
  readonly status: ChangeRequestStatus | null;
  /** Rounds that people have granted. */
  readonly granted: number;
  readonly spent: { readonly tokens: number; readonly usd: number };
  readonly decisions: DecisionLog;
  readonly runs: readonly TimelineRun[];
  readonly troubles: Troubles;
};

/** Null if nothing is stored. */
export const readChangeRequest = async (
  source: PageSource,
  of: ChangeRequest,
): Promise<ChangeRequestReading | null> => {
  const { redis, keys, config, clean, sight } = source;
  if (!sight.sees(of)) return null;
  const nowMs = source.nowMs();
  const [view, state, decisions, logged, spent, troubles, policy] = await Promise.all([
    createChangeRequestViews(redis, keys).load(of),
    createGuardStates(redis, keys).load(of),
    createDecisions(redis, keys).load(of),
    createRunLog(redis, keys).list(of),
    spentOn({ redis, config }, of),
    readTroubles(source),
    createSettingsByPath(redis, keys, config)(of),
  ]);
  if (view === null && state === null && decisions.records.length === 0) return null;
  const runs = await Promise.all(logged.map(async (run) => ({ ...run, summary: await summaryOf(source, run.runId) })));
  const records = decisions.records.map((record) => ({ ...record, reason: clean(record.reason) }));
  return {
    of,
    nowMs,
    view: view === null ? null : cleanView(view, clean),
    status: state === null ? null : changeRequestStatus(of, state, { nowMs, policy }),
    granted: state?.granted ?? 0,
    spent,
    decisions: { ...decisions, records },
    runs,
    troubles,
  };
};
