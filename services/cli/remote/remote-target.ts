/** Resolves what a person typed to a change request on a connected forge, with the configuration for its review. */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { ForgeSettings } from '../../../shared/config/forge-settings.ts';
import type { Environment } from '../../../shared/config/secrets.ts';
import { loadOrThrow } from '../terminal/load-or-throw.ts';
import { agentWish } from '../terminal/model-wish.ts';
import { unreadable, UsageError } from '../terminal/usage-error.ts';
import { type ReviewWish, settingsFor } from '../address/address-settings.ts';
import { tokenVariable } from '../address/address-token.ts';
import { ADDRESS_FORMS, type Address } from '../address/parse-address.ts';
import { findForge, type FoundForge } from '../address/find-forge.ts';
import { readOrigin } from '../address/origin-address.ts';
import { findConfiguredForge } from './configured-forge.ts';

export type TargetRequest = {
  readonly address: Address;
  /** Path of the configuration file. Null if the configuration is built from the address. */
  readonly configPath: string | null;
  readonly tokenEnv: string | undefined;
  /** The certificate authority of the forge, as PEM. Absolute; undefined: a public one. */
  readonly caFile?: string | undefined;
  readonly wish: ReviewWish;
  /** The folder of the clone whose remote names the forge. */
  readonly directory: string;
  readonly env: Environment;
};

export type NamedTarget = {
  /** Text of the configuration. */
  readonly settings: string;
  /** The folder to which paths in the settings are relative. */
  readonly folder: string;
  readonly forge: ForgeSettings;
  readonly project: string | number;
  readonly number: number;
};

/** @throws UsageError with one sentence */
export const nameTarget = async (request: TargetRequest, signal: AbortSignal): Promise<NamedTarget> =>
  request.configPath === null ? madeTarget(request, signal) : configuredTarget(request, request.configPath, signal);

const madeTarget = async (request: TargetRequest, signal: AbortSignal): Promise<NamedTarget> => {
  const { address, tokenEnv, caFile, wish, env } = request;
  if (address.kind === 'configured')
    throw new UsageError(`"${address.forge}/…" refers to a configured forge: pass --config FILE, or a URL`);
  // Before the forge is asked: throws if an option is given without another one that it needs.
  agentWish(wish);
  const forge =
    address.kind === 'web' ? await forgeAt(request, address, signal) : await forgeOfClone(request, address, signal);
  const settings = settingsFor({ forge, tokenEnv: tokenVariable(forge.kind, tokenEnv, env), caFile, wish, env });
  const [made] = loadOrThrow({ text: settings, folder: '.', env: {}, needs: [] }).forges;
  if (made === undefined) throw new UsageError('the URL names no forge');
  return { settings, folder: '.', forge: made, project: forge.project, number: address.number };
};

const forgeAt = async (
  { caFile }: TargetRequest,
  address: Address & { readonly kind: 'web' },
  signal: AbortSignal,
): Promise<FoundForge> => findForge(address, signal, await trusting(caFile));

const trusting = async (file: string | undefined): Promise<{ readonly ca?: string }> => {
  if (file === undefined) return {};
  try {
    return { ca: await readFile(file, 'utf8') };
  } catch (error) {
    throw unreadable(file, error);
  }
};

const forgeOfClone = async (
  { directory, caFile, env }: TargetRequest,
  { path: named }: Address & { readonly kind: 'named' },
  signal: AbortSignal,
): Promise<FoundForge> => {
  const origin = await readOrigin({ directory, searchPath: env['PATH'] ?? '' }, signal);
  if (origin === null)
    throw new UsageError(
      `"${named.join('/')}" names no forge: run this in a clone of the project, or give one of ${ADDRESS_FORMS}`,
    );
  const found = await findForge(origin, signal, await trusting(caFile));
  return { ...found, project: named.join('/') };
};

const configuredTarget = async (request: TargetRequest, file: string, signal: AbortSignal): Promise<NamedTarget> => {
  const { address, tokenEnv, caFile, wish } = request;
  const { runner, ...others } = wish;
  const given = { ...others, tokenEnv, caFile, runner: runner === 'auto' ? undefined : runner };
  const unused = Object.entries(given).filter(([, value]) => value !== undefined);
  if (unused.length > 0)
    throw new UsageError(
      `${unused.map(([name]) => optionOf(name)).join(', ')}: not allowed with a configuration: set it in ${file}`,
    );
  const settings = await readFile(file, 'utf8').catch(() => null);
  if (settings === null) throw new UsageError(`no configuration found at ${file}`);
  const config = loadOrThrow({ path: file, env: {}, needs: [] });
  if (config.review.runner === 'messages')
    throw new UsageError(`the reviewer of ${file} is an external program, which only the server can use`);
  const clone = { directory: request.directory, searchPath: request.env['PATH'] ?? '' };
  const configuration = { forges: config.forges, file, readOrigin: async () => readOrigin(clone, signal) };
  const { forge, project } = await findConfiguredForge(address, configuration);
  return { settings, folder: path.dirname(file), forge, project, number: address.number };
};

const optionOf = (name: string): string =>
  `--${(name === 'prices' ? 'price' : name).replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
