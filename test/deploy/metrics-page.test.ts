/** `deploy/guide/metrics.md` and the registry of the services name the same metrics with the same labels. */
import { expect, test } from 'vitest';
import { createMetrics } from '../../shared/metrics.ts';
import { readProjectFile } from '../conventions/source.ts';

const rows = [
  ...readProjectFile('deploy/guide/metrics.md').matchAll(/^\| `(fixpoint_\w+)` \|(?: ([\w, ]*))? \|/gm),
].map(([, name = '', labels = '']) => ({ name, labels: labels.split(', ').filter((label) => label !== '') }));

/** The library keeps the names of labels in its metrics, but its types do not show them. */
type Registered = { readonly name: string; readonly labelNames: readonly string[]; readonly help: string };
const { registry } = createMetrics({ service: 'test', processMetrics: false, projectLabel: true });
const registered = registry.getMetricsAsArray() as unknown as readonly Registered[];

const byName = <Named extends { readonly name: string }>(all: readonly Named[]): readonly Named[] =>
  all.toSorted((one, other) => (one.name < other.name ? -1 : 1));

test('the guide lists every metric with its labels, and no other', () => {
  const known = registered.map(({ name, labelNames }) => ({ name, labels: [...labelNames].toSorted() }));
  expect(byName(rows.map(({ name, labels }) => ({ name, labels: labels.toSorted() })))).toEqual(byName(known));
});

test('a counter ends with _total, and a histogram with its unit', () => {
  const kinds = registered.map((metric) => [metric.constructor.name, metric.name] as const);
  const wrong = kinds.filter(
    ([kind, name]) =>
      (kind === 'Counter') !== name.endsWith('_total') || (kind === 'Histogram' && !name.endsWith('_seconds')),
  );
  expect(wrong).toEqual([]);
});

test('without the setting no metric has the label of a project', async () => {
  const plain = createMetrics({ service: 'test', processMetrics: false });
  const names = (plain.registry.getMetricsAsArray() as unknown as readonly Registered[]).flatMap(
    ({ labelNames }) => labelNames,
  );
  expect(names).not.toContain('project');
  expect(plain.labelFor({ forge: 'sim', projectId: 1 })).toEqual({});
});
