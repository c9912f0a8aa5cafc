/** Finds settings that contradict each other across tables, also where `[[project]]` sections combine them. */
import type { z } from 'zod';
import { factsOf, nameAble } from '../forge/kinds/forge-kind.ts';
import { analyzersFor, isFromCi } from './analyzer-settings.ts';
import { describeIssue } from './describe-issue.ts';
import { chainOf, findModel } from './model-roles.ts';
import { effectiveSettings, mergedSettings, sectionOf } from './project-settings.ts';
import { findReviewerProblems, findUnreviewed } from './projects/client-problems.ts';
import { exampleProjects, reachableCombinations } from './projects/matching.ts';
import type { Merged } from './projects/merge-sections.ts';
import { findSectionProblems } from './projects/section-problems.ts';
import { SettingsFile } from './schema.ts';
import type { RunnerSettings } from './model-needs.ts';
import { settingPath } from './text/key-case.ts';

/** The valid tables are checked even if other tables are invalid. */
function findMissingPrograms({ runner, author, agent }: RunnerSettings): readonly string[] {
  if (agent === null || agent.claudeCode.command !== null) return [];
  const users = [
    ...(runner === 'claude-code' ? ['review.runner'] : []),
    ...(author?.enabled === true && author.agent === 'claude-code' ? ['author.agent'] : []),
  ];
  return users.map(
    (user) =>
      `agent.claude_code.command: is missing; set the absolute path of the CLI, because ${user} is "claude-code"`,
  );
}

/** The CLI calls only the provider of `agent.api_key_env`. */
function findCliModels({ runner, author, agent }: RunnerSettings): readonly string[] {
  if (agent === null) return [];
  const roles = [
    ...(runner === 'claude-code' ? ['reviewer' as const] : []),
    ...(author?.enabled === true && author.agent === 'claude-code' ? ['author' as const] : []),
  ];
  return [...new Set(roles.flatMap((role) => chainOf(agent, role)))]
    .filter((model) => findModel(agent, model).provider !== null)
    .map(
      (model) => `agent.reviewer.model: ${model} is a model of an [[agent.provider]], which "claude-code" cannot call`,
    );
}

const findCageProblems = ({ author, sandbox }: Pick<SettingsFile, 'author' | 'sandbox'>): readonly string[] =>
  author.enabled && author.caged && sandbox.backend === 'none'
    ? ['author.caged: expected false, because sandbox.backend is "none"']
    : [];

/** The forge sends browsers back to the page, so it must know its address. */
export const findLoginProblems = (
  { login, publicUrl }: SettingsFile['console'],
  forgeIds: ReadonlySet<string>,
): readonly string[] => {
  if (login === null) return [];
  return [
    ...(forgeIds.has(login.forge) ? [] : ['console.login.forge: expected the id of a [[forge]]']),
    ...(publicUrl === null ? ['console.public_url: is missing; set it, because console.login is set'] : []),
  ];
};

export const findRunnerProblems = (settings: RunnerSettings): readonly string[] => [
  ...findMissingPrograms(settings),
  ...findCliModels(settings),
];

export const findTableProblems = (
  settings: Pick<SettingsFile, 'author' | 'sandbox' | 'review' | 'messages'>,
): readonly string[] => [
  ...(settings.review.runner === 'messages' ? findReviewerProblems(settings.messages) : []),
  ...findCageProblems(settings),
];

/** Projects whose reviews could only fail, because no external program is their reviewer. */
export const findUnreviewedProjects = (file: SettingsFile): readonly string[] =>
  findUnreviewed({
    forges: file.forge,
    sections: file.project,
    client: file.messages.client,
    isReviewedOutside: (project) => effectiveSettings(file, project).settings.review.runner === 'messages',
  });

/** An analyzer that applies to a project, by its setting, such as `project[0].analyzer[1].from`. */
type Applied = { readonly setting: string; readonly isServed: boolean };

const appliedIn = (file: SettingsFile): readonly Applied[] => {
  const own = [file, ...file.project].flatMap(({ analyzer = [] }) => analyzer.filter(isFromCi));
  // An analyzer with its own patterns may apply to projects that no section distinguishes.
  const patterns = own.flatMap(({ projects }) => (projects.length === 0 ? [] : [{ match: projects, forge: null }]));
  const serving = new Set(file.forge.flatMap(({ id, kind }) => (factsOf(kind).ciArtifacts ? [id] : [])));
  return exampleProjects(file.forge, [...file.project, ...patterns]).flatMap((project) => {
    const { settings, origins } = effectiveSettings(file, project);
    const section = origins.get('analyzer');
    const table = section === undefined ? 'analyzer' : `project[${section}].analyzer`;
    return analyzersFor(settings.analyzer.filter(isFromCi), project.path).map((analyzer) => ({
      setting: `${table}[${settings.analyzer.indexOf(analyzer)}].from`,
      isServed: serving.has(project.forge),
    }));
  });
};

/** A report of a CI job is fetched from the forge of the project, so at least one project must be on a forge that serves it. */
export const findCiReportProblems = (file: SettingsFile): readonly string[] => {
  const applied = appliedIn(file);
  const served = new Set(applied.flatMap(({ setting, isServed }) => (isServed ? [setting] : [])));
  const unserved = new Set(applied.flatMap(({ setting }) => (served.has(setting) ? [] : [setting])));
  return [...unserved].map(
    (setting) =>
      `${setting}: "ci-artifact" needs a project on ${nameAble('ciArtifacts')}, because other forges serve no reports of CI jobs`,
  );
};

export type SectionMistake = {
  /** The setting, such as `project[0].rounds.max`. */
  readonly setting: string;
  readonly problem: string;
  /** Another setting that the problem is about; null if there is none. */
  readonly other: string | null;
};

type Combination = Merged<SettingsFile> & { readonly last: number };

const combinationsOf = (file: SettingsFile): readonly Combination[] =>
  reachableCombinations(file.forge, file.project).flatMap((indexes) => {
    const last = indexes.at(-1);
    return last === undefined ? [] : [{ ...mergedSettings(file, indexes), last }];
  });

/** The section that set the value; otherwise a section that set a value beside it, otherwise the last one. */
const sectionBehind = ({ origins, last }: Combination, path: readonly PropertyKey[]): number => {
  const names = path.map(String);
  for (let length = names.length; length > 0; length -= 1) {
    const prefix = names.slice(0, length).join('.');
    const found = [...origins].findLast(([name]) => name === prefix || name.startsWith(`${prefix}.`));
    if (found !== undefined) return found[1];
  }
  return last;
};

/** Each table can be valid while the sections of one project together are not: more rounds than runs, for example. */
const findInvalid = (combination: Combination): readonly SectionMistake[] => {
  const { data, error } = SettingsFile.safeParse({ ...combination.settings, project: [] });
  return data !== undefined
    ? []
    : error.issues.flatMap((issue: z.core.$ZodIssue) => {
        const at = [`project[${sectionBehind(combination, issue.path)}]`, settingPath(issue.path)].join('.');
        return describeIssue(issue).map((text) => ({
          setting: at,
          problem: text.replace(/^[^:]*: /, ''),
          other: null,
        }));
      });
};

/** Problems between tables that the settings of the installation do not have. */
const findNewProblems = (file: SettingsFile, { settings, last }: Combination): readonly SectionMistake[] => {
  const problemsOf = (of: SettingsFile): readonly string[] => [
    ...findRunnerProblems({ ...of, runner: of.review.runner }),
    ...findTableProblems(of),
  ];
  const known = problemsOf(file);
  return problemsOf(settings)
    .filter((problem) => !known.includes(problem))
    .map((problem) => ({ setting: `project[${last}]`, problem, other: null }));
};

export const findSectionMistakes = (file: SettingsFile): readonly SectionMistake[] => {
  if (file.project.length === 0) return [];
  const asSetting = (index: number, at: readonly PropertyKey[]): string => settingPath(['project', index, ...at]);
  const problems = findSectionProblems(file.forge, file.project.map(sectionOf)).map(
    ({ index, at, problem, other }) => ({
      setting: asSetting(index, at),
      problem,
      other: other === undefined ? null : asSetting(other, at),
    }),
  );
  const combined = combinationsOf(file).flatMap((each) => [...findInvalid(each), ...findNewProblems(file, each)]);
  return [...new Map([...problems, ...combined].map((each) => [`${each.setting} ${each.problem}`, each])).values()];
};
