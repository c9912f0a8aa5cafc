import { parseProjectScope } from '../../../shared/config/projects/project-scope.ts';
import { factsOf } from '../../../shared/forge/kinds/forge-kind.ts';
import type { HookOwner, ProjectPlace } from '../../../shared/forge/port-listing.ts';
import type { Project } from '../../../shared/forge/port-facts.ts';
import { UsageError } from '../terminal/usage-error.ts';
import type { Connected } from './connect-setup.ts';
import type { HookPlace, MemberPlace } from './plan/facts.ts';

/** Maximum number of webhooks. Each project or group has its own webhook and needs about three requests. */
const MAX_PLACES = 100;

export type SetupPlaces = { readonly places: readonly HookPlace[]; readonly members: readonly MemberPlace[] };

type Found = { readonly hooks: readonly HookPlace[]; readonly owners: readonly HookOwner[] };

/** @throws `USAGE` for a project or group that does not exist or is not visible, and for too many projects */
export const readPlaces = async (
  connected: Connected,
  patterns: readonly string[],
  signal: AbortSignal,
): Promise<SetupPlaces> => {
  const { all, groups, paths } = parseProjectScope(patterns);
  const found: Found[] = [];
  for (const path of paths) found.push(await placeOfProject(connected, path, signal));
  for (const path of groups) found.push(await placesOfGroup(connected, path, signal));
  if (all) found.push(await eachProject(connected, { kind: 'member' }, signal));
  const members: MemberPlace[] = [];
  for (const owner of found.flatMap(({ owners }) => owners)) {
    const standing = await connected.administration.fetchStanding(owner, connected.bot, signal);
    members.push({ owner, standing });
  }
  return { places: found.flatMap(({ hooks }) => hooks), members };
};

const placeOfProject = async (connected: Connected, path: string, signal: AbortSignal): Promise<Found> => {
  const project = await connected.admin.read.findProject(path, signal);
  if (project !== null) return placeOf(connected, project, signal);
  throw new UsageError(
    `${path} does not exist, or is not visible to the token in ${connected.adminTokenEnv}; check the spelling and the account`,
  );
};

const placeOf = async (connected: Connected, project: Project, signal: AbortSignal): Promise<Found> => {
  const owner: HookOwner = { kind: 'project', project: { id: project.id, path: project.path } };
  if (project.unusable !== null)
    return { hooks: [{ owner, listed: { kind: 'forbidden' }, unusable: project.unusable }], owners: [] };
  const listed = await connected.administration.listHooks(owner, signal);
  // Every project can have webhooks, so they are either listed or not visible to the token.
  const seen = listed.kind === 'none' ? { kind: 'forbidden' as const } : listed;
  return { hooks: [{ owner, listed: seen, unusable: null }], owners: [owner] };
};

/** Plans one webhook for the whole group if that is possible and the token may create it, otherwise one per project. */
const placesOfGroup = async (connected: Connected, path: string, signal: AbortSignal): Promise<Found> => {
  const { administration } = connected;
  const owner: HookOwner = { kind: 'group', path };
  const listed = await administration.listHooks(owner, signal);
  const each = await eachProject(connected, owner, signal);
  const owners = administration.groupsHaveMembers && listed.kind === 'hooks' ? [owner] : each.owners;
  return listed.kind === 'hooks' ? { hooks: [{ owner, listed, unusable: null }], owners } : each;
};

const eachProject = async (connected: Connected, place: ProjectPlace, signal: AbortSignal): Promise<Found> => {
  const found: Found[] = [];
  const name = place.kind === 'group' ? `${place.path}/*` : '*';
  for (let page = 1, last = false; !last; page += 1) {
    const answer = await connected.admin.read.readProjectPage(place, page, signal);
    if (answer === null)
      throw new UsageError(`${name}: the group does not exist, or is not visible; check the spelling`);
    ({ last } = answer);
    for (const { path } of answer.projects) {
      if (found.length >= MAX_PLACES) throw new UsageError(tooMany(connected, name));
      found.push(await placeOfProject(connected, path, signal));
    }
  }
  if (found.length === 0) throw new UsageError(`${name}: the token cannot see any project; name the projects`);
  return { hooks: found.flatMap(({ hooks }) => hooks), owners: found.flatMap(({ owners }) => owners) };
};

const tooMany = ({ kind }: Connected, name: string): string =>
  `${name} has more than ${MAX_PLACES} projects: name fewer, or use the token of an owner, so that one webhook of the ` +
  `${factsOf(kind).nestedGroups ? 'group' : 'organisation'} covers all`;
