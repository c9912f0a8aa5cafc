/** Connects to the forge with the administrator's token and with the bot's token. */
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { ForgeSettings } from '../../../shared/config/forge-settings.ts';
import { checkToken } from '../../../shared/config/secret-rules.ts';
import { AppError } from '../../../shared/errors.ts';
import type { ForgeHttp } from '../../../shared/forge/http.ts';
import { connectForge } from '../../../shared/forge/kinds/connect.ts';
import { type Greeted, greetForge, openGreeting } from '../../../shared/forge/kinds/greet.ts';
import type { Account } from '../../../shared/forge/port-facts.ts';
import type { Forge } from '../../../shared/forge/port.ts';
import { DIALECTS, factsOf, ForgeKind, listKinds } from '../../../shared/forge/kinds/forge-kind.ts';
import { ForgeId } from '../../../shared/vocabulary/ids.ts';
import { clockSeen, seenOf } from '../doctor/forge.ts';
import { unreadable, UsageError } from '../terminal/usage-error.ts';
import type { SetupContext } from './context.ts';
import type { Administration } from '../../../shared/forge/admin/administration.ts';
import { recogniseForge } from '../../../shared/forge/kinds/recognise-forge.ts';
import type { Inputs } from './inputs.ts';
import type { SetupOptions } from './setup-options.ts';
import type { FoundFiles } from './found-files.ts';
import { SETUP_TOKEN } from './plan/facts.ts';

export type Connected = {
  readonly id: ForgeId;
  readonly kind: ForgeKind;
  readonly baseUrl: string;
  readonly caFile: string | null;
  readonly version: string | null;
  readonly bot: Account;
  /** Names of the variables with the bot's token and with the administrator's token. */
  readonly botTokenEnv: string;
  readonly adminTokenEnv: string;
  /** Tokens that must never be shown. */
  readonly tokens: readonly string[];
  readonly botToken: string;
  readonly admin: Forge;
  readonly administration: Administration;
  readonly http: ForgeHttp;
};

const TRANSPORT = {
  timeouts: { connectMs: 3_000, totalMs: 15_000 },
  retry: { attempts: 2, baseMs: 200, capMs: 1_000, maxRetryAfterMs: 5_000 },
} as const;

type Wish = {
  readonly options: SetupOptions;
  readonly inputs: Inputs;
  readonly situation: FoundFiles;
  readonly context: SetupContext;
};

/** @throws `USAGE` with advice: unreachable, no forge, no token, or a token that is not accepted or lacks a scope */
export const connectSetup = async (wish: Wish): Promise<Connected> => {
  const { options, inputs, situation, context } = wish;
  const { configured } = situation;
  const { baseUrl } = inputs;
  const caFile = caFileOf(options, configured);
  const transport = { ...TRANSPORT, ...(caFile === null ? {} : { ca: await readCa(caFile) }) };
  const kind = await kindOf(wish, transport);
  const id = idOf(options, situation, kind, baseUrl);
  const names = tokenNames(options, configured, id);
  const botToken = await botTokenOf(wish, { name: names.bot, kind });
  const adminTokenEnv = situation.variables[names.admin] === undefined ? names.bot : names.admin;
  const adminToken = situation.variables[names.admin] ?? botToken;
  const greeted = { id, kind, baseUrl, ...transport };
  await greet({ ...greeted, token: botToken }, names.bot, context);
  if (adminToken !== botToken) await greet({ ...greeted, token: adminToken }, adminTokenEnv, context);
  let version: string | null = null;
  const open = async (token: string) =>
    connectForge({ ...greeted, token, onTraits: (traits) => (version = traits.version) }, context.signal);
  const bot = await (await open(botToken)).read.fetchSelf(context.signal);
  const http = openGreeting({ ...greeted, token: adminToken });
  const admin = await open(adminToken);
  return {
    id,
    kind,
    baseUrl,
    caFile,
    version,
    bot,
    botToken,
    adminTokenEnv,
    admin,
    http,
    botTokenEnv: names.bot,
    tokens: [...new Set([botToken, adminToken])],
    administration: await DIALECTS[kind].administer(http),
  };
};

const caFileOf = ({ caFile }: SetupOptions, configured: ForgeSettings | null): string | null =>
  caFile === undefined ? (configured?.caFile ?? null) : resolve(caFile);

const readCa = async (file: string): Promise<string> => {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    throw unreadable(file, error);
  }
};

type Transport = typeof TRANSPORT & { readonly ca?: string };

const kindOf = async ({ options, inputs, situation, context }: Wish, transport: Transport): Promise<ForgeKind> => {
  const given = options.kind ?? situation.configured?.kind;
  if (given !== undefined) {
    const parsed = ForgeKind.safeParse(given);
    if (parsed.success) return parsed.data;
    throw new UsageError(`--kind: expected ${listKinds((_, each) => each)}`);
  }
  const { baseUrl } = inputs;
  try {
    const found = await recogniseForge(baseUrl, ForgeKind.options, { signal: context.signal, options: transport });
    if (found !== null) return found;
  } catch (error) {
    context.signal.throwIfAborted();
    if (!(error instanceof AppError)) throw error;
    throw new UsageError(`${baseUrl}: ${error.message}; check --url, DNS and the network of this machine`);
  }
  throw new UsageError(
    `${baseUrl} answers, but is not ${listKinds(({ name }) => name)}; set --url to the URL of the start page of the forge`,
  );
};

const idOf = (
  options: SetupOptions,
  { settings, configured }: FoundFiles,
  kind: ForgeKind,
  baseUrl: string,
): ForgeId => {
  const parsed = ForgeId.safeParse(options.id ?? configured?.id ?? kind);
  if (!parsed.success) throw new UsageError('--id: expected 1 to 32 lower-case letters, digits or "-"');
  const other = configured === null ? settings?.forges.find(({ id }) => id === parsed.data) : undefined;
  if (other === undefined) return parsed.data;
  throw new UsageError(
    `the configuration has another forge "${parsed.data}" (${other.baseUrl}); give ${baseUrl} another id with --id`,
  );
};

/** Builds the name of a variable that contains the id of the forge. */
export const variableOf = (id: string, what: string): string =>
  `${id
    .replace(/^(?=\d)/, 'FORGE_')
    .toUpperCase()
    .replaceAll('-', '_')}_${what}`;

const tokenNames = (options: SetupOptions, configured: ForgeSettings | null, id: string) => ({
  bot: options.botTokenEnv ?? configured?.postTokenEnv ?? configured?.tokenEnv ?? variableOf(id, 'TOKEN'),
  admin: options.tokenEnv ?? SETUP_TOKEN,
});

const botTokenOf = async (
  { inputs, situation, context }: Wish,
  { name, kind }: { readonly name: string; readonly kind: ForgeKind },
): Promise<string> => {
  const given = situation.variables[name] ?? (await context.ask?.(`Token of the bot's account (${name}): `, 'hidden'));
  if (given === undefined || given === '') throw new UsageError(botExplained(inputs, name, kind));
  const mistake = checkToken(given);
  if (mistake !== null) throw new UsageError(`the variable ${name} ${mistake}`);
  return given;
};

const botExplained = ({ baseUrl }: Inputs, name: string, kind: ForgeKind): string => {
  const { tokenScopes, tokenPage, botTokens } = factsOf(kind);
  return (
    `${name} is not set: create an account for the bot, sign in as the bot, make a token with ${tokenScopes} at ` +
    `${baseUrl}${tokenPage}, and put it into the variable ${name}${botTokens === null ? '' : `; ${botTokens}`}`
  );
};

/** Checks that the forge accepts the token, that its clock is right and, if it reports scopes, that they suffice. */
const greet = async (greeted: Greeted, env: string, { machine, signal }: SetupContext): Promise<void> => {
  try {
    const { scopes, theirTimeMs } = await greetForge(greeted, signal);
    const [clock] = clockSeen(theirTimeMs, machine.nowMs());
    if (clock?.level === 'fail') throw new UsageError(`${clock.text}: ${clock.fix ?? ''}`);
    const { postingScope, tokenScopes } = factsOf(greeted.kind);
    if (scopes === null || postingScope === null || scopes.includes(postingScope)) return;
    throw new UsageError(`the token in ${env} lacks the scope "${postingScope}": give the token ${tokenScopes}`);
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof UsageError) throw error;
    throw refusedUsage(error, greeted, env);
  }
};

/** Turns a refused call into a usage error with advice. Other errors are not changed. */
export const refusedUsage = (error: unknown, forge: Pick<Greeted, 'kind' | 'baseUrl'>, env: string): UsageError => {
  if (!(error instanceof AppError)) throw error;
  const { text, fix } = seenOf(error, forge, env);
  return new UsageError(`${text}${fix === null ? '' : `: ${fix}`}`);
};
