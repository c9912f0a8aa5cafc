/** The forge with whose accounts people log in. */
import { readFile } from 'node:fs/promises';
import type { Config } from '../../../shared/config/load.ts';
import { hasForgeCode } from '../../../shared/forge/errors.ts';
import { connectForge } from '../../../shared/forge/kinds/connect.ts';
import { authorizeUrl, type OauthClient, redeemCode } from '../../../shared/forge/kinds/oauth.ts';
import type { Forge } from '../../../shared/forge/port.ts';
import { inOrder } from '../../../shared/in-order.ts';

/** An account that has just logged in. Its token stays in memory and is never logged. */
export type LoginMember = {
  readonly login: string;
  /** Epoch ms at which the forge ends the token. Null if it does not expire. */
  readonly expiresAtMs: number | null;
  /** Ids of the projects of which the account is a member and whose code it may read. @throws `ForgeRequestError` */
  readonly fetchProjects: (signal: AbortSignal) => Promise<ReadonlySet<number>>;
};

export type LoginForge = {
  readonly id: string;
  readonly authorizeUrl: (login: { readonly state: string; readonly verifier: string }) => string;
  /** @throws `ForgeRequestError` or `ForgeUnknownOutcomeError` */
  readonly admit: (
    login: { readonly code: string; readonly verifier: string },
    signal: AbortSignal,
  ) => Promise<LoginMember>;
  /** True if the forge answered that the account or its token may no longer do this. */
  readonly isRefusal: (error: unknown) => boolean;
};

export const CALLBACK_PATH = '/login/forge/callback';

/** More projects are not seen: five thousand on forges with 50 per page. */
const MAX_PAGES = 100;
/** An account with 1,000 projects has 20 pages on forges with 50 per page. */
const PAGES_AT_ONCE = 4;

/** Null if no login by a forge is configured. */
export const connectLogin = async (config: Config, nowMs: () => number): Promise<LoginForge | null> => {
  const { login, publicUrl } = config.console;
  const settings = config.forges.find(({ id }) => id === login?.forge);
  const clientSecret = config.secrets.console?.login ?? null;
  if (login === null || publicUrl === null || settings === undefined || clientSecret === null) return null;
  const { id, kind, baseUrl, proxy, caFile } = settings;
  const ca = caFile === null ? {} : { ca: await readFile(caFile, 'utf8') };
  const place = { id, kind, baseUrl, proxy, ...ca };
  return createLoginForge(
    { ...place, clientId: login.clientId, clientSecret, redirectUri: `${publicUrl}${CALLBACK_PATH}` },
    nowMs,
  );
};

export const createLoginForge = (client: OauthClient, nowMs: () => number): LoginForge => ({
  id: client.id,
  authorizeUrl: (login) => authorizeUrl(client, login),
  admit: async (login, signal) => {
    const { token, expiresInS } = await redeemCode(client, login, signal);
    const expiresAtMs = expiresInS === null ? null : nowMs() + expiresInS * 1000;
    const { id, kind, baseUrl, proxy = null, ca, timeouts } = client;
    const forge = await connectForge(
      {
        id,
        kind,
        baseUrl,
        token,
        proxy,
        isBearer: true,
        ...(ca === undefined ? {} : { ca }),
        ...(timeouts === undefined ? {} : { timeouts }),
      },
      signal,
    );
    const { login: name } = await forge.read.fetchSelf(signal);
    return { login: name, expiresAtMs, fetchProjects: async (within) => fetchMemberProjects(forge, within) };
  },
  isRefusal: (error) =>
    hasForgeCode(error, 'FORGE_UNAUTHORISED', 'FORGE_FORBIDDEN', 'FORGE_REJECTED', 'FORGE_NOT_FOUND'),
});

/**
 * All pages of the account, because no forge names the memberships among given projects: the answer about one project
 * says only what the account may do, and everybody may read a public one.
 */
export const fetchMemberProjects = async (
  { read }: { readonly read: Pick<Forge['read'], 'readProjectPage'> },
  signal: AbortSignal,
): Promise<ReadonlySet<number>> => {
  const ids = new Set<number>();
  let isOver = false;
  const readPage = async (page: number): Promise<void> => {
    if (isOver) return;
    const answer = await read.readProjectPage({ kind: 'member' }, page, signal);
    for (const { id } of answer?.projects ?? []) ids.add(id);
    if (answer === null || answer.last) isOver = true;
  };
  await readPage(1);
  const more = Array.from({ length: MAX_PAGES - 1 }, (_, index) => index + 2);
  await inOrder(more, PAGES_AT_ONCE, readPage);
  return ids;
};
