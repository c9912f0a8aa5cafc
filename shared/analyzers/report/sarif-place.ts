/** Where a SARIF result is. */
import type { RawResult } from './report.ts';
import type { ArtifactLocation, SarifResult, SarifRun } from './sarif-schema.ts';
import { decoded } from './tree-path.ts';

type Placed = Pick<RawResult, 'path' | 'startLine' | 'endLine' | 'endsBefore'>;

/** What all results of a run share. */
export type SarifPlaces = Pick<SarifRun, 'artifacts'> & { readonly bases: ReadonlyMap<string, ArtifactLocation> };

export const sarifPlacesOf = ({ artifacts, originalUriBaseIds }: SarifRun): SarifPlaces => ({
  artifacts,
  bases: new Map(Object.entries(originalUriBaseIds ?? {})),
});

/** The first location with a file counts: the others are about the same problem. */
export const sarifPlaceOf = ({ locations }: SarifResult, shared: SarifPlaces): Placed => {
  const places = (locations ?? []).flatMap(({ physicalLocation }) => physicalLocation ?? []);
  const first = places.find(({ artifactLocation }) => artifactLocation !== null && artifactLocation !== undefined);
  const { region } = first ?? {};
  return {
    path: pathOf(first?.artifactLocation ?? {}, shared),
    startLine: region?.startLine ?? null,
    endLine: region?.endLine ?? null,
    // `endColumn` is the column after the last character.
    endsBefore: region?.endColumn === 1,
  };
};

type Location = Partial<ArtifactLocation>;

const pathOf = (location: Location, { artifacts, bases }: SarifPlaces): string | null => {
  const { uri, index } = location;
  const isNamed = uri !== null && uri !== undefined;
  const held = isNamed || index === null || index === undefined ? location : artifacts?.[index]?.location;
  if (held?.uri === null || held?.uri === undefined) return null;
  return withBase(held.uri, held.uriBaseId ?? null, bases);
};

const MAX_BASES = 5;
/** Many results can share one base, so a longer one is not even joined. */
const MAX_URI = 8_192;

/** A base without an address is the root of the tree, as `%SRCROOT%` of most tools. */
const withBase = (uri: string, baseId: string | null, bases: SarifPlaces['bases']): string | null => {
  let path = uri;
  let next = baseId;
  for (let count = 0; path.length <= MAX_URI && !isAbsolute(path); count += 1) {
    const base = next === null ? undefined : bases.get(next);
    if (base?.uri === undefined || base.uri === null) return decoded(path);
    if (count >= MAX_BASES || base.uri.length > MAX_URI) return null;
    path = `${base.uri.replace(/\/$/, '')}/${path}`;
    next = base.uriBaseId ?? null;
  }
  if (path.length > MAX_URI) return null;
  return path.startsWith('/') ? decoded(path) : path;
};

const isAbsolute = (uri: string): boolean => uri.startsWith('/') || /^[A-Za-z][A-Za-z0-9+.-]{0,20}:/.test(uri);
