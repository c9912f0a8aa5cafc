/** Carries out a plan. Everything created on a forge is recorded first, so that `--remove` finds it even after a crash. */
import { randomBytes } from 'node:crypto';
import { AppError } from '../../../shared/errors.ts';
import type { ForgeFacts } from '../../../shared/forge/dialect/forge-facts.ts';
import { hasForgeCode } from '../../../shared/forge/errors.ts';
import { factsOf } from '../../../shared/forge/kinds/forge-kind.ts';
import type { HookOwner } from '../../../shared/forge/port-listing.ts';
import { isPrivateHost } from './delivery/private-host.ts';
import { UsageError } from '../terminal/usage-error.ts';
import { type Connected, refusedUsage } from './connect-setup.ts';
import type { SetupContext } from './context.ts';
import { fileDigest, readIfThere, restrictFile, replaceFile } from './files.ts';
import { type SendRequest, sendBy } from '../../../shared/forge/admin/send.ts';
import { addVariables, isPlainValue, type Variables } from '../variables/env-text.ts';
import { type FileFacts, placeName } from './plan/facts.ts';
import { actionsOf } from './plan/plan.ts';
import type { SetupAction } from './plan/step.ts';
import type { ReadSetup } from './read-setup.ts';
import { loadRecord, type MadeThings, NOTHING_MADE, saveRecord, type SetupRecord } from './record.ts';

type Applying = {
  readonly read: ReadSetup;
  readonly context: SetupContext;
  readonly send: SendRequest;
  /** Values of all variables, including those added in this run. */
  variables: Variables;
};

/** @throws `USAGE` with advice when the forge refuses a request */
export const applySteps = async (read: ReadSetup, context: SetupContext): Promise<void> => {
  const send = sendBy(read.connected.http);
  const applying: Applying = { read, context, send, variables: read.situation.variables };
  const actions = actionsOf(read.steps);
  await probeRights(applying, actions);
  for (const action of actions) await applyAction(applying, action);
};

/** Tests permissions before anything is changed, so that a token without permission leaves no half-finished setup. */
const probeRights = async ({ read, context, send }: Applying, actions: readonly SetupAction[]): Promise<void> => {
  const { probe } = read.connected.administration;
  const [owner] = actions.flatMap((action) => ('owner' in action ? [action.owner] : []));
  if (probe === null || owner === undefined) return;
  try {
    await send(probe(owner), context.signal);
  } catch (error) {
    context.signal.throwIfAborted();
    if (!hasForgeCode(error, 'FORGE_NOT_FOUND')) throw refusal(read.connected, owner, error);
  }
};

const refusal = (connected: Connected, owner: HookOwner, error: unknown): UsageError => {
  if (!(error instanceof AppError)) throw error;
  const { message } = refusedUsage(error, connected, connected.adminTokenEnv);
  return new UsageError(`${placeName(owner)}: ${message}`);
};

const applyAction = async (applying: Applying, action: SetupAction): Promise<void> => {
  const { connected } = applying.read;
  const { administration, bot } = connected;
  switch (action.kind) {
    case 'write_config':
      return writeRecorded(applying.read.situation.recordPath, applying.read.facts.config, {
        text: action.text,
        mode: applying.read.facts.config.mode ?? 0o644,
      });
    case 'write_env':
      return writeVariables(applying, action.missing);
    case 'restrict_env':
      return restrictFile(applying.read.facts.env.path);
    case 'add_member':
      await remember(applying, (made) => ({
        members: [...without(made.members, action.owner), { owner: action.owner, account: bot }],
      }));
      return call(applying, action.owner, administration.addMember(action.owner, bot));
    case 'create_hook':
      return createHook(applying, action);
    case 'repair_hook':
      return call(applying, action.owner, administration.repairHook(action.owner, action.id));
    case 'remove_hook':
      return call(applying, action.owner, administration.removeHook(action.owner, action.id));
    default:
      return action satisfies never;
  }
};

const call = async (
  { read, context, send }: Applying,
  owner: HookOwner,
  request: Parameters<SendRequest>[0],
): Promise<void> => {
  try {
    await send(request, context.signal);
  } catch (error) {
    context.signal.throwIfAborted();
    throw refusal(read.connected, owner, error);
  }
};

const createHook = async (
  applying: Applying,
  { owner, secretEnv }: Extract<SetupAction, { readonly kind: 'create_hook' }>,
): Promise<void> => {
  const { read, context, send, variables } = applying;
  const { hookUrl, forge } = read.facts;
  const secret = variables[secretEnv] ?? '';
  if (secret === '') throw new UsageError(`${secretEnv} is not set in ${read.facts.env.path}`);
  await remember(applying, (made) => ({ hooks: [...without(made.hooks, owner), { owner, url: hookUrl }] }));
  try {
    await send(read.connected.administration.createHook(owner, { url: hookUrl, secret }), context.signal);
  } catch (error) {
    context.signal.throwIfAborted();
    const facts = factsOf(forge.kind);
    if (facts.checksHookUrl && hasForgeCode(error, 'FORGE_REJECTED'))
      throw await refusedAddress({ owner, url: hookUrl, facts }, error);
    throw refusal(read.connected, owner, error);
  }
};

type HookAddress = { readonly owner: HookOwner; readonly url: string; readonly facts: ForgeFacts };

/** A forge may refuse an address in the local network with the same message as an invalid address. */
const refusedAddress = async ({ owner, url, facts }: HookAddress, error: AppError): Promise<UsageError> => {
  const words = error.fields['explanation'];
  const isPrivate = await isPrivateHost(new URL(url).hostname);
  return new UsageError(
    `${placeName(owner)}: ${facts.name} does not accept the URL ${url} (answer: ${typeof words === 'string' ? words : 'none'}): ${
      isPrivate
        ? `the URL is in a private network, so an administrator has to ${facts.allowHost}`
        : `check --url and --public-url; an administrator may have to ${facts.allowHost}`
    }`,
  );
};

const without = <T extends { readonly owner: HookOwner }>(all: readonly T[], owner: HookOwner): readonly T[] =>
  all.filter((one) => placeName(one.owner) !== placeName(owner));

const remember = async ({ read }: Applying, change: (made: MadeThings) => Partial<MadeThings>): Promise<void> => {
  const { recordPath } = read.situation;
  const record = await loadRecord(recordPath);
  const { id } = read.connected;
  const made: MadeThings = {
    ...NOTHING_MADE,
    ...record.forges[id],
    publicUrl: read.inputs.publicUrl,
    bot: read.connected.bot,
  };
  await saveRecord(recordPath, { ...record, forges: { ...record.forges, [id]: { ...made, ...change(made) } } });
};

/** Later runs need the address and compare the account, so both are recorded even if nothing else changed. */
export const rememberRun = async (read: ReadSetup, context: SetupContext): Promise<void> => {
  const made = read.situation.record.forges[read.connected.id];
  if (made?.publicUrl === read.inputs.publicUrl && made.bot.id === read.connected.bot.id) return;
  await remember({ read, context, send: async () => {}, variables: {} }, () => ({}));
};

/** Returns 32 random bytes as hexadecimal digits, which is longer than any setting requires. */
const makeSecret = (): string => randomBytes(32).toString('hex');

const writeVariables = async (applying: Applying, missing: readonly string[]): Promise<void> => {
  const { read } = applying;
  const { connected, facts, markerEnv } = read;
  const generated = new Set([...facts.secretEnvs, markerEnv, 'REDIS_PASSWORD']);
  const values: Record<string, string> = {};
  for (const name of missing) {
    const known = name === connected.botTokenEnv ? connected.botToken : read.situation.variables[name];
    if (known === undefined && !generated.has(name))
      throw new UsageError(`the configuration needs ${name}, which is not set: set it in ${facts.env.path}`);
    const value = known ?? makeSecret();
    if (!isPlainValue(value))
      throw new UsageError(`the value of ${name} has characters that need quotes: set it in ${facts.env.path} by hand`);
    values[name] = value;
  }
  await writeRecorded(read.situation.recordPath, facts.env, {
    text: addVariables(facts.env.text ?? '', values),
    mode: 0o600,
  });
  applying.variables = { ...applying.variables, ...values };
};

/** Records the file only if setup created it and nobody has changed it since. */
export const writeRecorded = async (
  recordPath: string,
  before: FileFacts,
  { text, mode }: { readonly text: string; readonly mode: number },
): Promise<void> => {
  await replaceFile(before.path, text, mode);
  const record = await loadRecord(recordPath);
  const entry = record.files.find(({ path }) => path === before.path);
  const isOurs = before.text === null || entry?.sha256 === fileDigest(before.text);
  if (!isOurs) return;
  const files: SetupRecord['files'] = [
    ...record.files.filter(({ path }) => path !== before.path),
    { path: before.path, sha256: fileDigest(text) },
  ];
  await saveRecord(recordPath, { ...record, files });
};

export const isUnchanged = async ({ path, sha256 }: SetupRecord['files'][number]): Promise<boolean> => {
  const { text } = await readIfThere(path);
  return text !== null && fileDigest(text) === sha256;
};
