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

/** Everything that is undone is deleted from the record at once, so that a second run continues where this run stopped. */
export const removeSetup = async (removing: Removing): Promise<Removed> => {
  const { connected, recordPath } = removing;
  const record = await loadRecord(recordPath);
  const made = record.forges[connected.id];
  const steps: ReportedStep[] = [];
  const calls: ShownRequest[] = [];
  for (const hook of made?.hooks ?? []) {
    const requests = await hookRequests(connected, hook, removing.context.signal);
    calls.push(...requests.map(shownRequest));
    await sendAll(removing, hook.owner, requests);
    await strike(removing, (left) => ({
      hooks: left.hooks.filter(({ owner }) => placeName(owner) !== placeName(hook.owner)),
    }));
    steps.push(removedStep(removing, 'webhook', hookWords(hook, requests.length, removing.dry)));
  }
  for (const member of made?.members ?? []) {
    const request = connected.administration.removeMember(member.owner, member.account);
    calls.push(shownRequest(request));
    await sendAll(removing, member.owner, [request]);
    await strike(removing, (left) => ({
      members: left.members.filter(({ owner }) => placeName(owner) !== placeName(member.owner)),
    }));
    const words = `${placeName(member.owner)}: ${verb(removing.dry)} ${member.account.login} from the members`;
    steps.push(removedStep(removing, 'member', words));
  }
  return { steps: [...steps, ...(await removeFiles(removing))], calls };
};

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
