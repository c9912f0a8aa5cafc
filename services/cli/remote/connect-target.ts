/** Connects to the forge of a change request and checks what the review needs, before any service starts. */
import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { type Config, loadConfig } from '../../../shared/config/load.ts';
import { markerSecretsOf } from '../../../shared/config/loaded/marker-secrets.ts';
import { demand, type Environment, type Need } from '../../../shared/config/secrets.ts';
import { connectForge } from '../../../shared/forge/kinds/connect.ts';
import { type Greeted, greetForge } from '../../../shared/forge/kinds/greet.ts';
import { probeWriting } from '../../../shared/forge/kinds/probe-writing.ts';
import type { Forge } from '../../../shared/forge/port.ts';
import type { Account, ChangeRequestFacts, ForgeComment, Project } from '../../../shared/forge/port-facts.ts';
import { mayHoldSummary } from '../../../shared/rounds/memory/marker.ts';
import { factsOf } from '../../../shared/forge/kinds/forge-kind.ts';
import type { ChangeRequest } from '../../../shared/vocabulary/ids.ts';
import { loadOrThrow } from '../terminal/load-or-throw.ts';
import { UsageError } from '../terminal/usage-error.ts';
import { type NamedForge, explainForgeError } from './explain-forge-error.ts';
import { type LookedUp, lookUp } from './look-up.ts';
import { markerAuthors } from './marker-authors.ts';
import type { NamedTarget } from './remote-target.ts';

export type ConnectedTarget = {
  readonly named: NamedTarget;
  readonly config: Config;
  /** Always has a marker secret, even if the caller has none. */
  readonly env: Environment;
  readonly of: ChangeRequest;
  readonly forge: Forge;
  /** The account of the token. */
  readonly self: Account;
  /** The account that wrote the markers, if it is not the token's account. */
  readonly author: Account | null;
  readonly facts: ChangeRequestFacts;
  /** False when the caller has no marker secret, so the markers on the forge cannot be read. */
  readonly hasSecret: boolean;
};

export type PostingWish = { readonly post: boolean; readonly env: Environment };

/** @throws UsageError with one sentence */
export const connectTarget = async (
  named: NamedTarget,
  { post, env: given }: PostingWish,
  signal: AbortSignal,
): Promise<ConnectedTarget> => {
  const { env, hasSecret } = withSecret(named, given, post);
  const { settings, folder } = named;
  const needs: readonly Need[] = ['read_token', 'git_token', 'marker_secret', 'model_key'];
  const config = loadOrThrow({ text: settings, folder, env, needs: post ? [...needs, 'post_token'] : needs });
  const asked = askedForge(named, post);
  try {
    const greeted = await greetedBy(config, named, post);
    const forge = await connectForge({ ...greeted, isEdited: mayHoldSummary }, signal);
    const self = await forge.read.fetchSelf(signal);
    const { project, facts } = await findOpen(named, forge, signal);
    if (post) await assertMayPost({ greeted, forge, self, project, tokenEnv: asked.tokenEnv }, signal);
    const { changeRequest: of } = facts;
    const comments = await forge.read.fetchComments(of, signal);
    const author = authorOf(comments, { of, config, self, post, asked });
    return { named, config, env, of, forge, self, author, facts, hasSecret };
  } catch (error) {
    throw explainForgeError(error, asked);
  }
};

const MARKER_SECRET = 'FIXPOINT_MARKER_SECRET';

/** Posting needs the caller's secret. A review that is only printed uses a random secret, which is not kept. */
const withSecret = ({ settings, folder }: NamedTarget, env: Environment, post: boolean) => {
  const plain = loadConfig({ text: settings, folder, env: {}, needs: [] });
  const name = plain.ok ? plain.config.marker.secretEnv : MARKER_SECRET;
  if ((env[name] ?? '') !== '') return { env, hasSecret: true };
  if (post)
    throw new UsageError(
      `posting needs ${name}, the secret that signs what Fixpoint posts: create a secret with "openssl rand -hex 32", keep it, and use the same secret everywhere`,
    );
  return { env: { ...env, [name]: randomBytes(32).toString('hex') }, hasSecret: false };
};

const askedForge = ({ forge }: NamedTarget, post: boolean): NamedForge => {
  const own = post ? forge.postTokenEnv : forge.readTokenEnv;
  return { kind: forge.kind, baseUrl: forge.baseUrl, tokenEnv: own ?? forge.tokenEnv ?? '' };
};

const greetedBy = async ({ secrets }: Config, { forge }: NamedTarget, post: boolean): Promise<Greeted> => {
  const own = secrets.forges.get(forge.id);
  const token = post ? demand(own?.postToken, 'post_token') : demand(own?.readToken, 'read_token');
  const ca = forge.caFile === null ? {} : { ca: await readFile(forge.caFile, 'utf8') };
  const { id, kind, baseUrl, proxy } = forge;
  return { id, kind, baseUrl, token, proxy, ...ca };
};

const findOpen = async (named: NamedTarget, forge: Forge, signal: AbortSignal): Promise<LookedUp> => {
  const found = await lookUp(named, forge, signal);
  const { state } = found.facts;
  if (state !== 'open') throw new UsageError(`${found.name} is ${state}: only open change requests are reviewed`);
  return found;
};

type Posting = {
  readonly greeted: Greeted;
  readonly forge: Forge;
  readonly self: Account;
  readonly project: Project;
  readonly tokenEnv: string;
};

const assertMayPost = async (
  { greeted, forge, self, project, tokenEnv }: Posting,
  signal: AbortSignal,
): Promise<void> => {
  const { tokenScopes, grantWriting } = factsOf(greeted.kind);
  const { scopes } = await greetForge(greeted, signal);
  const refusals = scopes === null ? await probeWriting(greeted, project, signal) : [];
  if (refusals.length > 0 || (scopes !== null && !scopes.includes('api')))
    throw new UsageError(`the token in ${tokenEnv} cannot post: give the token ${tokenScopes}`);
  const permission = await forge.read.fetchPermission(project.id, self, signal);
  if (permission === 'none' || permission === 'read')
    throw new UsageError(`@${self.login} has no write access to ${project.path}: ${grantWriting}`);
};

type Comparing = {
  readonly of: ChangeRequest;
  readonly config: Config;
  readonly self: Account;
  readonly post: boolean;
  readonly asked: NamedForge;
};

/**
 * Only one account may write on a change request. Another account would not recognise the existing comments and would
 * repeat them.
 */
const authorOf = (comments: readonly ForgeComment[], { of, config, self, post, asked }: Comparing): Account | null => {
  const previous = config.forges.find(({ id }) => id === of.forge)?.previousBotUserIds ?? [];
  const authors = markerAuthors({ comments, of, secrets: markerSecretsOf(config.secrets) });
  const [oldest] = authors;
  if (oldest === undefined || authors.some(({ id }) => id === self.id || previous.includes(id))) return null;
  if (!post) return oldest;
  throw new UsageError(
    `the token in ${asked.tokenEnv} belongs to @${self.login}, but Fixpoint has written here as @${oldest.login}: post with a token of @${oldest.login}`,
  );
};
