import type { ForgeSettings } from '../../../shared/config/forge-settings.ts';
import type { Hook, HookOwner } from '../../../shared/forge/port-listing.ts';
import type { Account, Permission, Project, ProjectRef } from '../../../shared/forge/port-facts.ts';
import type { Forge } from '../../../shared/forge/port.ts';
import type { WriteRefusal } from '../../../shared/forge/kinds/probe-writing.ts';
import type { MergeSettings } from '../../../shared/forge/dialect/dialect.ts';
import { findHookHealth } from '../../guard/sweep/sweep-hooks.ts';
import { factsOf } from '../../../shared/forge/kinds/forge-kind.ts';
import { fail, ok, type Seen, warn } from './check.ts';
import { type CalledPeople, calledPeopleSeen } from './called-people.ts';
import { gateSeen } from './forge-gate.ts';
import { mergeSettingsSeen } from './merge-settings.ts';

type Looking = {
  readonly settings: ForgeSettings;
  readonly reading: Forge;
  readonly writing: Forge;
  readonly bot: Account;
  readonly scopeFix: string;
  readonly called: (path: string) => CalledPeople;
  readonly programs: (project: ProjectRef) => readonly Seen[];
  readonly askHooks: (owner: HookOwner) => Promise<readonly Hook[] | null>;
  readonly probe: (project: ProjectRef, signal: AbortSignal) => Promise<readonly WriteRefusal[]>;
  readonly readMergeSettings: ((projectId: number, signal: AbortSignal) => Promise<MergeSettings>) | null;
};

type Asked = { readonly path: string; readonly note: (seen: readonly Seen[]) => void };

/** Reports each finding at once, so that a forge that is too slow costs only those that are missing. */
export const lookAtProject = async (looking: Looking, { path, note }: Asked, signal: AbortSignal): Promise<void> => {
  const { settings, reading, writing, bot, scopeFix } = looking;
  const project = await reading.read.findProject(path, signal);
  if (project === null) {
    return note([
      fail(
        `${path} does not exist, or is not visible to the account`,
        'add the bot to the project, or remove it from forge.projects',
      ),
    ]);
  }
  // Nothing can be written to an unusable project, so the other checks are pointless.
  if (project.unusable !== null) return note([unusableSeen(path, project.unusable, settings.kind)]);
  const permission = await writing.read.fetchPermission(project.id, bot, signal);
  const ref = { id: project.id, path: project.path };
  note(accessSeen(path, permission, settings.kind));
  note(refusedSeen(path, await looking.probe(ref, signal), scopeFix));
  if (looking.readMergeSettings !== null && MAY_SET_STATUS.has(permission)) {
    note(mergeSettingsSeen(path, await looking.readMergeSettings(project.id, signal)));
  }
  note(await calledPeopleSeen(looking.called(ref.path), { read: writing.read, project }, signal));
  note(looking.programs(ref));
  note(await hooksSeen(looking, ref));
  if (looking.readMergeSettings !== null) note(await gateSeen(looking, ref, signal));
};

const MAY_SET_STATUS: ReadonlySet<Permission> = new Set(['write', 'admin']);

const unusableSeen = (path: string, why: NonNullable<Project['unusable']>, kind: ForgeSettings['kind']): Seen => {
  const what = factsOf(kind).changeRequests;
  return why === 'archived'
    ? fail(`${path} is archived, so nothing can be posted`, 'unarchive the project, or remove it from forge.projects')
    : fail(`${path} has ${what} disabled`, 'enable them in its settings, or remove it from forge.projects');
};

const accessSeen = (
  path: string,
  permission: Awaited<ReturnType<Forge['read']['fetchPermission']>>,
  kind: ForgeSettings['kind'],
): readonly Seen[] => {
  if (permission === 'admin') return [ok(`${path}: the bot has write access and can read permissions`)];
  if (permission !== 'write') {
    return [
      fail(
        `${path}: the bot has only the permission "${permission}", so it cannot set a status`,
        factsOf(kind).grantWriting,
      ),
    ];
  }
  if (!factsOf(kind).hidesFromWriters) return [ok(`${path}: the bot has write access`)];
  return [
    warn(
      `${path}: the bot is not an administrator, so only people in the list of assignees can give commands, and webhooks cannot be checked`,
      'make the bot an administrator of the project if people with write access are not recognised',
    ),
  ];
};

const refusedSeen = (path: string, refusals: readonly WriteRefusal[], fix: string): readonly Seen[] =>
  refusals.map(({ what, explanation }) =>
    fail(`${path}: the post token cannot ${what}${explanation === null ? '' : ` (answer: ${explanation})`}`, fix),
  );

/** Events without which the bot misses pushes or comments. Without any other event, the bot still reacts, but later. */
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
      return [ok(`${path}: its webhook points here`)];
    case 'disabled':
      return [fail(`${path}: its webhook is disabled`, 'enable the webhook in Settings, Webhooks, and send a test')];
    case 'unfit':
      return [fail(`${path}: its webhook points here, but ${lacks.join('; ')}`, 'fix it in Settings, Webhooks')];
    case 'partial': {
      const text = `${path}: its webhook points here but does not send the events ${lacks.join(', ')}, so only the sweep notices them`;
      const fix = 'enable these events in Settings, Webhooks; deploy/guide/quickstart.md lists the events';
      return [lacks.some((event) => NEEDED.has(event)) ? fail(text, fix) : warn(text, fix)];
    }
    case 'missing':
    case 'hidden': {
      const fix = `add a webhook to the path /webhooks/${settings.id} of the ingress, unless a group or instance webhook points there`;
      return [warn(`${path}: no project webhook points here, so only the sweep notices events`, fix)];
    }
    default:
      return health satisfies never;
  }
};
