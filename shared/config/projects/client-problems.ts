/** Finds external programs that cannot mean what they say: unknown forges, equal names, patterns without a project, two reviewers. */
import { exampleProjects, isMatch, type Match, type ServedForge } from './matching.ts';
import { type NamedClient, reaches } from './message-reach.ts';
import { findContradictions, findHidden, findIdlePatterns, type Section } from './section-problems.ts';

type Client = NamedClient & { readonly tokenEnv: string | null; readonly folder: string | null };

type Messages = { readonly name: string; readonly client: readonly Client[] };

const at = (index: number): string => `messages.client[${index}]`;

/** A client has either the id of a project or patterns. */
const findReachProblems = (
  { forge, projectId, match }: NamedClient,
  index: number,
  forges: readonly ServedForge[],
): readonly string[] => [
  ...(forge !== null && !forges.some(({ id }) => id === forge)
    ? [`${at(index)}.forge: expected the id of a [[forge]]`]
    : []),
  ...(projectId === null && match === null ? [`${at(index)}: expected project_id or match`] : []),
  ...(projectId !== null && match !== null ? [`${at(index)}: expected project_id or match, not both`] : []),
  ...(projectId !== null && forge === null
    ? [`${at(index)}.forge: is missing; project_id is an id of this forge`]
    : []),
];

/** A name may be used again only in another project. The one mailbox of a client with patterns is found by its name alone. */
const mayMeet = (one: NamedClient, other: NamedClient): boolean =>
  one.match !== null || other.match !== null || (one.forge === other.forge && one.projectId === other.projectId);

/** Checks clients against the whole configuration: unknown forges, duplicate names, shared folders. */
export const findClientProblems = (
  { client, name: ownName }: Messages,
  forges: readonly ServedForge[],
): readonly string[] => [
  ...client.flatMap((each, index) => {
    const { name, tokenEnv, folder } = each;
    const earlier = client.slice(0, index);
    const namesake = earlier.find((other) => other.name === name && mayMeet(other, each));
    const isShared = folder !== null && earlier.some((other) => other.folder === folder);
    const repeated =
      each.match === null && namesake?.match === null
        ? 'another client of this project has this name; names must be unique'
        : 'another client has this name; a client with match needs a name of its own';
    return [
      ...findReachProblems(each, index, forges),
      ...(namesake !== undefined ? [`${at(index)}.name: ${repeated}`] : []),
      ...(name === ownName ? [`${at(index)}.name: equals messages.name; choose another name`] : []),
      ...(isShared ? [`${at(index)}.folder: another client uses this folder; each client needs its own`] : []),
      ...(tokenEnv === null && folder === null ? [`${at(index)}: expected token_env or folder`] : []),
    ];
  }),
  ...findPatternProblems(client, forges),
  ...findHiddenIds(client, forges),
];

type Numbered = Section & { readonly number: number };

/** Clients as sections of projects: a reviewer sets who reviews, an author sets nothing. */
const asSections = (client: readonly NamedClient[]): readonly Numbered[] =>
  client.flatMap(({ match, forge, role, name }, number) =>
    match === null ? [] : [{ match, forge, number, values: role === 'reviewer' ? { reviewer: name } : {} }],
  );

/** A reviewer by the id of a project has no effect if later reviewers take every project of its forge. */
const findHiddenIds = (client: readonly NamedClient[], forges: readonly ServedForge[]): readonly string[] =>
  client.flatMap(({ role, match, forge }, index) => {
    if (role !== 'reviewer' || match !== null) return [];
    const later = asSections(client).filter(({ number, values }) => number > index && 'reviewer' in values);
    const own = forges.filter(({ id }) => id === forge);
    const winners = exampleProjects(own, later).map((project) => later.findLast((each) => isMatch(each, project)));
    const [other] = winners;
    return other === undefined || winners.includes(undefined)
      ? []
      : [
          `${at(index)}.project_id: has no effect, because later reviewers take all projects of its forge (${at(other.number)}); put the more general one first`,
        ];
  });

const findPatternProblems = (client: readonly NamedClient[], forges: readonly ServedForge[]): readonly string[] => {
  const sections = asSections(client);
  const numberOf = (index: number | undefined): number => sections[index ?? -1]?.number ?? 0;
  // The same patterns on one forge only are more special, so a reviewer of one forge may follow a general one.
  const contradictions = findContradictions(sections, (one, other) => one.forge === other.forge);
  const hidden = findHidden(forges, sections).filter(
    ({ index, other }) => !contradictions.some((each) => each.other === index && each.index === other),
  );
  return [
    ...findIdlePatterns(forges, sections).map(
      ({ index, at: [, number], problem }) => `${at(numberOf(index))}.match[${String(number)}]: ${problem}`,
    ),
    ...contradictions.map(
      ({ index, other }) =>
        `${at(numberOf(index))}.match: an earlier reviewer has the same pattern (${at(numberOf(other))}); a project has one reviewer`,
    ),
    ...hidden.map(
      ({ index, other }) =>
        `${at(numberOf(index))}.match: has no effect, because later reviewers take all its projects (${at(numberOf(other))}); put the more general one first`,
    ),
  ];
};

/** If `review.runner = "messages"`, a project may have at most one external reviewer by its id, whose verdict counts. */
export const findReviewerProblems = ({ client }: Messages): readonly string[] => {
  if (!client.some(({ role }) => role === 'reviewer'))
    return ['review.runner: is "messages"; expected a [[messages.client]] with the role "reviewer"'];
  return client.flatMap((each, index) => {
    if (each.role !== 'reviewer' || each.match !== null) return [];
    const isSecond = client
      .slice(0, index)
      .some(
        ({ role, match, forge, projectId }) =>
          role === 'reviewer' && match === null && forge === each.forge && projectId === each.projectId,
      );
    return isSecond ? [`${at(index)}.role: this project already has a reviewer; only one is allowed`] : [];
  });
};

export type ReviewedOutside = {
  readonly forges: readonly ServedForge[];
  readonly sections: readonly Match[];
  readonly client: readonly NamedClient[];
  /** Whether the settings of a project say that an external program reviews. */
  readonly isReviewedOutside: (project: { readonly forge: string; readonly path: string }) => boolean;
};

/** A project whose reviewer is known by its id cannot be told from one without a reviewer, so its forge is left out. */
export const findUnreviewed = ({ forges, sections, client, isReviewedOutside }: ReviewedOutside): readonly string[] => {
  const reviewers = client.filter(({ role }) => role === 'reviewer');
  const patterns = asSections(reviewers);
  if (patterns.length === 0) return [];
  const unknown = new Set(reviewers.flatMap(({ match, forge }) => (match === null ? [forge] : [])));
  const found = exampleProjects(forges, [...sections, ...patterns]).find(
    ({ forge, path }) =>
      !unknown.has(forge) &&
      isReviewedOutside({ forge, path }) &&
      !reviewers.some((each) => reaches({ forges }, each, { forge, path, projectId: 0 })),
  );
  if (found === undefined) return [];
  const name = `${found.forge}/${found.path.replaceAll('\u0000', '*')}`;
  return [
    `review.runner: is "messages" for ${name}, which no [[messages.client]] with the role "reviewer" matches; set another runner there in a [[project]]`,
  ];
};
