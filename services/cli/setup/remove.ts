/** `fixpoint setup --remove` undoes what the record lists. Anything that a person has changed since then is kept. */
import { hasForgeCode } from '../../../shared/forge/errors.ts';
import type { HookOwner } from '../../../shared/forge/port-listing.ts';
import { UsageError } from '../terminal/usage-error.ts';
import { isUnchanged } from './apply.ts';
import { type Connected, refusedUsage } from './connect-setup.ts';
import type { SetupContext } from './context.ts';
import { readIfThere, removeFile } from './files.ts';
import type { AdminRequest } from '../../../shared/forge/admin/administration.ts';
import { sendBy, type ShownRequest, shownRequest } from '../../../shared/forge/admin/send.ts';
import { placeName } from './plan/facts.ts';
import { sameAddress } from './plan/plan-hooks.ts';
import { loadRecord, type MadeThings, saveRecord, type SetupRecord } from './record.ts';
import type { ReportedStep } from './report.ts';

export type Removing = {
  readonly connected: Connected;
  readonly recordPath: string;
  readonly context: SetupContext;
  /** If true, nothing is removed. */
  readonly dry: boolean;
};

export type Removed = { readonly steps: readonly ReportedStep[]; readonly calls: readonly ShownRequest[] };

/**
 * Everything that is undone is deleted from the record at once, so that a second run continues where this run stopped. A
 * project that is not found keeps only its own entry.
 */
export const removeSetup = async (removing: Removing): Promise<Removed> => {
  const { connected, recordPath } = removing;
  const made = (await loadRecord(recordPath)).forges[connected.id];
  const undone: Undone[] = [];
  for (const hook of made?.hooks ?? []) undone.push(await undoHook(removing, hook));
  for (const member of made?.members ?? []) undone.push(await undoMember(removing, member));
  const steps = undone.map(({ step }) => step);
  const isWhole = steps.every(({ state }) => state !== 'blocked');
  return {
    steps: [...steps, ...(isWhole ? await removeFiles(removing) : [])],
    calls: undone.flatMap(({ calls }) => calls),
  };
};

type Undone = { readonly step: ReportedStep; readonly calls: readonly ShownRequest[] };

const undoHook = async (removing: Removing, hook: MadeThings['hooks'][number]): Promise<Undone> => {
  const { connected, context, dry } = removing;
  const owner = await findOwner(removing, hook.owner);
  if (owner === null) return notFound(removing, 'webhook', hook.owner);
  const requests = await hookRequests(connected, { ...hook, owner }, context.signal);
  await sendAll(removing, owner, requests);
  await strike(removing, (left) => ({ hooks: left.hooks.filter((each) => !isSamePlace(each.owner, hook.owner)) }));
  return {
    step: removedStep(removing, 'webhook', hookWords(hook, requests.length, dry)),
    calls: requests.map(shownRequest),
  };
};

const undoMember = async (removing: Removing, member: MadeThings['members'][number]): Promise<Undone> => {
  const owner = await findOwner(removing, member.owner);
  if (owner === null) return notFound(removing, 'member', member.owner);
  const request = removing.connected.administration.removeMember(owner, member.account);
  await sendAll(removing, owner, [request]);
  await strike(removing, (left) => ({
    members: left.members.filter((each) => !isSamePlace(each.owner, member.owner)),
  }));
  const words = `${placeName(member.owner)}: ${verb(removing.dry)} ${member.account.login} from the members`;
  return { step: removedStep(removing, 'member', words), calls: [shownRequest(request)] };
};

const isSamePlace = (one: HookOwner, other: HookOwner): boolean => placeName(one) === placeName(other);

/** A project is found by its number, because it may have another path by now. Null if it is not visible. */
const findOwner = async ({ connected, context }: Removing, owner: HookOwner): Promise<HookOwner | null> => {
  if (owner.kind === 'group') return owner;
  try {
    const project = await connected.admin.read.fetchProject(owner.project.id, context.signal);
    return project === null ? null : { kind: 'project', project: { id: project.id, path: project.path } };
  } catch (error) {
    context.signal.throwIfAborted();
    throw refusedUsage(error, connected, connected.adminTokenEnv);
  }
};

const notFound = ({ connected, recordPath }: Removing, about: string, owner: HookOwner): Undone => ({
  step: {
    about,
    state: 'blocked',
    text: `${placeName(owner)} does not exist, or is not visible to the token in ${connected.adminTokenEnv}`,
    fix: `if the project was deleted, delete its entries in ${recordPath}, and run setup --remove again`,
  },
  calls: [],
});

const removedStep = ({ dry }: Removing, about: string, text: string): ReportedStep => ({
  about,
  state: dry ? 'todo' : 'made',
  text,
  fix: null,
});

const hookWords = ({ owner, url }: MadeThings['hooks'][number], count: number, dry: boolean): string => {
  const name = placeName(owner);
  if (count === 0) return `${name}: the webhook ${url} was already gone`;
  return `${name}: ${verb(dry)} the webhook ${url}`;
};

const verb = (dry: boolean): string => (dry ? 'remove' : 'removed');

const hookRequests = async (
  { administration, adminTokenEnv, ...connected }: Connected,
  { owner, url }: MadeThings['hooks'][number],
  signal: AbortSignal,
): Promise<readonly AdminRequest[]> => {
  try {
    const listed = await administration.listHooks(owner, signal);
    if (listed.kind === 'hooks')
      return listed.hooks
        .filter((hook) => sameAddress(hook.url, url))
        .map(({ id }) => administration.removeHook(owner, id));
  } catch (error) {
    signal.throwIfAborted();
    throw refusedUsage(error, connected, adminTokenEnv);
  }
  throw new UsageError(
    `${placeName(owner)}: the token in ${adminTokenEnv} cannot manage webhooks there: use the token of an administrator`,
  );
};

/** An object that no longer exists counts as removed. */
const sendAll = async ({ connected, context, dry }: Removing, owner: HookOwner, requests: readonly AdminRequest[]) => {
  if (dry) return;
  const send = sendBy(connected.http);
  for (const request of requests) {
    try {
      await send(request, context.signal);
    } catch (error) {
      context.signal.throwIfAborted();
      if (hasForgeCode(error, 'FORGE_NOT_FOUND')) continue;
      const { message } = refusedUsage(error, connected, connected.adminTokenEnv);
      throw new UsageError(`${placeName(owner)}: ${message}`);
    }
  }
};

const strike = async (
  { connected, recordPath, dry }: Removing,
  change: (left: MadeThings) => Partial<MadeThings>,
): Promise<void> => {
  if (dry) return;
  const record = await loadRecord(recordPath);
  const made = record.forges[connected.id];
  if (made === undefined) return;
  await saveRecord(recordPath, {
    ...record,
    forges: { ...record.forges, [connected.id]: { ...made, ...change(made) } },
  });
};

/** The files are removed together with the last forge. */
const removeFiles = async ({ connected, recordPath, dry }: Removing): Promise<readonly ReportedStep[]> => {
  const record = await loadRecord(recordPath);
  const { [connected.id]: _removed, ...forges } = record.forges;
  if (Object.keys(forges).length > 0) {
    if (!dry) await saveRecord(recordPath, { ...record, forges });
    return [{ about: 'files', state: 'done', text: 'kept, because other forges use them', fix: null }];
  }
  const steps: ReportedStep[] = [];
  for (const file of record.files) steps.push(await removeWritten(file, dry));
  if (!dry) await saveRecord(recordPath, { version: 1, forges: {}, files: [] });
  return steps;
};

const removeWritten = async (file: SetupRecord['files'][number], dry: boolean): Promise<ReportedStep> => {
  const about = 'files';
  if ((await readIfThere(file.path)).text === null)
    return { about, state: 'done', text: `${file.path} was already gone`, fix: null };
  if (!(await isUnchanged(file)))
    return { about, state: 'done', text: `${file.path} stays, because it has been changed since setup`, fix: null };
  if (!dry) await removeFile(file.path);
  return { about, state: dry ? 'todo' : 'made', text: `${verb(dry)} ${file.path}`, fix: null };
};
