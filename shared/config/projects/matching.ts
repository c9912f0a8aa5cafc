/** Finds the sections that apply to a project, and which combinations of sections any project can have. */
import { inScope, parseProjectScope } from './project-scope.ts';

export type Match = { readonly match: readonly string[]; readonly forge: string | null };

export type ProjectName = { readonly forge: string; readonly path: string };

export const isMatch = ({ match, forge }: Match, project: ProjectName): boolean =>
  (forge === null || forge === project.forge) && inScope(parseProjectScope(match), project.path);

/** The indexes of the sections that apply, in the order of the file. */
export const matchingSections = (sections: readonly Match[], project: ProjectName): readonly number[] =>
  sections.flatMap((section, index) => (isMatch(section, project) ? [index] : []));

export type ServedForge = { readonly id: string; readonly projects: readonly string[] };

/** No pattern can name this project, because a pattern cannot contain this character. */
const UNNAMED = '\u0000';

const exampleOf = (pattern: string): string => pattern.toLowerCase().replace(/\*{1,2}$/, UNNAMED);

/**
 * One project for each combination of sections that a served project can have. Patterns are names or prefixes, so the
 * sections of any project are those of the longest pattern that matches it.
 */
export const exampleProjects = (forges: readonly ServedForge[], sections: readonly Match[]): readonly ProjectName[] =>
  forges.flatMap(({ id, projects }) => {
    const scope = parseProjectScope(projects);
    const own = sections.filter(({ forge }) => forge === null || forge === id);
    const patterns = [...projects, ...own.flatMap(({ match }) => match)];
    const paths = [...new Set(patterns.map(exampleOf))];
    return paths.filter((path) => inScope(scope, path)).map((path) => ({ forge: id, path }));
  });

/** The distinct combinations of sections that served projects can have, the empty one included. */
export const reachableCombinations = (
  forges: readonly ServedForge[],
  sections: readonly Match[],
): readonly (readonly number[])[] => {
  const found = exampleProjects(forges, sections).map((project) => matchingSections(sections, project));
  return [...new Map(found.map((indexes) => [indexes.join(' '), indexes])).values()];
};
