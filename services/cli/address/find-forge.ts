/** Finds out which forge answers at an address, and where its sub-path ends. */
import { isUntrustedCode } from '../../../shared/certificate-errors.ts';
import { hasForgeCode } from '../../../shared/forge/errors.ts';
import { recogniseForge, type Recognising } from '../../../shared/forge/kinds/recognise-forge.ts';
import type { ForgeKind } from '../../../shared/vocabulary/forge-kind.ts';
import { UsageError } from '../terminal/usage-error.ts';
import type { Family } from './parse-address.ts';

export type Candidate = { readonly baseUrl: string; readonly project: string };
export type FoundForge = Candidate & { readonly kind: ForgeKind };

/** Maximum depth of a sub-path that is tried. */
const MAX_SUB_PATH = 3;

/**
 * The ways to split the path into the forge's sub-path and a project. On Forgejo and Gitea a project's path always has
 * two parts.
 */
export const candidatesOf = (
  { origin, path }: { readonly origin: string; readonly path: readonly string[] },
  family: Family,
): readonly Candidate[] => {
  const most = path.length - 2;
  const depths = family === 'gitlab' ? Array.from({ length: Math.min(most, MAX_SUB_PATH) + 1 }, (_, at) => at) : [most];
  return depths.map((depth) => ({
    baseUrl: [origin, ...path.slice(0, depth)].join('/'),
    project: path.slice(depth).join('/'),
  }));
};

/** The order matters, because Forgejo also answers like Gitea. */
const KINDS: Readonly<Record<Family, readonly ForgeKind[]>> = { gitlab: ['gitlab'], forgejo: ['forgejo', 'gitea'] };

/** @throws UsageError with one sentence, if no candidate is a forge or the address cannot be reached */
export const findForge = async (
  candidates: Readonly<Partial<Record<Family, readonly Candidate[]>>>,
  signal: AbortSignal,
  options: Recognising['options'] = {},
): Promise<FoundForge> => {
  const families = (['gitlab', 'forgejo'] as const).filter((family) => candidates[family] !== undefined);
  for (const family of families) {
    for (const candidate of candidates[family] ?? []) {
      const kind = await kindAt(candidate.baseUrl, family, { signal, options });
      if (kind !== null) return { ...candidate, kind };
    }
  }
  throw new UsageError(nothingAt(candidates, families));
};

const NAMES: Readonly<Record<Family, string>> = { gitlab: 'GitLab', forgejo: 'Forgejo or Gitea' };

const nothingAt = (
  candidates: Readonly<Partial<Record<Family, readonly Candidate[]>>>,
  families: readonly Family[],
): string => {
  const wanted = families.map((family) => NAMES[family]).join(', ');
  const first = families.flatMap((family) => candidates[family] ?? [])[0]?.baseUrl ?? 'this URL';
  return `${first} does not respond like ${wanted}: check the URL`;
};

const kindAt = async (baseUrl: string, family: Family, recognising: Recognising): Promise<ForgeKind | null> => {
  try {
    return await recogniseForge(baseUrl, KINDS[family], recognising);
  } catch (error) {
    if (!hasForgeCode(error, 'FORGE_UNAVAILABLE', 'FORGE_RATE_LIMITED')) throw error;
    if (isUntrustedCode(String(error.fields['reason'])))
      throw new UsageError(
        `${baseUrl} has a certificate that is not trusted: pass the certificate of its authority with --ca-file`,
      );
    throw new UsageError(`${baseUrl} does not answer: ${error.message}`);
  }
};
