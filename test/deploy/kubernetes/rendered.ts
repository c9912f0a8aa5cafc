/** The manifests of `deploy/kubernetes` as a cluster gets them, rendered by kustomize. */
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAllDocuments, stringify } from 'yaml';
import { PROJECT_ROOT, trackedFiles } from '../../support/tracked-files.ts';

// A test reads what a tool made of YAML documents.
// oxlint-disable-next-line typescript/no-explicit-any
export type Manifest = Readonly<Record<string, any>>;

export const MANIFESTS = 'deploy/kubernetes';
const EVERYTHING = 'test/deploy/kubernetes/everything';

/** The last one has all components, also those that no overlay of the product has. */
export const OVERLAYS = {
  small: `${MANIFESTS}/overlays/small`,
  production: `${MANIFESTS}/overlays/production`,
  everything: EVERYTHING,
} as const;
export type Overlay = keyof typeof OVERLAYS;
// The cast is safe because the names are the keys of the object.
export const OVERLAY_NAMES = Object.keys(OVERLAYS) as readonly Overlay[];

const WAYS = [
  ['kustomize', 'build'],
  ['kubectl', 'kustomize'],
] as const;

/** The program and its command that renders, null if PATH has none. */
export const kustomize = WAYS.find(
  ([program]) => spawnSync(program, ['version'], { timeout: 20_000 }).error === undefined,
);

export const parseDocuments = (text: string): readonly Manifest[] =>
  parseAllDocuments(text).flatMap((document) => (document.toJSON() === null ? [] : [document.toJSON()]));

export const nameOf = ({ kind, metadata }: Manifest): string => `${kind}/${metadata.name}`;

/** In the order of their names, whatever the version of kustomize. */
export const render = (overlay: Overlay, [program, command]: readonly [string, string]): string => {
  const text = execFileSync(program, [command, join(PROJECT_ROOT, OVERLAYS[overlay])], {
    encoding: 'utf8',
    timeout: 60_000,
  });
  const sorted = parseDocuments(text).toSorted((one, other) => (nameOf(one) < nameOf(other) ? -1 : 1));
  return sorted.map((document) => stringify(document, { sortMapEntries: true, lineWidth: 0 })).join('---\n');
};

export const renderedFile = (overlay: Overlay): string =>
  join(PROJECT_ROOT, `test/deploy/kubernetes/rendered/${overlay}.yaml`);
export const INPUTS_FILE = join(PROJECT_ROOT, 'test/deploy/kubernetes/rendered/inputs.sha256');

export const rendered = (overlay: Overlay): readonly Manifest[] =>
  parseDocuments(readFileSync(renderedFile(overlay), 'utf8'));

/** A hash over all files that rendering reads. */
export const hashInputs = (): string => {
  const inputs = trackedFiles().filter((path) => path.startsWith(`${MANIFESTS}/`) || path.startsWith(`${EVERYTHING}/`));
  const hash = createHash('sha256');
  for (const path of inputs.toSorted()) hash.update(`${path}\n${readFileSync(join(PROJECT_ROOT, path), 'utf8')}\n`);
  return `${hash.digest('hex')}\n`;
};

export const ofKind = (documents: readonly Manifest[], kind: string): readonly Manifest[] =>
  documents.filter((document) => document['kind'] === kind);

/** The one of this kind with this name. */
export const one = (documents: readonly Manifest[], kind: string, name: string): Manifest =>
  ofKind(documents, kind).find(({ metadata }) => metadata.name === name) ?? {};
