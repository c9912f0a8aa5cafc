/** `[rules]`: repositories of the operator with rules and guidelines that hold for several projects. */
import { z } from 'zod';
import { AnalyzerName } from '../vocabulary/analyzer.ts';
import type { AnalyzerSettings } from './analyzer-settings.ts';
import { inScope, parseProjectScope } from './projects/project-scope.ts';
import { ProjectPattern } from './values.ts';

/** Rules of a project itself have this name before their ids. */
const OF_PROJECT = 'project';

const isPlain = (path: string): boolean =>
  path.split('/').every((name) => name !== '' && name !== '.' && name !== '..' && !name.startsWith('-'));

const ProjectPath = z
  .string()
  .regex(/^[A-Za-z0-9_.-]{1,100}(?:\/[A-Za-z0-9_.-]{1,100}){1,19}$/, 'expected "owner/name" (GitLab: "group/sub/name")')
  .refine(isPlain, { message: 'expected "owner/name" without ".." and without a leading "-"' });

const RefName = z
  .string()
  .regex(/^[A-Za-z0-9_./-]{1,200}$/, 'expected the name of a branch or a tag')
  .refine((name) => isPlain(name) && !name.includes('..') && !/\.lock(?:\/|$)|\.$/.test(name), {
    message: 'expected the name of a branch or a tag',
  });

const TreePath = z
  .string()
  .regex(/^[^\p{Cc}\\]{1,300}$/u, 'expected a path in the repository')
  .refine(isPlain, { message: 'expected a path relative to the root of the repository, such as "rules"' });

const RuleSource = z
  .strictObject({
    /** Part of each rule's id (`acme/no-eval`), which threads store. */
    name: AnalyzerName,
    /** The id of the `[[forge]]` that has the repository. */
    forge: z.string().min(1).max(32),
    project: ProjectPath,
    /** A branch or a tag. `refs/heads/…` and `refs/tags/…` are accepted too. */
    ref: RefName,
    /** A folder of rules in YAML. Null if the repository has none. */
    rules: TreePath.nullable().default(null),
    /** A Markdown file, or a folder of them. Null if the repository has none. */
    guidelines: TreePath.nullable().default(null),
    /** If empty, the source holds for every project of the configured forges. */
    projects: z.array(ProjectPattern).max(1000).default([]),
  })
  .refine(({ rules, guidelines }) => rules !== null || guidelines !== null, {
    path: ['rules'],
    message: 'is missing; set rules, guidelines or both',
  });
export type RuleSource = z.output<typeof RuleSource>;

export const RuleSettings = z.strictObject({ from: z.array(RuleSource).max(10).default([]) });
export type RuleSettings = z.output<typeof RuleSettings>;

/** @param project `owner/name`; null if it is not known: then only sources for all projects hold. */
export const sourcesFor = ({ from }: RuleSettings, project: string | null): readonly RuleSource[] =>
  from.filter(({ projects }) => projects.length === 0 || inScope(parseProjectScope(projects), project));

/** Time limit of fetching and reading all sources, which happens at the same time. */
export const SOURCES_S = 60;

/** Time limit of applying all own rules to a change: those of every source, and those of the project. */
export const OWN_RULES_S = 30;

/** Time limit of running the rules of one source on their examples, once for each version of the rules. */
export const OWN_EXAMPLES_S = 30;

/** The maximum time that the sources add to a run, in seconds. */
export const longestSourcesS = ({ from }: RuleSettings): number => (from.length === 0 ? 0 : SOURCES_S + OWN_RULES_S);

type Settings = {
  readonly rules: RuleSettings;
  readonly analyzer: AnalyzerSettings;
  readonly project: readonly { readonly analyzer?: AnalyzerSettings | undefined }[];
};

/** Finds errors that only the whole configuration shows. */
export const findRuleProblems = (
  { rules, analyzer, project }: Settings,
  forgeIds: ReadonlySet<string>,
): readonly string[] => {
  const analyzers = [
    ...analyzer.map(({ name }, index) => ({ name, at: `analyzer[${index}]` })),
    ...project.flatMap((section, index) =>
      (section.analyzer ?? []).map(({ name }, at) => ({ name, at: `project[${index}].analyzer[${at}]` })),
    ),
  ];
  const taken = new Set(analyzers.map(({ name }) => name));
  return [
    ...analyzers.flatMap(({ name, at }) =>
      name === OF_PROJECT
        ? [`${at}.name: expected another name than "${OF_PROJECT}", which the rules of projects have`]
        : [],
    ),
    ...rules.from.flatMap(({ name, forge }, index) => [
      ...(forgeIds.has(forge) ? [] : [`rules.from[${index}].forge: expected the id of a [[forge]]`]),
      ...(name === OF_PROJECT
        ? [`rules.from[${index}].name: expected another name than "${OF_PROJECT}", which the rules of projects have`]
        : []),
      ...(taken.has(name) ? [`rules.from[${index}].name: an [[analyzer]] has this name; names must be unique`] : []),
      ...(rules.from.findIndex((other) => other.name === name) < index
        ? [`rules.from[${index}].name: another source has this name; names must be unique`]
        : []),
    ]),
  ];
};
