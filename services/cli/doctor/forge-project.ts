/** One project of a forge: seen, written to, and heard from. */
import type { ForgeSettings } from '../../../shared/config/forge-settings.ts';
import type { Account, Forge, ProjectRef } from '../../../shared/forge/port.ts';
import { judgeHooks, leadsHere } from '../../guard/sweep-hooks.ts';
import { fail, ok, type Seen, warn } from './check.ts';

type Looking = {
  readonly settings: ForgeSettings;
  readonly reading: Forge;
  readonly writing: Forge;
  readonly bot: Account;
};

export const lookAtProject = async (
  { settings, reading, writing, bot }: Looking,
  path: string,
  signal: AbortSignal,
): Promise<readonly Seen[]> => {
  const project = await reading.read.findProject(path, signal);
  if (project === null) {
    return [
      fail(
        `${path} is not there, or the account may not see it`,
        'add the bot to the project, or take it out of forge.projects',
      ),
    ];
  }
  const permission = await writing.read.fetchPermission(project.id, bot, signal);
  const ref = { id: project.id, path: project.path };
  return [
    ...accessSeen(path, permission, settings.kind),
    ...(await hooksSeen({ settings, reading, project: ref }, signal)),
  ];
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
        kind === 'gitlab' ? 'make the bot a Developer of the project' : 'make the bot a collaborator with write access',
      ),
    ];
  }
  if (kind === 'gitlab') return [ok(`${path}: the bot may write`)];
  return [
    warn(
      `${path}: the bot is no admin of it, so who may command is told by the list of assignees, and webhooks stay hidden`,
      'make the bot an administrator of the project if its commanders are not recognised',
    ),
  ];
};

type Hearing = Pick<Looking, 'settings' | 'reading'> & { readonly project: ProjectRef };

const hooksSeen = async ({ settings, reading, project }: Hearing, signal: AbortSignal): Promise<readonly Seen[]> => {
  const hooks = await reading.read.fetchHooks({ kind: 'project', project }, signal);
  if (hooks === null) return [];
  const { health } = judgeHooks(
    hooks.filter(({ url }) => leadsHere(settings.id, url)),
    true,
  );
  if (health === 'working') return [ok(`${project.path}: its webhook leads here`)];
  if (health === 'disabled') {
    return [
      fail(`${project.path}: its webhook is switched off`, 'switch it on in Settings, Webhooks, and send a test'),
    ];
  }
  const fix = `add a webhook to the path /webhooks/${settings.id} of the ingress, unless one of a group or of the whole forge leads there`;
  return [warn(`${project.path}: no webhook of its own leads here, so events wait for the sweep`, fix)];
};
