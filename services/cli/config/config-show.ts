import { readFileSync } from 'node:fs';
import { findConfigPath } from '../../../shared/config/load.ts';
import { type ProjectName, matchingSections } from '../../../shared/config/projects/matching.ts';
import { type ShownSetting, shownSettings } from '../../../shared/overview/effective-settings.ts';
import { escapeForTerminalLine } from '../../../shared/text/visible.ts';
import { loadOrThrow } from '../terminal/load-or-throw.ts';
import { printJson } from '../terminal/print-json.ts';
import { UsageError } from '../terminal/usage-error.ts';
import { findServed } from './find-served.ts';

export type ConfigShowOptions = { readonly config?: string; readonly format: string };

/** `fixpoint config show PROJECT`: what applies to a project, and why. @throws UsageError */
export const showConfig = async (reference: string, { config, format }: ConfigShowOptions): Promise<number> => {
  if (format !== 'text' && format !== 'json') throw new UsageError('--format: expected text or json');
  const file = findConfigPath(config, process.env);
  const loaded = loadOrThrow({ path: file, env: process.env, needs: [] });
  const project = findServed(loaded, reference);
  const settings = shownSettings({ config: loaded, text: readFileSync(file, 'utf8'), file }, project);
  const sections = matchingSections(loaded.project, project);
  process.stdout.write(
    format === 'json' ? printJson({ ...project, sections, settings }) : asText({ project, sections, settings }),
  );
  return 0;
};

type Listing = {
  readonly project: ProjectName;
  readonly sections: readonly number[];
  readonly settings: readonly ShownSetting[];
};

const asText = ({ project, sections, settings }: Listing): string => {
  const heading =
    sections.length === 0
      ? 'no [[project]] section matches'
      : `matched by ${sections.map((index) => `project[${index}]`).join(', ')}`;
  const rows = settings.map(({ setting, value, source, mayBeTightened }) =>
    escapeForTerminalLine(
      `${setting} = ${JSON.stringify(value)}  # ${source}${mayBeTightened ? '; .fixpoint.toml may tighten it' : ''}`,
    ),
  );
  return [`${project.forge}/${project.path}: ${heading}`, ...rows].map((line) => `${line}\n`).join('');
};
