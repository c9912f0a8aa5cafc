/** Finds the configured forge that an address names, and the project on it. */
import type { ForgeSettings } from '../../../shared/config/forge-settings.ts';
import type { RemoteAddress } from '../address/origin-address.ts';
import { ADDRESS_FORMS, type Address } from '../address/parse-address.ts';
import { UsageError } from '../terminal/usage-error.ts';

export type ConfiguredPlace = { readonly forge: ForgeSettings; readonly project: string | number };

export type Configuration = {
  readonly forges: readonly ForgeSettings[];
  /** Named in errors. */
  readonly file: string;
  /**
   * Contract: the remote `origin` of the working directory, or null. Read only when the address does not name the
   * forge.
   */
  readonly readOrigin: () => Promise<RemoteAddress | null>;
};

/** @throws UsageError, one sentence */
export const findConfiguredForge = async (address: Address, configuration: Configuration): Promise<ConfiguredPlace> => {
  const { forges, file } = configuration;
  switch (address.kind) {
    case 'configured': {
      const forge = forges.find(({ id }) => id === address.forge);
      if (forge !== undefined) return { forge, project: address.projectId };
      throw new UsageError(`${file} has no forge "${address.forge}", but ${namesOf(forges)}`);
    }
    case 'named':
      return { forge: await forgeOfNamed(configuration), project: address.path.join('/') };
    case 'web': {
      const url = [address.origin, ...address.path].join('/');
      const forge = forges.find(({ baseUrl }) => url.startsWith(`${baseUrl}/`));
      if (forge !== undefined) return { forge, project: url.slice(forge.baseUrl.length + 1) };
      throw new UsageError(`${file} has no forge at ${address.origin}, but ${namesOf(forges)}`);
    }
    default:
      return address satisfies never;
  }
};

const forgeOfNamed = async ({ forges, file, readOrigin }: Configuration): Promise<ForgeSettings> => {
  const [only, ...others] = forges;
  if (only !== undefined && others.length === 0) return only;
  const [forge, ...same] = forgesOf(forges, await readOrigin());
  if (forge !== undefined && same.length === 0) return forge;
  throw new UsageError(`${file} has several forges, ${namesOf(forges)}: name one of ${ADDRESS_FORMS}`);
};

/** Compares only the hosts, because SSH uses its own port and path. */
const forgesOf = (forges: readonly ForgeSettings[], origin: RemoteAddress | null): readonly ForgeSettings[] => {
  if (origin === null) return [];
  const { hostname } = new URL(origin.origin);
  return forges.filter(({ baseUrl }) => new URL(baseUrl).hostname === hostname);
};

const namesOf = (forges: readonly ForgeSettings[]): string =>
  forges.map(({ id, baseUrl }) => `"${id}" at ${baseUrl}`).join(', ');
