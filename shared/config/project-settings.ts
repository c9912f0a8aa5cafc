/** The settings of one project: those of the installation with the `[[project]]` sections that match put over them. */
import { AppError } from '../errors.ts';
import type { Agent } from './agent-settings.ts';
import { matchingSections, type ProjectName, reachableCombinations, type ServedForge } from './projects/matching.ts';
import { type Layer, type Merged, mergeSections } from './projects/merge-sections.ts';
import type { Section } from './projects/section-problems.ts';
import type { ProjectSection, SettingsFile } from './schema.ts';

/** What the functions here need of the settings; the other tables are kept as they are. */
export type WithSections = Pick<SettingsFile, 'project' | 'agent'>;

/** A project's settings differ, but the forge did not say which project it is. */
export class ProjectPathMissingError extends AppError {
  constructor(forge: string) {
    super({
      code: 'PROJECT_PATH_MISSING',
      message: 'the forge does not name the project of a change request, so its [[project]] sections are unknown',
      disposition: { kind: 'retry' },
      fields: { forge },
    });
  }
}

/** A section without its patterns: the values that it sets. */
export const sectionOf = ({ match, forge, ...values }: ProjectSection): Section => ({ match, forge, values });

/** `model` is the first of `models`, so that code that needs only one model reads the same setting. */
export const withFirstModels = (agent: Agent): Agent => ({
  ...agent,
  reviewer: { ...agent.reviewer, model: agent.reviewer.models[0] ?? agent.reviewer.model },
  explorer: { ...agent.explorer, model: agent.explorer.models[0] ?? agent.explorer.model },
});

const layersOf = (sections: readonly Section[], indexes: readonly number[]): readonly Layer[] =>
  indexes.flatMap((index) => {
    const section = sections[index];
    return section === undefined ? [] : [{ index, values: section.values }];
  });

/** @param indexes the sections that apply, in the order of the file. */
export const mergedSettings = <Settings extends WithSections>(
  settings: Settings,
  indexes: readonly number[],
): Merged<Settings> => {
  if (indexes.length === 0) return { settings, origins: new Map() };
  const { settings: merged, origins } = mergeSections(settings, layersOf(settings.project.map(sectionOf), indexes));
  return { settings: { ...merged, agent: withFirstModels(merged.agent) }, origins };
};

/** The settings of a project, and which section set each value that is not the installation's. */
export const effectiveSettings = <Settings extends WithSections>(
  settings: Settings,
  project: ProjectName,
): Merged<Settings> => mergedSettings(settings, matchingSections(settings.project, project));

type Cached<Settings> = Map<string, Settings>;

const cache = new WeakMap<WithSections, Cached<WithSections>>();

const cachedSettings = <Settings extends WithSections>(settings: Settings, indexes: readonly number[]): Settings => {
  if (indexes.length === 0) return settings;
  // The cast is safe because the map of one settings object holds only results made from that object.
  const known = (cache.get(settings) ?? new Map()) as Cached<Settings>;
  cache.set(settings, known);
  const key = indexes.join(' ');
  const found = known.get(key) ?? mergedSettings(settings, indexes).settings;
  known.set(key, found);
  return found;
};

/**
 * The settings of a project. Projects with the same sections get the same object, so that it can be the key of a cache.
 *
 * @param project `path` is undefined if it is unknown. @throws ProjectPathMissingError if it would matter.
 */
export const settingsOf = <Settings extends WithSections>(
  settings: Settings,
  { forge, path }: { readonly forge: string; readonly path: string | undefined },
): Settings => {
  if (!settings.project.some((section) => section.forge === null || section.forge === forge)) return settings;
  if (path === undefined || path === '') throw new ProjectPathMissingError(forge);
  return cachedSettings(settings, matchingSections(settings.project, { forge, path }));
};

/** The settings of the installation, then those of every combination of sections that a served project can have. */
export const everySettings = <Settings extends WithSections & { readonly forges: readonly ServedForge[] }>(
  settings: Settings,
): readonly Settings[] =>
  settings.project.length === 0
    ? [settings]
    : [
        ...new Set([
          settings,
          ...reachableCombinations(settings.forges, settings.project).map((indexes) =>
            cachedSettings(settings, indexes),
          ),
        ]),
      ];

/** Makes one value per settings object and keeps it, for what is expensive to make. */
export const perSettings = <Settings extends WithSections, Made>(
  make: (settings: Settings) => Made,
): ((settings: Settings) => Made) => {
  const made = new Map<Settings, Made>();
  return (settings) => {
    const found = made.get(settings);
    if (found !== undefined) return found;
    const fresh = make(settings);
    made.set(settings, fresh);
    return fresh;
  };
};
