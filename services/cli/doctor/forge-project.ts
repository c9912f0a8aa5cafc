/** One project of a forge: seen, written to, and heard from. */
import type { ForgeSettings } from '../../../shared/config/forge-settings.ts';
import type { Hook, HookOwner } from '../../../shared/forge/port-listing.ts';
import type { Account, Permission, Project, ProjectRef } from '../../../shared/forge/port-facts.ts';
import type { Forge } from '../../../shared/forge/port.ts';
import type { WriteRefusal } from '../../../shared/forge/kinds/probe-writing.ts';
import type { MergeSettings } from '../../../shared/forge/kinds/dialect.ts';
import { findHookHealth } from '../../guard/sweep/sweep-hooks.ts';
import { FORGE_FACTS } from '../../../shared/vocabulary/forge-kind.ts';
import { fail, ok, type Seen, warn } from './check.ts';
import { gateSeen } from './forge-gate.ts';
import { mergeSettingsSeen } from './merge-settings.ts';

type Looking = {
  readonly settings: ForgeSettings;
  readonly reading: Forge;
  readonly writing: Forge;
  readonly bot: Account;
  readonly scopeFix: string;
  readonly askHooks: (owner: HookOwner) => Promise<readonly Hook[] | null>;
  readonly probe: (project: ProjectRef) => Promise<readonly WriteRefusal[]>;
  /** Null: this kind of forge has no such settings. */
  readonly readMergeSettings: ((projectId: number) => Promise<MergeSettings>) | null;
};

export const lookAtProject = async (looking: Looking, path: string, signal: AbortSignal): Promise<readonly Seen[]> => {
  const { settings, reading, writing, bot, scopeFix } = looking;
  const project = await reading.read.findProject(path, signal);
  if (project === null) {
    return [
      fail(
        `${path} is not there, or the account may not see it`,
        'add the bot to the project, or take it out of forge.projects',
      ),
    ];
  }
  // Nothing can be written there, so that nothing else can be told.
  if (project.unusable !== null) return [unusableSeen(path, project.unusable, settings.kind)];
  const permission = await writing.read.fetchPermission(project.id, bot, signal);
  const ref = { id: project.id, path: project.path };
  return [
    ...accessSeen(path, permission, settings.kind),
    ...refusedSeen(path, await looking.probe(ref), scopeFix),
    ...(looking.readMergeSettings === null || !MAY_SET_STATUS.has(permission)
      ? []
      : mergeSettingsSeen(path, await looking.readMergeSettings(project.id))),
    ...(await hooksSeen(looking, ref)),
    ...(looking.readMergeSettings === null ? [] : await gateSeen(looking, ref, signal)),
  ];
};

const MAY_SET_STATUS: ReadonlySet<Permission> = new Set(['write', 'admin']);

const unusableSeen = (path: string, why: NonNullable<Project['unusable']>, kind: ForgeSettings['kind']): Seen => {
  const what = FORGE_FACTS[kind].changeRequests;
  return why === 'archived'
    ? fail(`${path} is archived, so nothing can be posted`, 'unarchive it, or take it out of forge.projects')
    : fail(`${path} has its ${what} switched off`, 'switch them on in its settings, or take it out of forge.projects');
};

const accessSeen = (
  path: string,
  permission: Awaited<ReturnType<Forge['read']['fetchPermission']>>,
  kind: ForgeSettings['kind'],
): readonly Seen[] => {
  if (permission === 'admin') return [ok(`${path}: the bot may write and ask for permissions`)];
  if (permission !== 'write') {
    return [
      fail(
        `${path}: the bot has the permission "${permission}", so no status can be set`,
        FORGE_FACTS[kind].grantWriting,
      ),
    ];
  }
  if (!FORGE_FACTS[kind].hidesFromWriters) return [ok(`${path}: the bot may write`)];
  return [
    warn(
      `${path}: the bot is no admin of it, so who may command is told by the list of assignees, and webhooks stay hidden`,
      'make the bot an administrator of the project if its commanders are not recognised',
    ),
  ];
};

const refusedSeen = (path: string, refusals: readonly WriteRefusal[], fix: string): readonly Seen[] =>
  refusals.map(({ what, explanation }) =>
    fail(`${path}: the posting token may not ${what}${explanation === null ? '' : ` (it says: ${explanation})`}`, fix),
  );

/** Without these the bot hears of neither changes nor words; the others are only late. */
const NEEDED: ReadonlySet<string> = new Set([
  'pull_request',
  'pull_request_sync',
  'pull_request_comment',
  'merge_requests_events',
  'note_events',
]);

const hooksSeen = async (
  { settings, askHooks }: Pick<Looking, 'settings' | 'askHooks'>,
  project: ProjectRef,
): Promise<readonly Seen[]> => {
  const own = await askHooks({ kind: 'project', project });
  if (own === null) return [];
  const ask = async (owner: HookOwner) => (owner.kind === 'project' ? own : askHooks(owner));
  const { health, lacks } = await findHookHealth(settings.id, project, ask);
  const { path } = project;
  switch (health) {
    case 'working':
      return [ok(`${path}: its webhook leads here`)];
    case 'disabled':
      return [fail(`${path}: its webhook is switched off`, 'switch it on in Settings, Webhooks, and send a test')];
    case 'unfit':
      return [fail(`${path}: its webhook leads here, but ${lacks.join('; ')}`, 'correct it in Settings, Webhooks')];
    case 'partial': {
      const text = `${path}: its webhook leads here without the events ${lacks.join(', ')}, which wait for the sweep`;
      const fix = 'tick them in Settings, Webhooks; deploy/guide/quickstart.md lists the events';
      return [lacks.some((event) => NEEDED.has(event)) ? fail(text, fix) : warn(text, fix)];
    }
    case 'missing':
    case 'hidden': {
      const fix = `add a webhook to the path /webhooks/${settings.id} of the ingress, unless one of a group or of the whole forge leads there`;
      return [warn(`${path}: no webhook of its own leads here, so events wait for the sweep`, fix)];
    }
    default:
      return health satisfies never;
  }
};
