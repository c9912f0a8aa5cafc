/** Every manifest is a valid object of its API, as it stands and as kustomize renders it. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { PROJECT_ROOT, trackedFiles } from '../../support/tracked-files.ts';
import { unknownFields } from './known-fields.ts';
import {
  hashInputs,
  INPUTS_FILE,
  kustomize,
  type Manifest,
  MANIFESTS,
  nameOf,
  OVERLAY_NAMES,
  parseDocuments,
  render,
  rendered,
  renderedFile,
} from './rendered.ts';

const require = createRequire(import.meta.url);

const PACKAGES: Readonly<Record<string, string>> = {
  'keda.sh': '@kubernetes-models/keda',
  'monitoring.coreos.com': '@kubernetes-models/prometheus-operator',
  'gateway.networking.k8s.io': '@kubernetes-models/gateway-api',
};

/** Every mistake of an object: what the schema of its kind says, and fields that the kind does not have. */
const mistakesIn = (document: Manifest): readonly string[] => {
  const { apiVersion, kind } = document;
  const group = String(apiVersion).split('/')[0] ?? '';
  const module = `${PACKAGES[group] ?? 'kubernetes-models'}/${apiVersion}/${kind}`;
  const Model = require(module)[kind];
  return [...schemaErrors(new Model(document)), ...unknownFields(document, module, kind)];
};

const schemaErrors = (model: { readonly validate: () => void }): readonly string[] => {
  try {
    model.validate();
    return [];
  } catch (error) {
    return [error instanceof Error ? error.message : String(error)];
  }
};

const allMistakes = (documents: readonly Manifest[]): readonly string[] =>
  documents.flatMap((document) => mistakesIn(document).map((mistake) => `${nameOf(document)}: ${mistake}`));

const resources = trackedFiles().filter(
  (path) =>
    path.startsWith(`${MANIFESTS}/`) && path.endsWith('.yaml') && !/(?:kustomization|mirrors)\.yaml$/.test(path),
);

describe('the manifests', () => {
  it.each(resources)('%s has valid objects only', (path) => {
    const documents = parseDocuments(readFileSync(join(PROJECT_ROOT, path), 'utf8'));
    expect(documents.length).toBeGreaterThan(0);
    expect(allMistakes(documents)).toEqual([]);
  });

  it('would not be valid with a slip', () => {
    const text = readFileSync(join(PROJECT_ROOT, MANIFESTS, 'base/guard.yaml'), 'utf8')
      .replace('readinessProbe:', 'readynessProbe:')
      .replace('containerPort: 9750', 'containerPort: "9750"')
      .replace('drop: ["ALL"]', 'dropp: ["ALL"]');
    expect(allMistakes(parseDocuments(text))).toEqual([
      expect.stringMatching(/^Deployment\/fixpoint-guard: .*containerPort.* must be integer/),
      'Deployment/fixpoint-guard: Deployment.spec.template.spec.containers[0].readynessProbe',
      'Deployment/fixpoint-guard: Deployment.spec.template.spec.containers[0].securityContext.capabilities.dropp',
    ]);
  });

  it('of autoscaling and monitoring would not be valid with a slip', () => {
    const read = (component: string): string =>
      readFileSync(join(PROJECT_ROOT, MANIFESTS, `components/${component}/${component}.yaml`), 'utf8');
    expect(allMistakes(parseDocuments(read('autoscaling').replace('pollingInterval:', 'pollInterval:')))).toEqual([
      'ScaledObject/fixpoint-reviewer: ScaledObject.spec.pollInterval',
    ]);
    expect(allMistakes(parseDocuments(read('monitoring').replace('interval: 15s', 'intervall: 15s')))).toEqual([
      'PodMonitor/fixpoint: PodMonitor.spec.podMetricsEndpoints[0].intervall',
    ]);
  });
});

const words = kustomize === undefined ? ' (skipped: neither kustomize nor kubectl is in PATH)' : '';

describe('the rendered overlays', () => {
  it.each(OVERLAY_NAMES)('of %s have valid objects only, each once', (overlay) => {
    const documents = rendered(overlay);
    expect(allMistakes(documents)).toEqual([]);
    expect(documents.map(nameOf)).toEqual([...new Set(documents.map(nameOf))]);
  });

  it.runIf(kustomize === undefined)('were rendered from the files as they are', () => {
    expect(readFileSync(INPUTS_FILE, 'utf8')).toBe(hashInputs());
  });

  it.skipIf(kustomize === undefined)(`are what kustomize makes of the files${words}`, async () => {
    for (const overlay of OVERLAY_NAMES)
      await expect(render(overlay, kustomize ?? ['', ''])).toMatchFileSnapshot(renderedFile(overlay));
    await expect(hashInputs()).toMatchFileSnapshot(INPUTS_FILE);
  });
});
