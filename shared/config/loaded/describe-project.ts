/** Lists the settings of a project, each with the place that set it. */
import { parse } from 'smol-toml';
import { effectiveSettings, type WithSections } from '../project-settings.ts';
import type { ProjectName } from '../projects/matching.ts';
import { leavesOf } from '../projects/merge-sections.ts';
import { SettingsFile } from '../schema.ts';
import { settingPath, snakeKeys } from '../text/key-case.ts';
import { locateSetting } from '../text/locate-setting.ts';
import { listSettings } from '../text/setting-tree.ts';

export type SettingSource =
  | { readonly kind: 'default' }
  | { readonly kind: 'file'; readonly line: number | null }
  | { readonly kind: 'section'; readonly index: number; readonly line: number | null };

export type DescribedSetting = {
  /** As the file spells it: `agent.reviewer.max_turns`. */
  readonly setting: string;
  /** With the keys that the file uses. */
  readonly value: unknown;
  readonly source: SettingSource;
  /** Whether `.fixpoint.toml` of the project may tighten the value for a review. */
  readonly mayBeTightened: boolean;
};

const SECTION = 'project[].';

/** The settings that a section may have, as the file spells them; a list of tables counts as one setting. */
const SETTINGS: ReadonlySet<string> = new Set(
  listSettings(SettingsFile)
    .filter((setting) => setting.startsWith(SECTION))
    .map((setting) => setting.slice(SECTION.length).split('[]')[0] ?? '')
    .filter((setting) => setting.includes('.') || setting === 'analyzer'),
);

/** See `repository/repository-settings.ts`. */
const TIGHTENED: ReadonlySet<string> = new Set([
  'review.include_paths',
  'review.exclude_paths',
  'rounds.max',
  'limits.max_files',
  'limits.max_diff_bytes',
  'limits.max_file_bytes',
]);

const isIn = (document: unknown, path: readonly string[]): boolean => {
  const [key, ...rest] = path;
  if (key === undefined) return true;
  if (typeof document !== 'object' || document === null || !Object.hasOwn(document, key)) return false;
  return isIn(Reflect.get(document, key), rest);
};

/** @param text the configuration file that `config` was loaded from. */
export const describeProject = (
  { config, text }: { readonly config: WithSections; readonly text: string },
  project: ProjectName,
): readonly DescribedSetting[] => {
  const { settings, origins } = effectiveSettings(config, project);
  const document: unknown = parse(text);
  const leaves = leavesOf(settings).map(({ path, value }) => ({ path, value, setting: settingPath(path.split('.')) }));
  const sourceOf = (path: string, setting: string): SettingSource => {
    const index = origins.get(path);
    if (index !== undefined)
      return { kind: 'section', index, line: locateSetting(text, `project[${index}].${setting}`) };
    if (!isIn(document, setting.split('.'))) return { kind: 'default' };
    return { kind: 'file', line: locateSetting(text, setting) };
  };
  const models = new Map(leaves.map(({ setting, value }) => [setting, value]));
  /** `model` has no effect where `models` names at least one. */
  const isReplaced = (setting: string): boolean => {
    const chosen = setting.endsWith('.model') ? models.get(`${setting}s`) : undefined;
    return Array.isArray(chosen) && chosen.length > 0;
  };
  return leaves
    .filter(({ setting }) => SETTINGS.has(setting) && !isReplaced(setting))
    .map(({ path, setting, value }) => ({
      setting,
      value: snakeKeys(value),
      source: sourceOf(path, setting),
      mayBeTightened: TIGHTENED.has(setting),
    }));
};
