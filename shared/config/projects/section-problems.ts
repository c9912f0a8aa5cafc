/** Finds sections that cannot mean what they say: unknown forges, patterns without a project, contradictions, values without an effect. */
import { isDeepStrictEqual } from 'node:util';
import { exampleProjects, isMatch, type Match, matchingSections, type ServedForge } from './matching.ts';
import { leavesOf } from './merge-sections.ts';

export type Section = Match & { readonly values: Readonly<Record<string, unknown>> };

/** `at`: keys below `project[index]`, as the schema names them; empty for the whole section. */
export type SectionProblem = {
  readonly index: number;
  readonly at: readonly PropertyKey[];
  readonly problem: string;
  /** Another section that the problem is about. */
  readonly other?: number;
};

const patternsOf = ({ match }: Match): readonly string[] =>
  match.map((each) => each.toLowerCase().replace(/\*\*$/, '*'));

const findUnknownForges = (forges: readonly ServedForge[], sections: readonly Section[]): readonly SectionProblem[] =>
  sections.flatMap(({ forge }, index) =>
    forge === null || forges.some(({ id }) => id === forge)
      ? []
      : [{ index, at: ['forge'], problem: 'expected the id of a [[forge]]' }],
  );

/** A pattern that matches no project of its forges is a typing mistake or belongs to a project that is no longer served. */
export const findIdlePatterns = (
  forges: readonly ServedForge[],
  sections: readonly Section[],
): readonly SectionProblem[] => {
  const examples = exampleProjects(forges, sections);
  return sections.flatMap(({ match, forge }, index) =>
    match.flatMap((pattern, number) =>
      examples.some((project) => isMatch({ match: [pattern], forge }, project))
        ? []
        : [
            {
              index,
              at: ['match', number],
              problem: 'matches no project in the projects of any [[forge]] that it is for',
            },
          ],
    ),
  );
};

const sharePattern = (one: Section, other: Section): boolean =>
  patternsOf(one).some((pattern) => patternsOf(other).includes(pattern));

const shareForge = (one: Section, other: Section): boolean =>
  one.forge === null || other.forge === null || one.forge === other.forge;

/** The last section wins, but two values for the same pattern are probably a mistake. */
export const findContradictions = (
  sections: readonly Section[],
  areAlike: (one: Section, other: Section) => boolean = shareForge,
): readonly SectionProblem[] =>
  sections.flatMap((section, index) =>
    leavesOf(section.values).flatMap(({ path, value }): readonly SectionProblem[] => {
      const other = sections.findIndex(
        (earlier, number) =>
          number < index &&
          areAlike(earlier, section) &&
          sharePattern(earlier, section) &&
          leavesOf(earlier.values).some((leaf) => leaf.path === path && !isDeepStrictEqual(leaf.value, value)),
      );
      if (other === -1) return [];
      const problem = 'has another value in an earlier section with the same pattern';
      return [{ index, at: path.split('.'), problem, other }];
    }),
  );

/** A value that later sections replace in every project, as when the more general pattern comes last. */
export const findHidden = (forges: readonly ServedForge[], sections: readonly Section[]): readonly SectionProblem[] => {
  const matches = exampleProjects(forges, sections).map((project) => matchingSections(sections, project));
  const leaves = sections.map(({ values }) => new Map(leavesOf(values).map(({ path, value }) => [path, value])));
  return sections.flatMap((_, index) => {
    const own = matches.filter((indexes) => indexes.includes(index));
    if (own.length === 0) return [];
    return [...(leaves[index] ?? [])].flatMap(([path, value]): readonly SectionProblem[] => {
      const winners = own.map((indexes) => indexes.findLast((each) => leaves[each]?.has(path) === true) ?? index);
      const other = winners.find((winner) => !isDeepStrictEqual(leaves[winner]?.get(path), value));
      if (other === undefined || winners.includes(index)) return [];
      const problem =
        'has no effect, because later sections set it for the same projects; put the more general section first';
      return [{ index, at: path.split('.'), problem, other }];
    });
  });
};

export const findSectionProblems = (
  forges: readonly ServedForge[],
  sections: readonly Section[],
): readonly SectionProblem[] => {
  const contradictions = findContradictions(sections);
  const isNamed = ({ index, at, other }: SectionProblem): boolean =>
    contradictions.some((each) => each.other === index && each.index === other && each.at.join('.') === at.join('.'));
  return [
    ...findUnknownForges(forges, sections),
    ...findIdlePatterns(forges, sections),
    ...contradictions,
    ...findHidden(forges, sections).filter((hidden) => !isNamed(hidden)),
  ];
};
