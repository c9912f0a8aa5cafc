import { readFileSync } from 'node:fs';
import { type Config, findConfigPath } from '../../../shared/config/load.ts';
import { settingsOf } from '../../../shared/config/project-settings.ts';
import { type ProjectName, matchingSections } from '../../../shared/config/projects/matching.ts';
import { type NamedClient, reaches, reviewerFor } from '../../../shared/config/projects/message-reach.ts';
import { sourcesFor } from '../../../shared/config/rule-settings.ts';
import { type ShownSetting, shownSettings } from '../../../shared/overview/effective-settings.ts';
import { PROJECT_RULES_FOLDER, PROJECT_SOURCE } from '../../../shared/rules/own/own-rule.ts';
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
  const ruleSources = sourcesOf(loaded, project);
  const programs = programsOf(loaded, project);
  process.stdout.write(
    format === 'json'
      ? printJson({ ...project, sections, settings, ruleSources, programs })
      : asText({ project, sections, settings, ruleSources, programs }),
  );
  return 0;
};

type Listing = {
  readonly project: ProjectName;
  readonly sections: readonly number[];
  readonly settings: readonly ShownSetting[];
  readonly ruleSources: readonly ShownSource[];
  readonly programs: readonly ShownProgram[];
};

type ShownSource = {
  /** The prefix of the ids of its rules. */
  readonly name: string;
  readonly from: string;
  readonly rules: string | null;
  readonly guidelines: string | null;
};

/** All of them hold: none can change what another one finds. */
const sourcesOf = ({ rules }: Config, { path }: ProjectName): readonly ShownSource[] => [
  ...sourcesFor(rules, path).map(({ name, forge, project, ref, rules: folder, guidelines }) => ({
    name,
    from: `${forge}/${project} at ${ref}`,
    rules: folder,
    guidelines,
  })),
  { name: PROJECT_SOURCE, from: 'the target branch', rules: PROJECT_RULES_FOLDER, guidelines: null },
];

const sourceText = ({ name, from, rules, guidelines }: ShownSource): string => {
  const what = [rules === null ? null : `rules ${rules}`, guidelines === null ? null : `guidelines ${guidelines}`];
  return `${name}/…: ${what.filter((each) => each !== null).join(' and ')} of ${from}`;
};

type ShownProgram = {
  readonly name: string;
  readonly role: NamedClient['role'];
  readonly source: string;
  /** False for a reviewer that another one replaces, or that the setting review.runner leaves out. */
  readonly used: boolean;
  /** Set for a client of one project by its id: this command asks no forge, so it cannot tell whether that is this one. */
  readonly onlyProjectId: number | null;
};

/** The external programs that may belong to the project. */
const programsOf = (config: Config, project: ProjectName): readonly ShownProgram[] => {
  const { runner } = settingsOf(config, project).review;
  const named = { ...project, projectId: 0 };
  const reviewer = reviewerFor(config, named);
  return config.messages.client.flatMap((client, index) => {
    const { name, role, match, forge, projectId } = client;
    if (match === null ? forge !== project.forge : !reaches(config, client, named)) return [];
    const used = role === 'author' || (runner === 'messages' && (match === null || name === reviewer));
    return [{ name, role, source: `messages.client[${index}]`, used, onlyProjectId: projectId }];
  });
};

const programText = ({ name, role, source, used, onlyProjectId }: ShownProgram): string => {
  const condition = onlyProjectId === null ? '' : `, if the id of the project is ${onlyProjectId}`;
  return `${role} ${name}${condition}${used ? '' : ' (not asked)'}  # ${source}`;
};

const asText = ({ project, sections, settings, ruleSources, programs }: Listing): string => {
  const heading =
    sections.length === 0
      ? 'no [[project]] section matches'
      : `matched by ${sections.map((index) => `project[${index}]`).join(', ')}`;
  const rows = settings.map(({ setting, value, source, mayBeTightened }) =>
    escapeForTerminalLine(
      `${setting} = ${JSON.stringify(value)}  # ${source}${mayBeTightened ? '; .fixpoint.toml may tighten it' : ''}`,
    ),
  );
  const sources = ['own rules that apply, besides the built-in ones:', ...ruleSources.map(sourceText)];
  const outside = programs.length === 0 ? [] : ['external programs:', ...programs.map(programText)];
  const lists = [...sources, ...outside].map(escapeForTerminalLine);
  return [`${project.forge}/${project.path}: ${heading}`, ...rows, ...lists].map((line) => `${line}\n`).join('');
};
