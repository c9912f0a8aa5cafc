import { readFile } from 'node:fs/promises';
import type { Config } from '../../../shared/config/load.ts';
import type { ForgeSettings } from '../../../shared/config/forge-settings.ts';
import type { ForgeSecrets } from '../../../shared/config/secrets.ts';
import type { ForgeFacts } from '../../../shared/forge/dialect/forge-facts.ts';
import { DIALECTS, factsOf } from '../../../shared/forge/kinds/forge-kind.ts';
import { AppError } from '../../../shared/errors.ts';
import type { ConnectOptions } from '../../../shared/forge/kinds/connect.ts';
import { greetForge } from '../../../shared/forge/kinds/greet.ts';
import { type Check, fail, ok, type Seen, warn } from './check.ts';
import type { CalledPeople } from './called-people.ts';
import { programsSeen } from './outside-programs.ts';
import { settingsOf } from '../../../shared/config/project-settings.ts';
import type { ProjectRef } from '../../../shared/forge/port-facts.ts';
import { ALL_PROJECTS_MS, lookAtProjects } from './forge-projects.ts';
import type { Machine } from './machine.ts';

/** For the tokens, the bot and the list of projects. Each project then has a time of its own. */
const TIMEOUT_MS = 60_000 + ALL_PROJECTS_MS;

const TRANSPORT = {
  timeouts: { connectMs: 3_000, totalMs: 10_000 },
  retry: { attempts: 1, baseMs: 0, capMs: 0, maxRetryAfterMs: 0 },
} as const;

type Token = { readonly purposes: readonly string[]; readonly env: string; readonly value: string };

/** Lists each distinct token once, with all of its purposes. */
const tokensOf = (settings: ForgeSettings, secrets: ForgeSecrets | undefined): readonly Token[] => {
  const { tokenEnv, readTokenEnv, postTokenEnv, gitTokenEnv, pushTokenEnv } = settings;
  const all = [
    ['reading', readTokenEnv, secrets?.readToken],
    ['posting', postTokenEnv, secrets?.postToken],
    ['git', gitTokenEnv, secrets?.gitToken],
    ['pushing', pushTokenEnv, secrets?.pushToken],
  ] as const;
  const tokens = new Map<string, Token>();
  for (const [purpose, env, value] of all) {
    if (value === null || value === undefined) continue;
    const known = tokens.get(value);
    const purposes = [...(known?.purposes ?? []), purpose];
    tokens.set(value, { purposes, env: known?.env ?? env ?? tokenEnv ?? '', value });
  }
  return [...tokens.values()];
};

const isForGit = (purposes: readonly string[]): boolean =>
  purposes.every((purpose) => purpose === 'git' || purpose === 'pushing');

/** Describes a refused or failed call in words. Other errors are thrown. */
export const seenOf = (error: unknown, settings: Pick<ForgeSettings, 'kind' | 'baseUrl'>, env: string): Seen => {
  if (!(error instanceof AppError)) throw error;
  switch (error.code) {
    case 'FORGE_UNAUTHORISED':
      return fail(
        `the forge does not accept the token in ${env}`,
        `create a token for the bot's account and set it in ${env}`,
      );
    case 'FORGE_FORBIDDEN': {
      const words = error.fields['explanation'];
      const said = typeof words === 'string' ? ` (answer: ${words})` : '';
      return fail(
        `the token in ${env} lacks permission${said}`,
        `give the token ${factsOf(settings.kind).tokenScopes}`,
      );
    }
    case 'FORGE_UNAVAILABLE':
    case 'FORGE_BAD_ANSWER':
    case 'FORGE_REDIRECTED':
    case 'FORGE_NOT_FOUND':
      return fail(
        `${settings.baseUrl}: ${error.message}`,
        'check that base_url is the URL of the forge itself, and that kind is correct',
      );
    default:
      return fail(`${error.message} (${error.code})`, `see shared/README.md for ${error.code}`);
  }
};

type Looking = {
  readonly settings: ForgeSettings;
  readonly transport: Pick<ConnectOptions, 'ca' | 'proxy'>;
  readonly machine: Machine;
};

const CLOCK_FAIL_MS = 10 * 60_000;
const CLOCK_WARN_MS = 60_000;

export const clockSeen = (theirTimeMs: number | null, nowMs: number): readonly Seen[] => {
  if (theirTimeMs === null) return [];
  const offMs = Math.abs(nowMs - theirTimeMs);
  const text = `the clocks of the forge and this machine differ by ${Math.round(offMs / 1000)} s`;
  const fix = 'synchronise the clocks of both machines with NTP: signatures and deadlines depend on them';
  if (offMs >= CLOCK_FAIL_MS) return [fail(text, fix)];
  return offMs >= CLOCK_WARN_MS ? [warn(text, fix)] : [];
};

const scopesSeen = (
  scopes: readonly string[] | null,
  { env, purposes }: Token,
  { postingScope, tokenScopes }: ForgeFacts,
): readonly Seen[] =>
  scopes === null || postingScope === null || scopes.includes(postingScope) || !purposes.includes('posting')
    ? []
    : [
        fail(
          `the token in ${env} lacks the scope "${postingScope}", so it cannot post`,
          `give the token ${tokenScopes}`,
        ),
      ];

const EXPIRY_WARN_MS = 14 * 86_400_000;

const expirySeen = (
  expiresAtMs: number | null,
  { env, tokenScopes }: { readonly env: string; readonly tokenScopes: string },
  nowMs: number,
): readonly Seen[] =>
  expiresAtMs === null || expiresAtMs - nowMs > EXPIRY_WARN_MS
    ? []
    : [
        warn(
          `the token in ${env} expires on ${new Date(expiresAtMs).toISOString().slice(0, 10)}`,
          `create a new token with ${tokenScopes} and set it in ${env} before that day`,
        ),
      ];

type LookedAt = { readonly accepted: boolean; readonly scopesTold: boolean; readonly seen: readonly Seen[] };

/** GET /user with one token shows whether it is accepted, which scopes it has, and the server's time. */
const lookAtToken = async (
  { settings, transport, machine }: Looking,
  of: Token,
  signal: AbortSignal,
): Promise<LookedAt> => {
  const { value: token, env, purposes } = of;
  // The API may reject a token that is valid for git only.
  if (isForGit(purposes)) return { accepted: true, scopesTold: true, seen: [] };
  const { id, baseUrl, kind } = settings;
  try {
    const greeted = { id, kind, baseUrl, token, ...transport, ...TRANSPORT };
    const { theirTimeMs, scopes, expiresAtMs } = await greetForge(greeted, signal);
    const nowMs = machine.nowMs();
    const facts = factsOf(kind);
    const seen = [
      ...clockSeen(theirTimeMs, nowMs),
      ...scopesSeen(scopes, of, facts),
      ...expirySeen(expiresAtMs, { env, tokenScopes: facts.tokenScopes }, nowMs),
    ];
    return { accepted: true, scopesTold: scopes !== null, seen };
  } catch (error) {
    signal.throwIfAborted();
    return { accepted: false, scopesTold: false, seen: [seenOf(error, settings, env)] };
  }
};

const sharedSeen = (tokens: readonly Token[]): readonly Seen[] =>
  tokens
    .filter(({ purposes }) => purposes.length > 1)
    .map(({ env, purposes }) =>
      ok(`one token, in ${env}, serves ${purposes.join(', ')}; separate tokens limit the damage of a leak`),
    );

const tokenSeen = ({ env, purposes }: Token): Seen =>
  ok(
    isForGit(purposes)
      ? `the token in ${env} is set; only git uses it (${purposes.join(', ')}), so it is not tested before the first review`
      : `the forge accepts the token in ${env} (${purposes.join(', ')})`,
  );

const lookAtForge = async (
  settings: ForgeSettings,
  { config, machine }: { readonly config: Config; readonly machine: Machine },
  signal: AbortSignal,
): Promise<readonly Seen[]> => {
  const secrets = config.secrets.forges.get(settings.id);
  const tokens = tokensOf(settings, secrets);
  const { caFile, proxy } = settings;
  const transport = { proxy, ...(caFile === null ? {} : { ca: await readFile(caFile, 'utf8') }) };
  const looking: Looking = { settings, transport, machine };
  const looked: LookedAt[] = [];
  for (const token of tokens) looked.push(await lookAtToken(looking, token, signal));
  const seen = looked.flatMap((one) => one.seen);
  // With a rejected token, all further checks would only repeat that error.
  if (looked.some(({ accepted }) => !accepted) || secrets === undefined) return seen;
  // The secrets of one service. What its projects allow depends on the tokens for reading and for posting together.
  if (secrets.readToken === null || secrets.postToken === null) return [...seen, ...tokens.map(tokenSeen)];
  const { tokenEnv, readTokenEnv, postTokenEnv } = settings;
  // The write test is skipped if the forge has reported the token's scopes.
  const probes = looked.some(({ scopesTold }) => !scopesTold);
  const called = (path: string): CalledPeople => {
    const { logins: operators, mentionGroups } = settingsOf(config, { forge: settings.id, path }).operators;
    return { syntax: DIALECTS[settings.kind].codeOwners, operators, mentionGroups };
  };
  const programs = (project: ProjectRef): readonly Seen[] => programsSeen(config, settings.id, project);
  const failed = (error: AppError): Seen => seenOf(error, settings, postTokenEnv ?? tokenEnv ?? '');
  const wish = { settings, secrets, transport: { ...transport, ...TRANSPORT }, probes, called, programs, failed };
  try {
    return [
      ...seen,
      ...sharedSeen(tokens),
      ...(await lookAtProjects(
        {
          ...wish,
          scopeFix: `give the token in ${postTokenEnv ?? tokenEnv ?? ''} ${factsOf(settings.kind).tokenScopes}`,
        },
        signal,
      )),
    ];
  } catch (error) {
    signal.throwIfAborted();
    return [...seen, seenOf(error, settings, tokenEnv ?? readTokenEnv ?? '')];
  }
};

export const forgeChecks = (config: Config, machine: Machine): readonly Check[] =>
  config.forges.map((settings) => ({
    name: `forge ${settings.id}`,
    timeoutMs: TIMEOUT_MS,
    fix: 'check that base_url is correct and the forge is reachable from here',
    look: async (signal) => lookAtForge(settings, { config, machine }, signal),
  }));
