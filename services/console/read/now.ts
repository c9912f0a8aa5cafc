import {
  changeRequestStatus,
  type ChangeRequestStatus,
  type Doing,
} from '../../../shared/overview/change-request-status.ts';
import type { Config } from '../../../shared/config/load.ts';
import { createSettingsByPath } from '../../../shared/overview/settings-by-path.ts';
import type { Troubles } from '../../../shared/overview/troubles.ts';
import { emptyState, type GuardState } from '../../../shared/rounds/model/state.ts';
import { isSameProject } from '../../../shared/store/board/pauses.ts';
import { createChangeRequestViews } from '../../../shared/store/board/views.ts';
import { createGuardStates } from '../../../shared/store/guard-states.ts';
import { createSlots } from '../../../shared/store/slots.ts';
import type { ChangeRequest } from '../../../shared/vocabulary/ids.ts';
import { listWorking } from './listed.ts';
import { readTroubles } from './troubles.ts';
import type { PageSource } from './source.ts';

/** `ci` also contains a finished review that only CI keeps from passing. */
export type NowGroup = 'running' | 'waiting' | 'quiet' | 'ci' | 'parked';

export type NowRow = {
  readonly of: ChangeRequest;
  readonly group: NowGroup;
  readonly status: ChangeRequestStatus;
  readonly why: string;
  /** True if its project is paused: what it has to report waits. */
  readonly isHeld: boolean;
  /** Null if guard has not stored it. */
  readonly title: string | null;
  readonly author: string | null;
  readonly seenAtMs: number | null;
  readonly nowMs: number;
};

export type Now = Troubles & {
  readonly rows: readonly NowRow[];
  /** Also counts change requests that are not among `rows`. */
  readonly total: number;
};

const MAX_ROWS = 200;

export const readNow = async (source: PageSource): Promise<Now> => {
  const { redis, keys, config, clean } = source;
  const nowMs = source.nowMs();
  const { total, page } = await listWorking(source, MAX_ROWS);
  const states = createGuardStates(redis, keys);
  const [views, loaded, troubles] = await Promise.all([
    createChangeRequestViews(redis, keys).loadAll(page),
    Promise.all(page.map(async (of) => states.load(of))),
    readTroubles(source),
  ]);
  const settingsFor = createSettingsByPath(redis, keys, config);
  const [taken, policies] = await Promise.all([
    slotsTaken(source, page, settingsFor),
    Promise.all(page.map(async (of) => settingsFor(of))),
  ]);
  const rows = page.map((of, index): NowRow => {
    const state = loaded[index] ?? emptyState();
    const view = views[index] ?? null;
    const status = changeRequestStatus(of, state, { nowMs, policy: policies[index] ?? config });
    return {
      of,
      group: groupOf(status.doing, state),
      status,
      why: clean(whyOf(status, state, taken.get(projectOf(of)))),
      isHeld: troubles.pauses.some((pause) => isSameProject(pause, of)),
      title: view === null ? null : clean(view.title),
      author: view?.author ?? null,
      seenAtMs: view?.atMs ?? null,
      nowMs,
    };
  });
  return { ...troubles, rows, total };
};

const GROUPS: Readonly<Record<Exclude<Doing, 'idle'>, NowGroup>> = {
  running: 'running',
  fixing: 'running',
  wanted: 'waiting',
  quiet: 'quiet',
  waiting_ci: 'ci',
};

const groupOf = (doing: Doing, { heldByCi }: GuardState): NowGroup => {
  if (doing !== 'idle') return GROUPS[doing];
  return heldByCi === null ? 'parked' : 'ci';
};

const whyOf = ({ doing, why }: ChangeRequestStatus, { heldByCi, parked }: GuardState, slots?: string): string => {
  if (doing === 'wanted' && slots !== undefined) return `${why}: ${slots}`;
  return doing === 'idle' && heldByCi !== null && parked === null
    ? 'the review has ended, and only CI of the head keeps it from passing'
    : why;
};

const projectOf = ({ forge, projectId }: ChangeRequest): string => `${forge}/${projectId}`;

/** For each project, who has its slots, in words. */
const slotsTaken = async (
  { redis, keys }: PageSource,
  all: readonly ChangeRequest[],
  settingsFor: (of: ChangeRequest) => Promise<Pick<Config, 'limits'>>,
): Promise<ReadonlyMap<string, string>> => {
  const slots = createSlots(redis, keys);
  const projects = new Map(all.map((of) => [projectOf(of), of]));
  const entries = [...projects].map(async ([project, of]) => {
    const { forge, projectId } = of;
    const { runningPerProject } = (await settingsFor(of)).limits;
    const numbers = (await slots.running(forge, projectId)).toSorted((one, other) => one - other);
    const who = numbers.length === 0 ? '' : ` by ${numbers.join(', ')}`;
    return [project, `${numbers.length} of ${runningPerProject} slots taken${who}`] as const;
  });
  return new Map(await Promise.all(entries));
};
