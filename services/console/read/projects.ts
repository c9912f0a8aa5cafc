import { matchingSections } from '../../../shared/config/projects/matching.ts';
import { type ShownSetting, shownSettings } from '../../../shared/overview/effective-settings.ts';
import { MAX_RECENT } from '../../../shared/store/board/activity.ts';
import {
  createPauses,
  isSameProject,
  type PausedProject,
  type ProjectOfForge,
} from '../../../shared/store/board/pauses.ts';
import { type ChangeRequestView, createChangeRequestViews } from '../../../shared/store/board/views.ts';
import { createProjectNames } from '../../../shared/store/spending/project-names.ts';
import { createHookReports, type HookReport } from '../../../shared/store/sweep/sweep-hooks.ts';
import type { ChangeRequest } from '../../../shared/vocabulary/ids.ts';
import { cleanView } from './clean-view.ts';
import { listRecent } from './listed.ts';
import type { PageSource } from './source.ts';
import { shownTo } from './troubles.ts';

export type RecentVerdict = { readonly of: ChangeRequest; readonly view: ChangeRequestView | null };

export type ProjectRow = ProjectOfForge & {
  /** Null if neither guard nor the sweep has seen it. */
  readonly path: string | null;
  readonly pause: PausedProject | null;
  /** Null if the sweep has not asked for webhooks yet. */
  readonly hook: HookReport | null;
  /** Change requests that guard has seen in the last 30 days. */
  readonly known: number;
  /** The most recently active of them. */
  readonly recent: readonly RecentVerdict[];
};

export type Projects = {
  readonly rows: readonly ProjectRow[];
  readonly total: number;
  /** Counted from 1. */
  readonly page: number;
  readonly pages: number;
  readonly nowMs: number;
};

const PER_PAGE = 50;
const FEW = 5;
const MANY = 20;

type Found = ProjectOfForge & { readonly hook: HookReport | null; readonly recent: ChangeRequest[] };

const keyOf = ({ forge, projectId }: ProjectOfForge): string => `${forge}/${projectId}`;

/** Projects with activity first, the most recent first; then those that only the sweep or a pause knows, by name. */
const findProjects = async (source: PageSource): Promise<{ readonly found: Found[]; readonly pauses: Pauses }> => {
  const { redis, keys, config, sight } = source;
  const reports = createHookReports(redis, keys);
  const [recent, pauses, ...hooks] = await Promise.all([
    listRecent(source, { offset: 0, limit: MAX_RECENT }),
    createPauses(redis, keys).all(),
    ...config.forges.map(async ({ id }) => (await reports.all(id)).map((hook) => ({ forge: id, hook }))),
  ]);
  const byPath = hooks.flat().toSorted((one, other) => one.hook.path.localeCompare(other.hook.path, 'en'));
  const hookOf = new Map(
    byPath.map(({ forge, hook }) => [keyOf({ forge, projectId: hook.projectId }), { forge, hook }]),
  );
  const found = new Map<string, Found>();
  const add = (project: ProjectOfForge): Found => {
    const key = keyOf(project);
    const { forge, projectId } = project;
    const known = found.get(key) ?? { forge, projectId, hook: hookOf.get(key)?.hook ?? null, recent: [] };
    found.set(key, known);
    return known;
  };
  for (const of of recent.page) add(of).recent.push(of);
  for (const { forge, hook } of hookOf.values()) add({ forge, projectId: hook.projectId });
  for (const pause of pauses) add(pause);
  return { found: [...found.values()].filter(sight.sees), pauses: pauses.map((pause) => shownTo(sight, pause)) };
};

type Pauses = readonly PausedProject[];

const rowsOf = async (
  source: PageSource,
  { found, pauses }: { readonly found: readonly Found[]; readonly pauses: Pauses },
  shown: number,
): Promise<readonly ProjectRow[]> => {
  const { redis, keys, config, clean } = source;
  const few = found.map((each) => each.recent.slice(0, shown));
  const [names, views] = await Promise.all([
    createProjectNames(redis, config.redis.prefix).load(found),
    createChangeRequestViews(redis, keys).loadAll(few.flat()),
  ]);
  const viewOf = new Map(few.flat().map((of, index) => [of, views[index] ?? null]));
  return found.map(({ forge, projectId, hook, recent }, index) => {
    const path = hook?.path ?? names[index] ?? null;
    return {
      forge,
      projectId,
      path: path === null ? null : clean(path),
      pause: pauses.find((each) => isSameProject(each, { forge, projectId })) ?? null,
      hook,
      known: recent.length,
      recent: (few[index] ?? []).map((of) => {
        const view = viewOf.get(of) ?? null;
        return { of, view: view === null ? null : cleanView(view, clean) };
      }),
    };
  });
};

/** After the last page, the last page is shown. */
export const readProjects = async (source: PageSource, wished: number): Promise<Projects> => {
  const { found, pauses } = await findProjects(source);
  const pages = Math.max(1, Math.ceil(found.length / PER_PAGE));
  const page = Math.min(wished, pages);
  const shown = found.slice((page - 1) * PER_PAGE, page * PER_PAGE);
  const rows = await rowsOf(source, { found: shown, pauses }, FEW);
  return { rows, total: found.length, page, pages, nowMs: source.nowMs() };
};

export type ProjectReading = ProjectRow & {
  readonly nowMs: number;
  /** Null if the settings cannot be shown: the path is unknown, or the visitor may see only some projects. */
  readonly settings: { readonly sections: readonly number[]; readonly all: readonly ShownSetting[] } | null;
};

/** Null for a project of a forge that is not configured, and for one that the visitor may not see. */
export const readProject = async (source: PageSource, project: ProjectOfForge): Promise<ProjectReading | null> => {
  if (!source.sight.sees(project) || !source.config.forges.some(({ id }) => id === project.forge)) return null;
  const { found, pauses } = await findProjects(source);
  const one = found.find((each) => isSameProject(each, project)) ?? { ...project, hook: null, recent: [] };
  const [row] = await rowsOf(source, { found: [one], pauses }, MANY);
  if (row === undefined) return null;
  return { ...row, nowMs: source.nowMs(), settings: settingsOf(source, row) };
};

/** Settings name accounts and other projects, so only an operator sees them. */
const settingsOf = (
  { config, settingsFile, sight }: PageSource,
  { forge, path }: ProjectRow,
): ProjectReading['settings'] => {
  if (path === null || settingsFile === null || !sight.isWhole) return null;
  const { name: file, text } = settingsFile;
  return {
    sections: matchingSections(config.project, { forge, path }),
    all: shownSettings({ config, text, file }, { forge, path }),
  };
};
