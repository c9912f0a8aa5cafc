/** Decides which external programs belong to a project. */
import { isMatch, type ServedForge } from './matching.ts';
import { inScope, parseProjectScope } from './project-scope.ts';

/** Exactly one of `projectId` and `match` is set. */
export type ClientReach = {
  /** Null, only with `match`: every forge. */
  readonly forge: string | null;
  readonly projectId: number | null;
  readonly match: readonly string[] | null;
};

export type NamedClient = ClientReach & { readonly name: string; readonly role: 'author' | 'reviewer' };

export type ReachedProject = {
  readonly forge: string;
  readonly projectId: number;
  /** The project's path as guard last read it from the forge. Null if it is unknown; then no pattern matches. */
  readonly path: string | null;
};

/** What the functions here need of the settings. */
export type WithClients = {
  readonly messages: { readonly client: readonly NamedClient[] };
  readonly forges: readonly ServedForge[];
};

/** A pattern never reaches a project that its forge does not serve (any more). */
export const reaches = (
  { forges }: Pick<WithClients, 'forges'>,
  { forge, projectId, match }: ClientReach,
  project: ReachedProject,
): boolean => {
  if (match === null) return forge === project.forge && projectId === project.projectId;
  const { path } = project;
  const served = forges.find(({ id }) => id === project.forge);
  if (path === null || served === undefined) return false;
  return inScope(parseProjectScope(served.projects), path) && isMatch({ match, forge }, { forge: project.forge, path });
};

const namesOf = (settings: WithClients, project: ReachedProject, wanted: NamedClient['role']): readonly string[] => [
  ...new Set(
    settings.messages.client
      .filter((client) => client.role === wanted && reaches(settings, client, project))
      .map(({ name }) => name),
  ),
];

/** Every author of the project gets its verdicts. */
export const authorsFor = (settings: WithClients, project: ReachedProject): readonly string[] =>
  namesOf(settings, project, 'author');

/** One reviewer's verdict counts: that of the last client in the file. Null if the project has none. */
export const reviewerFor = (settings: WithClients, project: ReachedProject): string | null =>
  namesOf(settings, project, 'reviewer').at(-1) ?? null;

/** The projects of clients with patterns are known by their paths, which must therefore be stored. */
export const needsPaths = ({ messages }: Pick<WithClients, 'messages'>): boolean =>
  messages.client.some(({ match }) => match !== null);
