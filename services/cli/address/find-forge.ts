/** Finds out which forge answers at an address, and where its sub-path ends. */
import { isUntrustedCode } from '../../../shared/certificate-errors.ts';
import { hasForgeCode } from '../../../shared/forge/errors.ts';
import { recogniseForge, type Recognising } from '../../../shared/forge/kinds/recognise-forge.ts';
import { factsOf, ForgeKind, listKinds } from '../../../shared/forge/kinds/forge-kind.ts';
import { UsageError } from '../terminal/usage-error.ts';

export type Candidate = { readonly baseUrl: string; readonly project: string };
export type FoundForge = Candidate & { readonly kind: ForgeKind };

/** Maximum depth of a sub-path that is tried. */
const MAX_SUB_PATH = 3;

/** A web address of a forge whose kind and sub-path are not known. */
type Somewhere = { readonly origin: string; readonly path: readonly string[] };

/** The ways to split the path into the forge's sub-path and a project. Without nested groups a project has two parts. */
export const candidatesOf = ({ origin, path }: Somewhere, kind: ForgeKind): readonly Candidate[] => {
  const most = path.length - 2;
  const depths = factsOf(kind).nestedGroups
    ? Array.from({ length: Math.min(most, MAX_SUB_PATH) + 1 }, (_, at) => at)
    : [most];
  return depths.map((depth) => ({
    baseUrl: [origin, ...path.slice(0, depth)].join('/'),
    project: path.slice(depth).join('/'),
  }));
};

/** @throws UsageError with one sentence, if no candidate is a forge or the address cannot be reached */
export const findForge = async (
  { kinds = ForgeKind.options, ...where }: Somewhere & { readonly kinds?: readonly ForgeKind[] },
  signal: AbortSignal,
  options: Recognising['options'] = {},
): Promise<FoundForge> => {
  for (const kind of kinds) {
    for (const candidate of candidatesOf(where, kind)) {
      if (await answersAs(kind, candidate.baseUrl, { signal, options })) return { ...candidate, kind };
    }
  }
  const [first] = kinds.flatMap((kind) => candidatesOf(where, kind));
  const wanted = listKinds(({ name }) => name, kinds);
  throw new UsageError(`${first?.baseUrl ?? where.origin} does not respond like ${wanted}: check the URL`);
};

const answersAs = async (kind: ForgeKind, baseUrl: string, recognising: Recognising): Promise<boolean> => {
  try {
    return (await recogniseForge(baseUrl, [kind], recognising)) !== null;
  } catch (error) {
    if (!hasForgeCode(error, 'FORGE_UNAVAILABLE', 'FORGE_RATE_LIMITED')) throw error;
    if (isUntrustedCode(String(error.fields['reason'])))
      throw new UsageError(
        `${baseUrl} has a certificate that is not trusted: pass the certificate of its authority with --ca-file`,
      );
    throw new UsageError(`${baseUrl} does not answer: ${error.message}`);
  }
};
