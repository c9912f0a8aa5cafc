/** The settings of a project as people see them, for `fixpoint config show` and the operator's page. */
import { type DescribedSetting, describeProject, type SettingSource } from '../config/loaded/describe-project.ts';
import { createRedactor } from '../text/redact.ts';

export type ShownSetting = {
  readonly setting: string;
  readonly value: unknown;
  /** `default`, or the place in the file. */
  readonly source: string;
  readonly mayBeTightened: boolean;
};

const placeOf = (source: SettingSource, file: string): string => {
  const at = (line: number | null): string => (line === null ? file : `${file}:${line}`);
  switch (source.kind) {
    case 'default':
      return 'default';
    case 'file':
      return at(source.line);
    case 'section':
      return `${at(source.line)} (project[${source.index}])`;
    default:
      return source satisfies never;
  }
};

/** Settings are not secrets, but an argument of a command may contain one by mistake. */
const redact = createRedactor([]);

const withoutSecrets = (value: unknown): unknown => {
  if (typeof value === 'string') return redact(value).text;
  if (Array.isArray(value)) return value.map(withoutSecrets);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, withoutSecrets(inner)]));
};

const asShown = ({ setting, value, source, mayBeTightened }: DescribedSetting, file: string): ShownSetting => ({
  setting,
  value: withoutSecrets(value),
  source: placeOf(source, file),
  mayBeTightened,
});

type Loaded = Parameters<typeof describeProject>[0] & {
  /** The name of the file, which the places contain. */
  readonly file: string;
};

export const shownSettings = (
  { file, ...loaded }: Loaded,
  project: Parameters<typeof describeProject>[1],
): readonly ShownSetting[] => describeProject(loaded, project).map((each) => asShown(each, file));
