import type { ForgeSettings } from '../../../shared/config/forge-settings.ts';
import { parseProjectScope } from '../../../shared/config/projects/project-scope.ts';
import { demand, type ForgeSecrets } from '../../../shared/config/secrets.ts';
import { connectForge } from '../../../shared/forge/kinds/connect.ts';
import type { ConnectOptions } from '../../../shared/forge/kinds/connect.ts';
import { DIALECTS } from '../../../shared/forge/kinds/forge-kind.ts';
import { openGreeting } from '../../../shared/forge/kinds/greet.ts';
import type { HookOwner, ProjectPlace } from '../../../shared/forge/port-listing.ts';
import type { Forge } from '../../../shared/forge/port.ts';
import { probeWriting } from '../../../shared/forge/kinds/probe-writing.ts';
import type { CalledPeople } from './called-people.ts';
import type { ProjectRef } from '../../../shared/forge/port-facts.ts';
import type { AppError } from '../../../shared/errors.ts';
import { fail, ok, type Seen } from './check.ts';
import { lookAtProject } from './forge-project.ts';
import { lookWithin } from './look-within.ts';

/** Each project needs about ten requests. */
const MAX_PROJECTS = 20;
const AT_ONCE = 4;
/** A project of GitLab with many open merge requests needs up to 35 requests. */
const PROJECT_MS = 60_000;

/** The longest time that the projects of a forge can take. */
export const ALL_PROJECTS_MS = Math.ceil(MAX_PROJECTS / AT_ONCE) * PROJECT_MS;

type Wish = {
  readonly settings: ForgeSettings;
  readonly secrets: ForgeSecrets;
  readonly transport: Pick<ConnectOptions, 'ca' | 'proxy' | 'timeouts' | 'retry'>;
  /** True if a test must show whether the posting token may write. Only GitLab reports this without a test. */
  readonly probes: boolean;
  readonly scopeFix: string;
  readonly called: (path: string) => CalledPeople;
  readonly programs: (project: ProjectRef) => readonly Seen[];
  /** Contract: describes a failed call in words. */
  readonly failed: (error: AppError) => Seen;
};

export const lookAtProjects = async (wish: Wish, signal: AbortSignal): Promise<readonly Seen[]> => {
  const { settings, secrets, transport, probes, scopeFix, called, programs, failed } = wish;
  const { id, kind, baseUrl } = settings;
  const postToken = demand(secrets.postToken, 'post_token');
  const open = async (token: string) => connectForge({ id, kind, baseUrl, token, ...transport }, signal);
  const reading = await open(demand(secrets.readToken, 'read_token'));
  const writing = await open(postToken);
  const bot = await writing.read.fetchSelf(signal);
  const { readMergeSettings, accountNote } = DIALECTS[kind];
  const greeted = { id, kind, baseUrl, token: postToken, ...transport };
  const looking = {
    settings,
    reading,
    writing,
    bot,
    scopeFix,
    called,
    programs,
    askHooks: askOnce(reading, signal),
    probe: async (project: ProjectRef, limited: AbortSignal) => (probes ? probeWriting(greeted, project, limited) : []),
    readMergeSettings:
      readMergeSettings === null
        ? null
        : async (projectId: number, limited: AbortSignal) =>
            readMergeSettings(openGreeting(greeted), projectId, limited),
  };
  const { paths, seen } = await choose(reading, settings.projects, signal);
  const looked: Seen[] = [];
  for (let at = 0; at < paths.length; at += AT_ONCE) {
    const some = paths
      .slice(at, at + AT_ONCE)
      .map(async (path) =>
        lookWithin(
          { name: path, ms: PROJECT_MS, failed },
          async (note, limited) => lookAtProject(looking, { path, note }, limited),
          signal,
        ),
      );
    looked.push(...(await Promise.all(some)).flat());
  }
  return [ok(`the bot is ${bot.login} (id ${bot.id})${accountNote(bot.login)}`), ...seen, ...looked];
};

/** Caches webhooks by group, because projects of one group share them. */
const askOnce = (reading: Forge, signal: AbortSignal) => {
  const asked = new Map<string, ReturnType<Forge['read']['fetchHooks']>>();
  return async (owner: HookOwner) => {
    if (owner.kind === 'project') return reading.read.fetchHooks(owner, signal);
    const answer = asked.get(owner.path) ?? reading.read.fetchHooks(owner, signal);
    asked.set(owner.path, answer);
    return answer;
  };
};

type Chosen = { readonly paths: readonly string[]; readonly seen: readonly Seen[] };

const choose = async (reading: Forge, patterns: readonly string[], signal: AbortSignal): Promise<Chosen> => {
  const { all, groups, paths } = parseProjectScope(patterns);
  const places: readonly (readonly [pattern: string, place: ProjectPlace])[] = [
    ...groups.map((path) => [`${path}/*`, { kind: 'group', path }] as const),
    ...(all ? ([['*', { kind: 'member' }]] as const) : []),
  ];
  const found: string[] = [...paths];
  const seen: Seen[] = [];
  let isWhole = true;
  for (const [pattern, place] of places) {
    const page = await reading.read.readProjectPage(place, 1, signal);
    const listed = page?.projects.map(({ path }) => path.toLowerCase()) ?? [];
    if (listed.length === 0) seen.push(findsNothing(pattern, page === null));
    found.push(...listed);
    isWhole &&= page?.last !== false;
  }
  const chosen = [...new Set(found)];
  const some = chosen.slice(0, MAX_PROJECTS);
  if (chosen.length > MAX_PROJECTS || !isWhole) {
    seen.push(ok(`the setting projects matches more projects than this command checks: it checks only ${some.length}`));
  }
  return { paths: some, seen };
};

const findsNothing = (pattern: string, isGone: boolean): Seen =>
  fail(
    isGone
      ? `projects: ${pattern} matches nothing: the group does not exist, or is not visible to the account`
      : `projects: ${pattern} matches no project in which the account can review`,
    'check the spelling, and add the bot to the group or to its projects',
  );
